"""Where the turn after a prompt begins."""

import pytest

from cogwire_kit.conformance import corpus
from tests import cogwire
from tests.core.helpers import form_of
from tests.rows import rows


@rows("each", corpus.array(corpus.PLACE / "texts" / "starts.json"))
def test_the_start_is_found(each):
    """Or refused where a think would be shown, or a call be prose: its header has begun."""
    form, prompt = form_of(each["dialect"]), each["prompt"]
    if each["start"] is None:
        with pytest.raises(ValueError, match="says what follows; feed it to the parser"):
            cogwire.start_of(prompt, form)
    else:
        assert cogwire.start_of(prompt, form) == each["start"]


def test_a_format_without_headers_has_no_turn_that_begins_in_one():
    with pytest.raises(ValueError, match="hermes has no headers"):
        cogwire.Parser("hermes", start="header")
