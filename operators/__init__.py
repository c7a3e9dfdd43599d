"""What can go wrong: mutation operators."""
