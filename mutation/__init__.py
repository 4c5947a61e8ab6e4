"""Mutation testing of the core: which changes to it no test would detect."""
