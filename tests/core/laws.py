"""Properties that hold in every dialect; where one fails, a conformance case is printed."""

import contextlib
import functools
import inspect
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.conformance import formats
from cogwire_kit.strategies._texts import byte_texts
from tests import cogwire, oracle
from tests.core.helpers import DIALECTS, LINES, TRAINED, joined, unmeasured
from tests.rows import rows

#: Those of the protocol, and formats that models are trained on.
ALL = (*DIALECTS, *TRAINED)
#: The delimiter dialects are read in the same way, so they share the examples of one; so do the trained ones,
#: which have properties of their own, too.
SHARE = dict.fromkeys(DIALECTS, 1) | dict.fromkeys(LINES, 1 / len(LINES))
SHARE |= dict.fromkeys(TRAINED, 1 / len(TRAINED))

#: The limits by default, by name.
LIMITS = dict(zip(("size", "calls", "depth", "digits"), make.DEFAULT_LIMITS, strict=True))

#: What decides how a text is read: members of a reading, or arguments of a law.
READING = ("mode", "start", "calls", "limits", "raw")
#: How laws call an input that is not cut.
INPUTS = ("data", "text")


class Feed(NamedTuple):
    """An input, and the chunks it is cut into."""

    data: str | bytes
    chunks: list


#: Markers, and beginnings of them; words; and single characters.
PIECES = re.compile(r"</?[a-z_]+[=>]?|\[/?[A-Z_]+\]|\w+|.", re.DOTALL)


@functools.cache
def trained_texts(name):
    """Draw texts of a trained format: those of its corpus, and of their pieces."""
    known = [case.text for case in formats.load(name).cases]
    pieces = st.sampled_from(sorted({piece for text in known for piece in PIECES.findall(text)}))
    damaged = make.mutated(st.sampled_from(known), pieces)
    return st.one_of(st.sampled_from(known), damaged, damaged, st.lists(pieces).map("".join))


@functools.cache
def inputs(dialect):
    """Draw what a parser may be fed."""
    if dialect not in TRAINED:
        return make.inputs(dialect)
    texts = trained_texts(dialect)
    return st.one_of(texts, texts, texts, byte_texts(texts))


@st.composite
def chunked(draw, inputs):
    data = draw(inputs)
    return Feed(data, make.split(data, draw(make.chunkings(data))))


class Law(NamedTuple):
    """What must hold, in each dialect for all that its strategy draws."""

    holds: Callable
    drawn: dict
    parses: bool

    def check(self, dialect, drawn):
        """Hold the law to what was drawn; a failure has a note with a case of it."""
        names = list(inspect.signature(self.holds).parameters)[1:]
        arguments = dict(zip(names, drawn, strict=True))
        # The corpus has no cases of this kind for other formats.
        is_case = self.parses and dialect in DIALECTS
        is_case = is_case and not arguments.keys().isdisjoint({"document", "feed", *INPUTS})
        made = functools.partial(case, dialect, arguments)
        with make.reported(made) if is_case else contextlib.nullcontext():
            self.holds(dialect, *drawn)


def case(dialect, arguments):
    """Return the case of a law's arguments, with what the executable spec reads in them."""
    if "document" in arguments:
        return make.case(arguments["document"], spec_of(arguments["document"]))
    if "feed" in arguments:
        data = arguments["feed"].data
    else:
        data = next(arguments[name] for name in INPUTS if name in arguments)
    known = arguments.get("reading", {}) | arguments.get("options", {}) | arguments
    reading = {name: known[name] for name in READING if name in known}
    return make.case(data, oracle.parse(data, dialect, **reading), dialect=dialect, **reading)


def spec_of(document):
    """Return what the executable spec reads in a document."""
    options = dict(document.options)
    limits = LIMITS | options.pop("limits", {})
    return oracle.parse(document.data, limits=tuple(limits.values()), **options)


def args_at_once(dialect, chunks, *, limits=make.DEFAULT_LIMITS, **options):
    """Assert that after each chunk the call deltas are what the text so far says of the args.

    The dialect is a name or a description.
    """
    options |= {"call_deltas": True}
    form = dialect if isinstance(dialect, str) else cogwire.Format.from_json(dialect)
    own = options | {"dialect": form, "limits": cogwire.Limits(*limits)}
    parser = cogwire.Parser(stream="token", clock=None, **own)
    so_far, given = "", []
    for chunk in chunks:
        given += parser.feed(chunk)
        so_far += chunk
        with unmeasured():
            asked = options | {"dialect": dialect, "limits": limits, "is_finished": False}
            expected = oracle.parse(so_far, **asked).events
        assert call_deltas(joined(given, whole=False)) == call_deltas(expected), so_far


def call_deltas(events):
    return [event for event in events if event["type"] == "call_delta"]


def law(*strategies, dialects=DIALECTS, parses=True):
    """Make of a function, of a dialect and what `strategies` draw, a test with a row for each dialect.

    A strategy that differs with the dialect is given as a function of it.  `parses` says that the
    law is one of parsing, so that an input on which it fails makes a case.
    """

    def decorate(holds):
        drawn = {
            dialect: st.tuples(*(one(dialect) if callable(one) else one for one in strategies))
            for dialect in dialects
        }
        held = Law(holds, drawn, parses)
        properties = {dialect: property_in(held, dialect) for dialect in dialects}

        def test(dialect):
            properties[dialect]()

        test.__name__, test.__doc__ = holds.__name__, holds.__doc__
        # As Hypothesis marks its own: coverage is measured without what searches at random.
        made = pytest.mark.hypothesis(rows("dialect", dialects)(test))
        made.law = held
        return made

    return decorate


def property_in(held, dialect):
    """Return the property that Hypothesis tries to falsify in a dialect."""

    def holds_for(drawn):
        held.check(dialect, drawn)

    # Each property draws its own examples: Hypothesis derives them from the name.
    name = re.sub("[-.]", "_", dialect)
    holds_for.__name__ = f"{held.holds.__name__}_in_{name}"
    examples = max(1, int(settings.default.max_examples * SHARE[dialect]))
    return settings(max_examples=examples)(given(held.drawn[dialect])(holds_for))
