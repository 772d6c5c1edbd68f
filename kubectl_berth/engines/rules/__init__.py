"""The rules engine: answers from the tools and the checks alone, without a model."""
