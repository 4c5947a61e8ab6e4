"""The published schemas, each as a validator that knows the others and retrieves nothing."""

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry

FOLDER = Path(__file__).parents[1] / "spec" / "schemas"
FILES = sorted(FOLDER.glob("*.json"))
SCHEMAS = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in FILES}
REGISTRY = Registry().with_contents((schema["$id"], schema) for schema in SCHEMAS.values())


@functools.cache
def validator(name):
    return Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


def faults(name, value):
    """Yield what the schema finds wrong in a value, each with its place."""
    for fault in validator(name).iter_errors(value):
        yield f"{fault.json_path}: {fault.message:.200}"
