"""What a person types: one module per command, no logic beyond turning words into calls."""
