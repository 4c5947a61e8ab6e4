"""Which cases catch which broken parsers: `python -m conformance.zoo.kills [--out FILE]`."""

import argparse
import json
import multiprocessing
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from conformance.zoo import making
from conformance.zoo.animals import ANIMALS
from conformance.zoo.making import Animal, Place
from tests.oracle import answering

from cogwire_kit.conformance import corpus, questions
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.growth import Measured
from cogwire_kit.conformance.judge import Judge
from cogwire_kit.conformance.questions import Question
from cogwire_kit.conformance.replies import Form
from cogwire_kit.conformance.target import Answer, Failure, Reply

#: Longer inputs take too long for most animals, because the executable specification is slow.
LONG: Final = 20_000
#: The number of cases that an animal is asked, besides those that are flagged with its class.
MOST: Final = 30
#: Inputs above this length take too long for every animal.
LONGEST: Final = 1_000_000
#: Inputs up to this length are given in chunks, each of which takes a reading of the whole text.
LONGEST_STREAM: Final = 160
#: Inputs up to this length are also cut at every place.
EVERY_CUT: Final = 60

#: The executable specification has no messages for errors.
FORM: Final = Form(lacks=frozenset({"messages"}))
ABILITIES: Final = frozenset({*answering.ABILITIES, "token", "snapshot"})
#: The time that each character counts as, in seconds.
A_LOOK: Final = 1e-5
#: The largest small size for growth; the corpus has larger ones, which are needed with a clock.
SMALL: Final = 400


_STREAM_FLAGS: Final = frozenset(a.flag for a in ANIMALS if a.module == "streaming")

Row = dict[str, Any]


class Asked:
    """A case, with the questions to every parser, and the statements that are run for it."""

    def __init__(self, case: Case, runs: frozenset[Place]) -> None:
        self.case = case
        self.runs = runs
        self.is_growth = "growth" in case.data
        self.is_open = case.options.get("close") is False
        self.is_long = size(case) > LONG
        #: Whether it is about a text that arrives in chunks.
        self.is_stream = (
            case.op == "parse"
            and not self.is_growth
            # The streaming parser gives its deltas none.
            and not case.options.get("spans")
            and size(case) < LONGEST_STREAM
            and (
                not _STREAM_FLAGS.isdisjoint(case.data["flags"])
                or not case.data.keys().isdisjoint(("prompt", "turns"))
                or self.is_open
            )
        )
        # Each question with the answer of a parser without a bug.
        self.questions: list[tuple[Question, str, Any]] = []


def asked(cases: Iterable[Case]) -> list[Asked]:
    """Return the cases that the animals are asked."""
    everything = []
    seen: set[Place] = set()
    answer = making.noting(seen)
    for case in cases:
        if "growth" in case.data:
            everything.append(Asked(case, frozenset()))
        elif size(case) < LONGEST:
            seen.clear()
            lines = [(question, line_of(question)) for question in pair(case)]
            answered = [(*one, answer(json.loads(one[1]))) for one in lines]
            everything.append(Asked(case, frozenset(seen)))
            everything[-1].questions = answered
    return everything


def pair(case: Case) -> list[Question]:
    """Return the questions for a whole case and for its twin, if it has one."""
    found = (questions.whole(case), questions.twin(case))
    return [question for question in found if question is not None]


def line_of(question: Question) -> str:
    """Return a question as a line of the adapter protocol."""
    return json.dumps({"id": "1", **question.request})


def size(case: Case) -> int:
    """Return roughly how long the input of a case is."""
    held = [case.data.get(name) for name in ("input", "turns", "request")]
    return sum(len(json.dumps(corpus.expanded(part), default=repr)) for part in held)


# ---- Catching ----


def ask(answer: making.Answer, line: str) -> Answer:
    """Return the answer of a parser as if it were a separate process."""
    try:
        return Reply(json.loads(json.dumps(answer(json.loads(line)))), 0.0)
    except (NameError, ImportError):
        # This is a bug of the zoo itself.
        raise
    except Exception as failure:  # noqa: BLE001 - any exception counts as a crash
        return Failure("crashed", repr(failure))


def catches(each: Asked, answer: making.Answer) -> bool:
    """Return whether a case, asked whole, catches a parser."""
    judge = Judge(each.case, FORM)
    return any(
        judge.take(question, ask(answer, line))
        for question, line, right in each.questions
        if not answers(answer, line, right)
    )


def answers(answer: making.Answer, line: str, right: dict[str, Any]) -> bool:
    """Return whether a parser gives exactly the answer of one without a bug."""
    try:
        return answer(json.loads(line)) == right
    except Exception:  # noqa: BLE001 - as above
        return False


def catches_stream(each: Asked, answer: making.Answer) -> bool:
    """Return whether a case, cut into chunks, catches a streaming parser."""
    judge = Judge(each.case, FORM)
    return any(
        judge.take(question, ask(answer, line_of(question))) or judge.verdict == "late"
        for question in schedules(each.case)
    )


def schedules(case: Case) -> Iterator[Question]:
    """Yield a case whole, in single characters, with snapshots, and cut at every place."""
    yield questions.whole(case)
    is_short = "turns" not in case.data and len(case.input) <= EVERY_CUT
    for question in questions.parses(case, ABILITIES, 0):
        kind = "prompt" if question.aspect == "prompt" else question.schedule.split()[0]
        is_one_cut = kind == "cut" and "and" not in question.schedule
        if kind in _ONCE or (is_one_cut and is_short):
            yield question


