"""What earlier builds made and wrote, so that nothing is made or written twice."""
