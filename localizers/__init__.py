"""Who is to blame, and how good was the answer."""
