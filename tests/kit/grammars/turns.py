"""Turns by hand, for each dialect: what its grammar has, what it leaves out, and what is an error."""

from cogwire import Parser
from cogwire_kit.conformance import corpus

(TEXTS,) = corpus.array(corpus.PLACE / "texts" / "grammars.json")
TOOLS, TURNS = TEXTS["tools"], TEXTS["turns"]


def _upper(text):
    for name in ("§think:", "§respond:", "§call:", "\n§execute", "§end"):
        text = text.replace(name, name.upper())
    return text


#: Errors of the parser and problems of the toolset are `bad`; `left out` are turns without either.
TURNS["delimiter-upper"] = {
    kind: [*map(_upper, texts)] for kind, texts in TURNS["delimiter"].items() if kind != "left out"
}


def has_error(text, toolset):
    """Whether a parser finds an error in a turn or discards some of it, or a call has a problem."""
    parser = Parser(toolset, clock=None)
    events = [*parser.feed(text), *parser.close(finished=True)]
    calls = [event for event in events if event["type"] == "call"]
    has_problem = any(toolset.check(call).problems for call in calls)
    is_error = any(event["type"] == "error" for event in events)
    return is_error or has_problem or parser.discarded > 0


def standing(row, engine):
    """Return what the own grammar of an engine makes of a text that does not fit its schema."""
    return "takes" if engine in row["takes"] else "refuses" if engine in row["refuses"] else "exact"
