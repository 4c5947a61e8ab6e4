"""Texts of tags, which a tool set converts by schema, beyond `conformance/described/schemas.json`."""

from tests import cogwire
from tests.core.wire.described.reading import DSML, NESTED, ONLY_TEXT, with_payload
from tests.rows import rows

ARRAY = {"type": "array"}


def converted(described, schema, text):
    """Return the value of a text, and the codes of its problems."""
    dialect = described if isinstance(described, str) else cogwire.Format.from_json(described)
    tool = {"name": "t", "parameters": {"properties": {"v": schema}}}
    checked = cogwire.Toolset([tool], dialect).check({"name": "t", "args": {"v": text}})
    return checked.args["v"], [problem["code"] for problem in checked.problems]


@rows(
    "described, schema, text",
    [
        (with_payload(ONLY_TEXT, literals="python"), {"type": "object"}, "{'k': (1,)}"),
        (NESTED, ARRAY, "[<k>1[</k>"),
        *((each, {"type": "integer"}, "5") for each in (DSML, "lfm2")),
    ],
)
def test_a_text_that_fits_no_type_is_kept_and_reported(described, schema, text):
    assert converted(described, schema, text) == (text, ["bad-type"])


def test_values_are_nested_to_a_depth():
    deep = [""]
    for _ in range(126):
        deep.append(f"[<item>{deep[-1]}[</item>")
    assert converted(NESTED, ARRAY, deep[125])[1] == []
    assert converted(NESTED, ARRAY, deep[126]) == (deep[126], ["bad-type"])
