"""Statistical decisions that a mutant is worse."""
