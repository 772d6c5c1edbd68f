"""Is this a cluster that could be? Rules on a scenario's objects, logs and moment, each yielding what is odd."""
