"""How a value that cannot be read is shown in a message."""

from cogwire.text import short_repr
from tests.rows import rows


@rows(
    "value, shown",
    [
        ("it's", '"it\'s"'),
        ("a" * 65, f"'{'a' * 63}…'"),
        (None, "None"),
        (True, "True"),
        (-1.5, "-1.5"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**64) + 1, "-18446744073709551615"),
        (2**64, "a value of type int"),
        (-(2**64), "a value of type int"),
        ([[]], "a value of type list"),
    ],
)
def test_a_value_is_shown_in_few_words(value, shown):
    assert short_repr(value) == shown
