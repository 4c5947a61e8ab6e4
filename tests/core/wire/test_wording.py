"""What is said of errors, word for word, as in `conformance/messages`: it is what a model reads."""

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import form_of, messages, run, singles, split
from tests.core.wire.described.reading import refusal
from tests.rows import rows

MESSAGES = corpus.PLACE / "messages"


@rows(
    "each",
    lambda: [each for group in corpus.array(MESSAGES / "errors.json") for each in group["texts"]],
)
def test_the_messages_of_a_text(each):
    """They are the same however it is cut."""
    text, options = corpus.expanded(each["text"]), dict(each.get("options", {}))
    options["limits"] = cogwire.Limits(**options.get("limits", {}))
    options["dialect"] = form_of(each["dialect"])
    ways = [[text], singles(text)]
    if each["dialect"] == "xml-elements":
        ways += [split(text, at) for at in range(1, len(text))]
    assert [messages(run(chunks, **options).events) for chunks in ways] == (
        [each["messages"]] * len(ways)
    )


@rows(("dialect", "marker"), [("delimiter", "§execute"), ("delimiter-upper", "§EXECUTE")])
@rows("length", [1, 5, 8])
@rows("stream", ["event", "token"])
def test_a_turn_that_was_cut_in_the_marker_is_not_asked_for_the_marker(
    dialect, marker, length, stream
):
    parser = cogwire.Parser(dialect, stream=stream, clock=None)
    parser.feed(f'§call: {{"name": "a"}}\n{marker[:length]}')
    (message,) = messages(parser.close())
    assert message == (
        "Nothing says that the turn ends here, so its calls have not run. "
        "Send them again, fewer at once if they were cut for their length."
    )


@rows("each", corpus.array(MESSAGES / "descriptions.json"))
def test_a_refused_description_is_told_what_is_wrong(each):
    """The places alone of many more are in `conformance/described/refused.json`."""
    assert refusal(each["description"]) == each["message"]


def test_half_a_character_that_elements_cannot_contain_is_named():
    """Whatever else they cannot is in `conformance/texts/refused.json`."""
    with pytest.raises(cogwire.RenderError) as caught:
        cogwire.render_calls([{"name": "w", "args": {"a": "\ud800"}}], "xml-elements")
    expected = "half a surrogate pair; XML contains only whole characters"
    assert (caught.value.path, caught.value.reason) == ("/0/args/a", expected)
