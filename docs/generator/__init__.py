"""What docs/generate.py puts together: pages whose text comes from the code."""

MADE = "<!-- Written by docs/generate.py (make docs). Change the code or docs/generator/, not this page. -->\n"
