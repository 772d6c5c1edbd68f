"""What the words of a question mean: subjects, intent, premises."""
