# SPDX-License-Identifier: MIT
"""Documents of `delimiter` and `delimiter-upper`, which are read in the same way."""

from hypothesis import strategies as st

from cogwire_kit.strategies._line_writer import KINDS, Writer
from cogwire_kit.strategies._lines import anything, line_ends, prose
from cogwire_kit.strategies._wire import WHITE, Document


def open_turn(draw: st.DrawFn, writer: Writer, *, may_speak: bool = True) -> None:
    """Write the beginning of a turn."""
    if may_speak and draw(st.booleans()):
        writer.say(draw(prose))
    for _ in range(draw(st.integers(0, 2))):
        writer.speak(draw(st.sampled_from(["think", "respond"])))


def go_on(draw: st.DrawFn, writer: Writer) -> None:
    """Write calls, segments between them, and some that break a rule."""
    for _ in range(draw(st.integers(0, 4))):
        part = draw(st.sampled_from(["call"] * 7 + ["think", "respond", "broken", "trailing"]))
        if part == "broken":
            writer.break_off()
        elif part in KINDS:
            writer.speak(part)
        else:
            writer.call()
            if part == "trailing":
                writer.trail()


@st.composite
def _turns(draw: st.DrawFn) -> Document:
    """Draw a turn, and text that the model wrote after it stopped."""
    writer = Writer(draw, "turn")
    open_turn(draw, writer)
    go_on(draw, writer)
    stop = draw(st.sampled_from(["none", "end", "forged", "execute", "execute", "execute"]))
    if stop == "none":
        return writer.document()
    after = draw(anything)
    if stop == "forged":
        writer.forge()
        return writer.document("paused", after)
    if after and after[0] not in f"{WHITE}§":
        after = draw(line_ends) + after
    if stop == "end":
        writer.end()
        return writer.document("ended", after)
    writer.execute()
    return writer.document("paused", after)


@st.composite
def _transcripts(draw: st.DrawFn) -> Document:
    """Draw a conversation: turns that end in `§execute` or in `§end`, results, and a last turn."""
    writer = Writer(draw, "transcript")
    may_speak = True
    for _ in range(draw(st.integers(0, 3))):
        open_turn(draw, writer, may_speak=may_speak)
        go_on(draw, writer)
        may_speak = True
        if draw(st.integers(0, 4)) == 0:
            writer.speak("respond")
            writer.forge_and_go_on()
        if draw(st.integers(0, 4)) == 0:
            writer.end()
            writer.begin_turn()
            continue
        tools = writer.execute()
        writer.begin_turn()
        if draw(st.booleans()):
            may_speak = writer.answer(tools)
    if draw(st.booleans()):
        open_turn(draw, writer, may_speak=may_speak)
    return writer.document()


turns = _turns()
transcripts = _transcripts()
