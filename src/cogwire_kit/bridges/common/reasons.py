# SPDX-License-Identifier: MIT
"""The reasons that APIs give for the end of a turn.

Law: a reason that is not known as the model's own end (`cogwire.Finish`) is not one, and no call
runs after it: what ends a turn is a statement, never a guess.
"""

from collections.abc import Iterable
from typing import Final

from cogwire import Finish
from cogwire.tooling import short_repr

#: What providers report, in lower case, of a text that a filter or the model's refusal cut.
_FILTERED: Final = frozenset(
    (
        *("content_filter", "refusal"),  # OpenAI, Anthropic
        *("content_filtered", "guardrail_intervened", "error_toxic"),  # Bedrock, Cohere
        *("safety", "recitation", "blocklist", "prohibited_content", "spii"),  # Gemini
    )
)


def reason_of(cut: Finish, limit: str, filtered: str, *others: str) -> str:
    """Return why a text was cut as an API says it: `filtered`, or for any unknown reason `limit`.

    `others` are reasons that the API has as well.
    """
    reason = (cut.reason or "").lower()
    return reason if reason in others else filtered if reason in _FILTERED else limit


def cut_of(reasons: Iterable[tuple[str, object]]) -> str:
    """Return why a turn of the model was cut, given the members that say why it ended, if any."""
    for name, reason in reasons:
        if reason and not (isinstance(reason, str) and Finish(reason).by_model):
            return f"`{name}` is {short_repr(reason)}"
    return ""
