"""What a person or a script reads: terminal, json, jsonl. Takes records only."""
