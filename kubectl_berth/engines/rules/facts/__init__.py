"""Questions for a fact: looked up in the objects, not judged."""
