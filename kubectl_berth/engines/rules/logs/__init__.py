"""What logs tell: which to read, which lines matter, what they lead to."""
