"""What makes systems and judges, and other harnesses. Nothing but ``commands`` uses it."""
