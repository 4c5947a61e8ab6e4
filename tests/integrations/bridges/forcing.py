"""Judges values by the types of an SDK, all the way down.

pydantic reads the iterables of their TypedDicts only when they are asked for, and leaves members out
that it does not know: what is read has to be taken apart, and compared with what was given.
"""

from collections.abc import Iterator

from pydantic import BaseModel, TypeAdapter


def forced(value):
    """Return a value with every iterator in it read."""
    if isinstance(value, dict):
        return {name: forced(member) for name, member in value.items()}
    if isinstance(value, list | tuple | Iterator) or type(value).__name__ == "ValidatorIterator":
        return [forced(item) for item in value]
    return value


def judge(kind, values):
    """Refuse values that are not of this kind, or that have a member which it does not know."""
    adapter = TypeAdapter(kind)
    for value in values:
        assert forced(adapter.validate_python(value, strict=True)) == value


def judge_model(kind, values):
    """Do the same for a kind that is a union of models."""
    adapter = TypeAdapter(kind)
    for value in values:
        no_extras(adapter.validate_python(value))


def no_extras(value):
    """Refuse members that no model knows."""
    if isinstance(value, BaseModel):
        assert not value.model_extra
        for name in type(value).model_fields:
            no_extras(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            no_extras(item)
