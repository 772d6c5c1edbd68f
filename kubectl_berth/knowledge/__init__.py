"""Runbooks, past incidents, prices, the usage ledger."""
