# SPDX-License-Identifier: MIT
"""Options and errors that the commands `cogwire conformance …` share."""

import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from cogwire.tooling import dialect_names
from cogwire_kit.adapter import ABILITIES, OPS
from cogwire_kit.cli import options as common
from cogwire_kit.cli.files import TroubleError, trouble
from cogwire_kit.cli.options import OUTPUT, OUTPUT_OR_DASH, Named, adding, file_option, refusing
from cogwire_kit.conformance import corpus, fresh, text_reports
from cogwire_kit.conformance.formats import FormatCase
from cogwire_kit.conformance.target import NoAdapterError, Patience, TargetError
from cogwire_kit.texts.words import on_a_line

_T = TypeVar("_T", corpus.Case, FormatCase)


class HarnessError(TroubleError):
    """The target or the corpus cannot be used for a run."""

    exit_code = 3


class UngreetedError(HarnessError):
    """The target did not answer `hello`; the message has several lines and is escaped."""

    def show(self, file: Any = None) -> None:
        """Write the message to stderr, line by line."""
        # The line ends of `message` are escaped for all commands.
        click.echo(f"cogwire: {self.args[0]}", file=file, err=True)


def not_run(command: Sequence[str], problem: TargetError) -> HarnessError:
    """Return the error of a command that cannot be run, or is not an adapter."""
    if not isinstance(problem, NoAdapterError):
        return HarnessError(f"{command[0]}: {problem}")
    message = f"""{on_a_line(command[0])}: no answer to `hello`
  started   {on_a_line(shlex.join(command))}
  expected  one line of JSON on standard output that answers `hello` (ad-hello-reply), such as
            {_GREETING}
  received  {on_a_line(problem.instead)}
{_TEMPLATES}"""
    return UngreetedError(message)


_GREETING: Final = (
    '{"id": ID OF THE REQUEST, "protocol": 1, "name": "mine", "version": "1", "language": "ruby", '
    '"offset_unit": "codepoint", "ops": ["parse"], "dialects": {"xml-json": []}}'
)
_TEMPLATES: Final = (
    "Adapters to copy are in the folder conformance/adapters of the repository (Go, JavaScript and "
    "Rust) and, in Python, in the guide `Test your own parser`, which is in its website/guides"
)


#: A command that says of what it cannot use that it is misuse.
Testing: Final = refusing(corpus.UnusableError, click.UsageError)


def seconds_option(flag: str, to: str, help_: str) -> Callable[[common.Command], common.Command]:
    """Return the option for a time, which is the member `to` of a `Patience`."""
    kind, default = click.FloatRange(min=0.001), getattr(Patience, to)
    return click.option(
        flag, to, metavar="SECONDS", type=kind, default=default, show_default=True, help=help_
    )


#: The options that say how long something may take.
lasting: Final = adding(
    seconds_option(
        "--timeout",
        "reply",
        "How long one reply may take; the first may take two minutes, and requests of megabytes "
        "may take longer.",
    ),
    seconds_option("--time-limit", "run", "How long the whole run may take."),
)


def _ids(member: str | None = None) -> Named:
    """Return a type that completes the ids of the cases, or those that a member of cases lists."""

    def known(ctx: click.Context) -> Collection[str]:
        cases = corpus.load(ctx.params.get("place") or corpus.PLACE)
        if member is None:
            return [case.id for case in cases]
        return sorted({name for case in cases for name in case.data[member]})

    return Named(known)


CASE: Final = _ids()
CLAUSE: Final = _ids("clauses")
TAG: Final = _ids("flags")
#: Whatever has a name.
EXPLAINED: Final = Named(
    lambda ctx: [name for each in (CASE, CLAUSE, TAG) for name in each.known(ctx)]
)


def _several(flag: str, to: str, help_: str, kind: Any, metavar: str | None = None) -> Any:
    return click.option(flag, to, type=kind, metavar=metavar, help=help_, multiple=True)


_LACKING: Final = "Leave out the cases that need this ability."
#: The options that choose cases.
selecting: Final = adding(
    _several(
        "--dialect",
        "dialects",
        "Only the cases of this dialect; by default all. `conformance format` tests a format.",
        click.Choice(dialect_names()),
    ),
    _several("--op", "ops", "Only the cases of this op; by default all.", click.Choice(OPS)),
    _several("--case", "cases", "An id, or a pattern such as 'xml-json-*'.", CASE, "ID"),
    _several("--clause", "clauses", "A clause that the case tests, or a pattern.", CLAUSE, "ID"),
    _several("--tag", "tags", "A class of bugs that the case finds, or a pattern.", TAG, "FLAG"),
    _several("--without", "without", _LACKING, click.Choice(ABILITIES)),
)


def seed_option(what: str) -> Callable[[common.Command], common.Command]:
    """Return the option for a seed; `what` is its help: what is drawn, and the default."""
    return click.option("--seed", metavar="N", type=int, help=f"The seed of {what}")


#: Nobody can know beforehand what a run without it asks for.
random_seed_option: Final = seed_option(
    "what is drawn at random; by default that of the report of --failed, or another one each time."
)

jobs_option: Final = common.jobs_option(
    min(os.cpu_count() or 1, 4), "a few", "How many processes of the target share the cases."
)


