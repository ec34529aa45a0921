"""What the scripts of the example browser and of the checker page know: facts as data."""
