"""Numbers of JSON that are written as they were read."""

import copy
import json
import pickle

import pytest

from cogwire_kit.texts.numbers import SpelledNumber, json_of, number_of
from cogwire_kit.texts.rows import json_value
from tests.kit.cli.running import cogwire_, output_of, stored
from tests.rows import rows

TEXT = '{"a": 1E5, "b": [2.50, -0.0, {"c": 1e400}], "é": 12345678901234567890123, "n": null}'


def test_numbers_are_written_as_they_were_read():
    value = json_value(TEXT)
    assert json_of(value) == TEXT
    assert json_of(value["b"][0]) == "2.50"
    assert (value["a"], value["b"][0], type(value["b"][1])) == (100000, 2.5, float)
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_of([float("nan")])


@rows("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301
def test_a_copy_has_the_spelling(again):
    number = again(number_of("2.50"))
    assert (type(number), number, json_of([number])) == (SpelledNumber, 2.5, "[2.50]")


def test_what_is_nested_very_deeply_is_written():
    number_of("1E5")
    deep = json.loads("[" * 600 + "]" * 600)
    assert json_of(deep) == "[" * 600 + "]" * 600


def test_convert_keeps_the_numbers_of_a_row(tmp_path):
    """Lint and convert have one answer to a number that is too large for Python."""
    function = '{"name": "f", "arguments": {"x": 1.10, "y": 1E5}}'
    said = f'{{"role": "assistant", "tool_calls": [{{"id": "c", "function": {function}}}]}}'
    tools = '[{"name": "f", "parameters": {"maximum": 2.50}}]'
    file = stored(tmp_path / "a.jsonl", f'{{"x": {TEXT}, "messages": [{said}], "tools": {tools}}}')
    options = ("--from", "auto", "--to", "openai-messages", "--strict")
    output = output_of("convert", *options, file)
    assert output.startswith(f'{{"x": {TEXT}, ')
    assert json.dumps('{"x": 1.10, "y": 1E5}') in output
    assert '{"maximum": 2.50}' in output
    assert cogwire_("lint", file)[0] == 0
