"""The rules of the text redactor, a family of places or kinds in each module."""
