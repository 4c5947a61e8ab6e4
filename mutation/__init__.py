"""Mutation testing of the core: which changes of it no test would see."""
