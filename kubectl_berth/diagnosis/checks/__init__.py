"""The checks, one module per family of failures. Each is a pure function from an Inventory to Findings."""