class _Corpus(click.Path):
    """A folder with a corpus, or the version of one that is here, such as 1.0."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_version = isinstance(value, str) and re.fullmatch(r"[0-9]+(\.[0-9]+){0,2}", value)
        if not is_version or Path(value).is_dir():
            return super().convert(value, param, ctx)
        try:
            return corpus.of_version(value)
        except corpus.UnusableError as problem:
            self.fail(str(problem), param, ctx)


corpus_option: Final = click.option(
    "--corpus",
    "place",
    metavar="DIR|VERSION",
    type=_Corpus(exists=True, file_okay=False, path_type=Path),
    default=corpus.PLACE,
    help="A copy of the corpus, or a version in the package, such as 1.0; by default the newest.",
)


as_claimed_option: Final = click.option(
    "--as-claimed",
    is_flag=True,
    help="Leave out what the target does not claim, and what it says it lacks.",
)
failed_option: Final = file_option(
    "--failed",
    "failed",
    "Run only what does not pass in this report, which may be of an interrupted run, with its "
    "seed.",
)
baseline_option: Final = file_option(
    "--baseline",
    "baseline_file",
    "What is known not to pass, in TOML: `cogwire conformance report --format baseline`.",
)

#: The program that is tested, with its arguments.
command_argument: Final = click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)

first_option: Final = common.number_option(
    "--first", "How many groups of failures are shown with an example.", default=5, least=0
)


report_option: Final = file_option(
    "--report", "report_file", "Write the report as JSON Lines; - is stdout.", OUTPUT_OR_DASH
)

#: The options that say what is written.
writing: Final = adding(
    report_option,
    file_option("--junit", "junit_file", "Write JUnit XML.", OUTPUT),
    file_option("--html", "html_file", "Write a self-contained page.", OUTPUT),
    file_option("--badge", "badge_file", "Write an SVG badge.", OUTPUT),
    first_option,
)


def _shard(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Return the part and the number of parts that a value such as 2/5 names."""
    if value is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]*)/([1-9][0-9]*)", value)
    if found is None or int(found[1]) > int(found[2]):
        raise click.BadParameter("a part is named as 2/5, the second of five")
    return int(found[1]), int(found[2])


def dividing(
    noun: str, first: str, failed: Callable[[common.Command], common.Command] = failed_option
) -> Callable[[common.Command], common.Command]:
    """Return the options that run a part of what is selected: of so many of what the noun names.

    `first` says with which failure `--fail-fast` ends, and `failed` is the option for what is run
    again.
    """
    shares = f"Run one of M parts of the {noun}, such as 2/5, so that M machines share them."
    return adding(
        failed,
        click.option("--shard", metavar="N/M", callback=_shard, help=shares),
        click.option("--fail-fast", is_flag=True, help=f"End with the first {first}."),
    )


def gathered(**kinds: type[Any]) -> Callable[[common.Command], common.Command]:
    """Return a decorator that passes options as objects of the classes whose fields they are."""

    def gather(command: common.Command) -> common.Command:
        @wraps(command)
        def gathering(**given: Any) -> Any:
            for name, kind in kinds.items():
                those = [each.name for each in fields(kind) if each.name in given]
                given[name] = kind(**{each: given.pop(each) for each in those})
            return command(**given)

        return gathering

    return gather


@dataclass(frozen=True)
class SelectedPart:
    """Which part of the selected cases or texts is run."""

    #: A report, or a folder with those of several adapters: what passes in it is left out.
    failed: Path | None = None
    #: Which of how many parts.
    shard: tuple[int, int] | None = None
    #: Whether the first failure ends the run.
    fail_fast: bool = False
    #: The seed that is given.
    seed: int | None = None

    @property
    def named(self) -> dict[str, list[str]]:
        """The part in the form of a report's selection."""
        return {
            "failed": [str(self.failed)] if self.failed else [],
            "shard": ["{}/{}".format(*self.shard)] if self.shard else [],
        }

    def seed_of_run(self, usual: int | None = None) -> int:
        """Return the given seed, or else that of the report, or else the default.

        Where there is no usual one either, it is not known beforehand.
        """
        if self.seed is not None:
            return self.seed
        if self.failed is not None:
            return int(text_reports.load(self.failed, is_whole=False).run.get("seed", 0))
        return time.time_ns() % 1_000_000 if usual is None else usual

    def of(
        self, cases: list[_T], subject: str, name: Callable[[_T], str] = lambda case: case.id
    ) -> list[_T]:
        """Return those of the cases that failed in the report, and of them one part of several.

        `name` returns what a report on this subject calls a case.

        Raises:
            NothingLeftError: there are none.
            UnusableError: the report is not on this subject.
        """
        if self.failed is not None:
            names = text_reports.failing(self.failed, subject)
            cases = [case for case in cases if name(case) in names]
        if self.shard is not None:
            cases = cases[self.shard[0] - 1 :: self.shard[1]]
        if not cases:
            raise corpus.NothingLeftError("nothing is selected: no case is in this part")
        return cases


def loaded(place: Path, *, with_fresh: bool = False) -> list[corpus.Case]:
    """Return the cases of a corpus, and fresh ones if asked; raises `HarnessError`."""
    with trouble("", corpus.UnusableError, kind=HarnessError):
        cases = corpus.load(place)
    return [*cases, *fresh.cases(cases)] if with_fresh else cases
