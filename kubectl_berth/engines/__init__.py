"""Who does the thinking: claude, ollama, rules."""
