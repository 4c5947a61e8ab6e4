"""Broken parsers, by which the corpus is tested.

Each is right but for one bug: a copy of the executable specification, or of the streaming parser
that is built on it, in which one text of at most ten lines is replaced.
"""
