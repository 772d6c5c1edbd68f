"""Where objects come from: a live API, a snapshot, a support bundle."""
