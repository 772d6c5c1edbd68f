"""kubectl berth: a read-only AI SRE in one command."""

__version__ = "0.1.0"