#: Schedules that a case has once, and the points at which events must be known.
_ONCE: Final = ("single", "empty", "after", "halves", "whole", "so", "prompt")


def outgrows(each: Asked, answer: making.Answer) -> bool:
    """Return whether the work of a parser grows faster than its input."""
    growth = each.case.data["growth"]
    small = min(growth["small"], SMALL)
    sizes = {"small": small, "large": 4 * small, "chunk": growth["chunk"]}
    case = Case({**each.case.data, "growth": sizes})
    least = Measured(4)
    for question in questions.growing(case, 1, random.Random(0)):  # noqa: S311 - words, not keys
        reply = ask(answer, line_of(question))
        if isinstance(reply, Failure):
            return True
        least.add(question.index, Reply({}, reply.members["looked_at"] * A_LOOK))
    is_fine, _ = least.judged()
    return not is_fine


def caught_by(animal: Animal, cases: Iterable[Asked]) -> list[str]:
    """Return the ids of those of the cases that catch an animal."""
    answer = animal.answer()
    catcher = _CATCHERS.get(animal.module, catches)
    return [each.case.id for each in cases if catcher(each, answer)]


_CATCHERS: Final = {"streaming": catches_stream, "buffering": outgrows}


class Touched:
    """Finds the cases that an animal may answer differently from a parser without a bug."""

    def __init__(self, everything: list[Asked]) -> None:
        self._everything = everything
        self._runs: dict[Place, set[int]] = {}
        for number, each in enumerate(everything):
            for place in each.runs if not each.is_open else ():
                self._runs.setdefault(place, set()).add(number)

    def by(self, animal: Animal) -> list[Asked]:
        """Return the cases that `animal` may answer differently."""
        if animal.module == "buffering":
            return [each for each in self._everything if each.is_growth]
        if animal.module == "streaming":
            return [each for each in self._everything if each.is_stream]
        places = making.changed(animal)
        numbers = sorted(set().union(*(self._runs.get(place, ()) for place in places)))
        found = [self._everything[number] for number in numbers]
        return [e for e in found if not e.is_long or animal.flag in e.case.data["flags"]]


def chosen(animal: Animal, touched: list[Asked], most: int) -> list[Asked]:
    """Return the cases that an animal is asked: those of its class, and some others."""
    meant = [each for each in touched if animal.flag in each.case.data["flags"]]
    others = [each for each in touched if animal.flag not in each.case.data["flags"]]
    rng = random.Random(animal.name)  # noqa: S311 - a choice, not a key
    return meant + rng.sample(others, min(len(others), max(0, most - len(meant))))


def table(
    everything: list[Asked],
    animals: Sequence[Animal],
    *,
    most: int = MOST,
    jobs: int = 1,
) -> list[Row]:
    """Return each animal with cases that catch it.

    An animal is asked the cases of its class, and others up to `most` cases in all.  Then a case
    that has caught no animal is tried on all that it could catch, the most likely first.
    """
    index = Touched(everything)
    touched = {animal.name: index.by(animal) for animal in animals}
    asked = [(a, chosen(a, touched[a.name], most)) for a in animals]
    found = _caught(asked, jobs)
    caught = {case for cases in found.values() for case in cases}

    def power(animal: Animal) -> float:
        meant = chosen(animal, touched[animal.name], most)
        return len(found[animal.name]) / (1 + len(meant)) * len(touched[animal.name])

    for animal in sorted(animals, key=power, reverse=True):
        left = [each for each in touched[animal.name] if each.case.id not in caught]
        if left:
            more = caught_by(animal, left)
            found[animal.name] += more
            caught.update(more)
    return [
        {"name": a.name, "class": a.flag, "breaks": a.breaks, "cases": sorted(found[a.name])}
        for a in animals
    ]


_Errand = tuple[Animal, list[Asked]]


def _caught(asked: list[_Errand], jobs: int) -> dict[str, list[str]]:
    """Return the cases that catch each animal, found by this number of processes."""
    _asked[:] = asked
    if jobs == 1:
        return dict(map(_one, range(len(asked))))
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return dict(pool.imap(_one, range(len(asked)), chunksize=8))


#: Shared by the processes, because a case is large and so need not be sent.
_asked: list[_Errand] = []


def _one(number: int) -> tuple[str, list[str]]:
    animal, cases = _asked[number]
    found = caught_by(animal, cases)
    sys.stderr.write(f"{animal.name}: {len(found)}\n")
    return animal.name, found


# ---- The command ----


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, help="where to write the table (default: standard output)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument(
        "--most", type=int, default=MOST, help="number of cases that an animal is asked"
    )
    parser.add_argument("--corpus", type=Path, default=corpus.PLACE)
    parser.add_argument("--only", default="", help="only animals whose names contain this")
    options = parser.parse_args()
    animals = [animal for animal in ANIMALS if options.only in animal.name]
    everything = asked(corpus.load(options.corpus))
    rows = table(everything, animals, most=options.most, jobs=options.jobs)
    text = json.dumps(rows, indent=1) + "\n"
    if options.out is None:
        sys.stdout.write(text)
    else:
        options.out.write_text(text, "ascii")


if __name__ == "__main__":
    main()
