"""What is shown of a result."""
