"""Messages of each API as agents, providers and data sets write them, to draw chats from.

Each `*` in a template is a text, of which a bridge must keep each character or report its message:
texts around pictures, refusals, prompts in the middle, messages that say nothing, thinks in several
members, calls with one id, without a result, cut off or of another kind, and results in any order or
of no call.
"""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from .histories import CHATS


def keeps_every_text(bridge, name, read=list):
    """Hold a bridge to its law: a text is in an event, or something of its message is reported.

    `read` makes messages of a package from their JSON.
    """

    @given(st.lists(st.sampled_from(CHATS["templates"][name]), min_size=1, max_size=6))
    def holds(drawn):
        parts = json.dumps(drawn).split("*")
        text = "".join(f"{part}w{number}w" for number, part in enumerate(parts))
        messages = json.loads(text.removesuffix(f"w{len(parts) - 1}w"))
        report = []
        events = json.dumps(bridge.from_messages(read(messages), strict=False, report=report))
        reported = {entry["index"] for entry in report}
        for index, message in enumerate(messages):
            lost = [
                word for word in re.findall(r"w\d+w", json.dumps(message)) if word not in events
            ]
            assert not lost or index in reported, (message, lost)

    holds()
