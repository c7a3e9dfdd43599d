"""What is trained, and what is kept."""
