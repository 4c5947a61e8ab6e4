"""Random walks under an engine's mask, and what must hold of each whole one."""

import numpy as np

from cogwire import parse
from tests.integrations.grammars.engines import END, VOCABULARY, WORDS

#: What ends a part of a turn, and is preferred more and more the longer a walk is.
CLOSING = np.isin(
    np.arange(END + 1), [VOCABULARY.index(text) for text in (b'"', b"]", b"}", b">", b"</")]
)
#: Bytes that are not characters by themselves.
PIECES = np.array([len(token) == 1 and token[0] > 127 for token in VOCABULARY])
LONG = np.array([len(token) > 1 for token in VOCABULARY])
#: Not every vocabulary has them as tokens, so they are also written byte by byte.
GOALS = [[bytes([code]) for code in word.encode()] for word in WORDS if len(word) > 3]
GOALS += [[bytes([code]) for code in f"\n{word}".encode()] for word in WORDS if word[0] == "§"]
ENDS = [goal for goal in GOALS if b"".join(goal).startswith((b"</", b"<execute", b"\n"))]


def walk(engine, random, most=600):
    """Return the bytes of a whole walk, or `None` if it is not over after so many tokens."""
    engine.restart()
    written, goal = [], []
    for step in range(most):
        allowed = engine.allowed()
        assert len(allowed), b"".join(written)
        if END in allowed and (len(allowed) == 1 or random.random() < 0.02 + step / most):
            return b"".join(written)
        if not goal and random.random() < 0.3:
            goals = ENDS if random.random() < 2 * step / most else GOALS
            goal = list(goals[random.integers(len(goals))])
        if goal and goal[0][0] in allowed:
            token = goal.pop(0)[0]
        else:
            goal = []
            token = _any(allowed[allowed != END], random, 40 * step / most)
        engine.take(token)
        written.append(VOCABULARY[token])
    return None


def _any(allowed, random, haste):
    weights = np.where(PIECES[allowed], 0.2, 1.0) + 4.0 * LONG[allowed]
    weights += CLOSING[allowed] * (2 + haste)
    return int(random.choice(allowed, p=weights / weights.sum()))


def wrong(text, toolset, start):
    """Return what is wrong with a turn: its errors, and the problems of its calls."""
    found = []
    for event in parse(text, toolset.dialect, start=start, clock=None):
        if event["type"] == "error":
            found.append(event)
        elif event["type"] == "call":
            found += toolset.check(event).problems
    return found
