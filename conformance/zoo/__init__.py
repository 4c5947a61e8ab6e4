"""Broken parsers that test the corpus.

Each has exactly one bug: it is a copy of the executable specification, or of the streaming parser
that is built on it, in which one passage of at most ten lines is replaced.
"""
