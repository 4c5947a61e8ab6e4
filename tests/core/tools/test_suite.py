"""The official JSON-Schema-Test-Suite, draft 2020-12, as `jsonschema` 4.26.0 has it in its sdist.

Every schema validates one argument.  The result is that of the suite, except for the tests listed here.
"""

import json
from pathlib import Path

import jsonschema
import pytest
import referencing

from tests import cogwire
from tests.core.tools.helpers import tool

SUITE = Path(__file__).parent / "json-schema-test-suite" / "draft2020-12"

#: Groups whose schemas are refused, since they lead to what is not in them: to the metaschema, or
#: to files that the suite serves at localhost.  `jsonschema` takes these where it is given them.
REFUSED = {*json.loads((SUITE.parents[1] / "refused_groups.json").read_text("utf-8"))}
#: Groups in which both, the library and we, say something else than the suite: the keywords of the
#: draft are read whatever metaschema a schema names, and none is fetched.
BOTH_WRONG = {"vocabulary: schema that uses custom metaschema with with no validation vocabulary"}


def groups():
    for file in sorted(SUITE.glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            yield f"{file.stem}: {group['description']}", group["schema"], group["tests"]


def declared(schema):
    """Return a toolset whose tool has one argument, `v`, and the schema as a resource for it."""
    inner = {"$id": "urn:example:suite"} | schema if isinstance(schema, dict) else schema
    return cogwire.Toolset([tool({"properties": {"v": inner}})])


def test_the_validator_agrees_with_the_suite():
    count, refused, wrong, library_wrong = 0, set(), set(), set()
    for name, schema, tests in groups():
        count += len(tests)
        if name in REFUSED:
            with pytest.raises(ValueError, match="is not part of this schema, and nothing is fet"):
                declared(schema)
            refused.add(name)
            continue
        toolset = declared(schema)
        stock = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
        for test in tests:
            found = toolset.check({"name": "t", "args": {"v": test["data"]}}).problems
            if (found == []) is not test["valid"]:
                wrong.add(name)
            if stock.is_valid(test["data"]) is not test["valid"]:
                library_wrong.add(name)
    assert count > 1_200
    assert refused == REFUSED
    assert wrong == BOTH_WRONG
    assert library_wrong == BOTH_WRONG
