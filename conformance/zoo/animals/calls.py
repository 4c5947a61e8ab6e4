"""Bugs in when calls are given, and in what is shown of them while they are written."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_ledger: Final = bug_in("ledger")
_json_shapes: Final = bug_in("json_shapes")
_xml_block: Final = bug_in("xml_block")
_streaming: Final = bug_in("streaming")

_SEALED: Final = "sealed-call-seen"
_DELTA: Final = "call-delta-elsewhere"

ANIMALS: Final = (
    _ledger(
        "seal-that-does-not-hold",
        _SEALED,
        "The calls of a void batch are emitted before its error.",
        'if kind⟦ == "execute" or each.event["type"] != "call"¦⟧:',
    ),
    _ledger(
        "seal-that-swallows-prose",
        _SEALED,
        "An error drops everything that was held back, prose included.",
        'if kind == "execute"⟦ or each.event["type"] != "call"¦⟧:',
    ),
    _ledger(
        "prose-overtakes-sealed-calls",
        _SEALED,
        "Sealed calls wait, but the events between them do not.",
        '⟦(kind == "call" or self.held)¦kind == "call"⟧',
    ),
    _ledger(
        "sealed-calls-claim-their-text",
        _SEALED,
        "A call that is never emitted accounts for its text.",
        """            self.held.append(held)
⟦¦            self.claimed = self.at
⟧""",
    ),
    Animal(
        "sealed-calls-of-a-void-batch-wait",
        _SEALED,
        "A call after an error is emitted with the next execute.",
        "line",
        (
            'if not (self.is_void and ⟦(self.is_sealed or self.mode == "transcript")¦'
            'self.mode == "transcript"⟧):'
        ),
    ),
    _ledger(
        "spans-of-the-giving",
        _SEALED,
        "The span of a sealed call continues to the place where it is emitted.",
        'event["span"] = [held.first, ⟦¦self.at if event["type"] == "call" else ⟧held.last]',
    ),
    _ledger(
        "call-deltas-count-from-one",
        _DELTA,
        "The first call of a batch has the index 1.",
        '"index": index⟦¦ + 1⟧,',
    ),
    _ledger(
        "call-deltas-with-a-raw",
        _DELTA,
        "Call deltas have a raw too.",
        'self.events.append({**delta, "content": written.args⟦¦, "raw": written.args⟧})',
    ),
    _ledger(
        "call-deltas-without-a-name",
        _DELTA,
        "The args of a call are emitted before its name is known.",
        "if self.call_deltas and written.⟦name and written.¦⟧args:",
    ),
    Animal(
        "no-deltas-of-broken-elements",
        _DELTA,
        "Of a call that breaks a rule nothing is shown.",
        "tags",
        """⟦            self.emit_call_delta(len(called), block.written)
¦⟧            self.called""",
    ),
    _json_shapes(
        "deltas-of-broken-calls-up-to-the-chunk",
        _DELTA,
        "Of a call that breaks a rule the offending character is shown too.",
        "block.written.args = block.text.characters[first : block.at⟦¦ + 1⟧]",
    ),
    _json_shapes(
        "args-that-were-not-written",
        _DELTA,
        "The deltas of a call are its args as a serialiser writes them.",
        'block.written.args = block.text.characters[first : block.at]⟦¦.replace(" ", "")⟧',
    ),
    _json_shapes(
        "name-before-it-is-judged",
        _DELTA,
        "A name is known before its closing quote has been accepted.",
        """⟦¦    block.written.name = name or "?"
⟧    if name in ("", "execute"):
        raise block.error("bad-name")""",
    ),
    Animal(
        "deltas-of-a-void-batch",
        _DELTA,
        "The calls after an error have deltas, and count from 0 again.",
        "line",
        """        if ⟦not self.is_void¦True⟧:
            self.emit_call_delta(""",
    ),
    _xml_block(
        "values-that-are-not-escaped",
        _DELTA,
        "The deltas of an element have its value unescaped.",
        "block.written.args += ⟦json.dumps(text, ensure_ascii=False)[1:-1]¦text⟧",
    ),
    _xml_block(
        "brackets-of-a-section-too-early",
        _DELTA,
        "A bracket of a CDATA section is shown before it is known to be content.",
        'for end in ("]]>",⟦ "]]", "]"¦⟧):',
    ),
    _xml_block(
        "braces-before-the-name-is-over",
        _DELTA,
        "The args of an element begin before the character after its name is accepted.",
        """        ⟦if block.at > end_of_name:
            ¦⟧block.written.args += args""",
    ),
    _xml_block(
        "an-element-that-ends-early",
        _DELTA,
        "A value is closed when its argument begins.",
        """⟦    block.written.args += '"'
¦⟧""",
    ),
    _streaming(
        "call-deltas-that-say-all-again",
        _DELTA,
        "Each delta of a call repeats the earlier ones.",
        'content = event["content"]⟦[self.args_shown :]¦⟧',
    ),
    _streaming(
        "call-deltas-forgotten-in-a-snapshot",
        _DELTA,
        "What was shown of an open call is shown again by the parser that continues.",
        'self.args_shown = ⟦stored["args_shown"]¦0⟧',
    ),
    _streaming(
        "empty-call-deltas",
        _DELTA,
        "There are call deltas that say nothing.",
        'return [event | {"content": content}]⟦ if content else []¦⟧',
    ),
)
