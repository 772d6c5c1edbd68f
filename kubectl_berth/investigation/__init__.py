"""One question from start to end: brief, cap, deadline, outcome, evidence."""
