"""What hangs on an act: delete, stop, scale, restart, roll back, edit, lose."""
