# SPDX-License-Identifier: MIT
"""`cogwire lint`: what is wrong with transcripts, stored messages and events."""

import json
import sys
from codecs import BOM_UTF8
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final

import click

from cogwire import Limits, Toolset
from cogwire.tooling import Start
from cogwire_kit.bulk.workers import KILLED, WorkerKilledError, unordered
from cogwire_kit.cli.files import (
    TEXTS,
    TroubleError,
    keep_files,
    misuse,
    notify,
    opened,
    progress,
    say,
    searched,
    tools_in,
)
from cogwire_kit.cli.options import (
    OUTPUT,
    Named,
    check_start,
    color_option,
    dialect_option,
    exit_codes,
    file_option,
    format_option,
    input_option,
    is_coloured,
    is_given,
    jobs_option,
    turn_start_option,
)
from cogwire_kit.lint import output
from cogwire_kit.lint.examples import EXAMPLES, RECORD
from cogwire_kit.lint.files import fix_file, lint_file
from cogwire_kit.lint.findings import Finding, Tally
from cogwire_kit.lint.records import LintOptions
from cogwire_kit.lint.resuming import Kept, keep, kept
from cogwire_kit.lint.rules import GROUPS, RULES, rules_named
from cogwire_kit.lint.settings import (
    Baseline,
    Settings,
    SettingsError,
    is_baseline,
    settings_for,
)
from cogwire_kit.saving import opened_text
from cogwire_kit.texts.dialects import AUTO
from cogwire_kit.texts.notices import READ_MARK, SKIPPED_MARK, look_alikes, unrecognised
from cogwire_kit.texts.rows import SUFFIXES, FileError, Kind, kind_of, unpacked
from cogwire_kit.texts.words import counted, visible

_EXAMPLES: Final = """\b
Examples:
  cogwire lint log.txt
  cogwire lint logs/
  cogwire lint --statistics data/*.jsonl
  cogwire lint -j 8 --resume .lint data/ > findings.txt
  cogwire lint --tools tools.json --select errors --format sarif data.jsonl > findings.sarif
  cogwire lint --fix new.txt log.txt
  cogwire lint --explain near-marker
  cogwire lint --explain all""" + exit_codes(
    {
        0: "nothing was found, or --exit-zero was given",
        1: "something was found",
        2: "wrong usage, or input that cannot be read, or fits several dialects",
    }
)

#: How much of a line of an example is shown.
_WIDTH: Final = 400
_RULE: Final = Named(lambda _: [*RULES, *GROUPS])


def _rules(names: tuple[str, ...]) -> frozenset[str]:
    """Return the rules that an option names, or raise `UsageError`."""
    with misuse("", ValueError):
        return rules_named(names)


def _toolset(file: Path | None, tools: bytes, dialect: str) -> Toolset | None:
    """Return the tools that a file has: a list of definitions, or an object with `tools`."""
    if file is None:
        return None
    with misuse(f"--tools {file}", ValueError, TypeError):
        return Toolset(tools_in(tools), "xml-json" if dialect == AUTO else dialect)


def _found(
    dialects: dict[str, str],
    kind: Kind | None,
    options: LintOptions,
    tally: Tally,
    jobs: int,
    *,
    kept_in: Kept | None,
) -> Iterator[output.Found]:
    """Yield the findings of all files, each of a dialect, in their order.

    A terminal shows how far this is.  What is kept of a file is not looked for again.
    """
    files = list(dialects)
    by_file = {file: options._replace(dialect=name) for file, name in dialects.items()}
    sizes = {file: Path(file).stat().st_size if file != "-" else 0 for file in files}
    with progress("reading", sum(sizes.values())) as show:
        # Another process has no standard input.
        if "-" in files or (kept_in is None and 1 in (jobs, len(files))):
            for file in files:
                for each in _of_file(file, kind, by_file[file], tally, lambda n: show(advance=n)):
                    yield file, each
                notify(file, tally.notes)
                tally.notes.clear()
            return
        places = {file: kept_in and kept_in.place(file, name) for file, name in dialects.items()}
        known = {file: place for file, place in places.items() if place and place.exists()}
        tasks = ((e, (e, kind, by_file[e], places[e])) for e in files if e not in known)
        held: dict[str, tuple[list[Finding], Tally]] = {}
        waiting = deque(files)

        def in_order() -> Iterator[output.Found]:
            while waiting and (waiting[0] in held or waiting[0] in known):
                file = waiting.popleft()
                done = held.pop(file) if file in held else kept(known[file])
                done = done or _whole_file(file, kind, by_file[file], known[file])
                yield from _of_done(file, *done, tally)

        show(advance=sum(sizes[file] for file in known))
        yield from in_order()
        try:
            for file, found in unordered(jobs, _whole_file, tasks):
                held[file] = found
                show(advance=sizes[file])
                yield from in_order()
        except WorkerKilledError:
            hint = "; the same command continues" if kept_in else ""
            raise TroubleError(f"{KILLED}; fewer --jobs need less{hint}") from None


def _of_done(file: str, found: list[Finding], read: Tally, tally: Tally) -> Iterator[output.Found]:
    """Yield what was found in a file, and count what was read of it."""
    tally.add(read)
    notify(file, read.notes)
    yield from ((file, each) for each in found)


def _of_file(
    file: str,
    kind: Kind | None,
    options: LintOptions,
    tally: Tally,
    advance: Callable[[int], object] = id,
) -> Iterator[Finding]:
    """Yield the findings of a file, and count it as read or not, with notes about it."""
    read_as = kind or kind_of(file)
    try:
        with (
            opened(file) as descriptor,
            open(descriptor, "rb", closefd=False) as stream,
            unpacked(stream, file) as plain,
        ):
            if stream.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
                tally.notes.append(READ_MARK if read_as == "text" else SKIPPED_MARK)
            yield from lint_file(plain, read_as, options._replace(tally=tally), advance)
        tally.files += 1
    except FileError as problem:
        tally.unread += 1
        tally.notes.append(str(problem))
    tally.notes += look_alikes(options.dialect, tally.look_alikes)
    tally.look_alikes.clear()


def _whole_file(
    file: str, kind: Kind | None, options: LintOptions, place: Path | None
) -> tuple[list[Finding], Tally]:
    """Return the findings of a file and what was read of it, in a process beside this one."""
    tally = Tally()
    found = list(_of_file(file, kind, options, tally))
    keep(place, found, tally)
    return found, tally


@click.command(epilog=_EXAMPLES, short_help="Find what is wrong with transcripts and data sets.")
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(exists=True, allow_dash=True))
@dialect_option
@turn_start_option
@input_option
@click.option(
    "--column",
    help="The column of a data set that has the transcripts, messages or events; by default each "
    "that has some.",
)
@file_option("--tools", "tools_file", "Check each call against the schemas of these tools.")
@click.option(
    "--select",
    metavar="RULES",
    type=_RULE,
    multiple=True,
    help="Only these rules: ids, errors, warnings, notes or all, with commas between. "
    "[default: errors,warnings]",
)
@click.option("--ignore", metavar="RULES", type=_RULE, multiple=True, help="Not these rules.")
@format_option(
    output.FORMS,
    "For people in full or a line each; for programs JSON Lines, SARIF 2.1.0, the commands of "
    "GitHub's workflows, or JUnit's XML.",
)
@color_option
@file_option(
    "--baseline",
    "baseline_file",
    "Leave out the findings in FILE, which --write-baseline wrote.",
    click.Path(dir_okay=False, path_type=Path),
)
@file_option(
    "--write-baseline",
    "new_baseline",
    "Write all findings to FILE, as known from now on, and exit with 0.",
    OUTPUT,
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if something was found.")
@jobs_option(1, "1", "How many processes share the files; cogwire bulk shares one file.")
@click.option(
    "--resume",
    "kept_in",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep in FOLDER what was found in each file, so that the same command continues where "
    "it was stopped; a file that has changed is read again.",
)
@click.option("--statistics", is_flag=True, help="Write only how many findings each rule has.")
@click.option(
    "--fix",
    "fixed_file",
    metavar="NEW",
    type=OUTPUT,
    help="Write a copy of the one FILE to NEW, in which markers in prose are literal, and what was "
    "changed to NEW.report.jsonl.",
)
@click.option(
    "--explain",
    metavar="RULES",
    type=_RULE,
    help="Say what a rule is about, or list those of a group such as all, and exit.",
)
def lint(
    *,
    files: tuple[str, ...],
    dialect: str,
    start: Start,
    kind: Kind | None,
    column: str | None,
    tools_file: Path | None,
    form: str,
    color: str,
    fixed_file: Path | None,
    explain: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exit_zero: bool,
    statistics: bool,
    jobs: int,
    kept_in: Path | None,
    baseline_file: Path | None,
    new_baseline: Path | None,
) -> int:
    """Find what is wrong with transcripts, and with the messages and events of data sets.

    Each FILE is a transcript or, if its name says so, JSON, JSON Lines or Parquet; or a folder,
    which is searched for such files, and for transcripts called .txt or .log.  A record has
    `messages` (OpenAI's, Anthropic's, or plain text in a dialect), `conversations` (ShareGPT),
    `events` or `text`; a file may also be a history with an event on each line.  No file is ever
    changed: --fix writes another one.
    """
    if explain is not None:
        _explain(explain, form)
        return 0
    if not files:
        raise click.UsageError("name a file, or - for standard input")
    before = _to_fix(files) if fixed_file is not None else b""
    settings, baseline = _settings(baseline_file, new_baseline)
    files = _searched(files, kind, (baseline_file, new_baseline, settings.baseline))
    keep_files(files, write_baseline=new_baseline, fix=fixed_file and _report_of(fixed_file))
    is_chosen = _chosen(select or settings.select or ("errors", "warnings"), ignore, settings)
    tally = Tally()
    start = start if is_given("start") else settings.start
    by_file = _dialects(files, dialect, settings, start)
    tools = tools_file.read_bytes() if tools_file else b""
    options = LintOptions(dialect, _toolset(tools_file, tools, dialect), column=column, start=start)
    known = Kept(kept_in, kind, tools.hex(), column, start) if kept_in else None
    every = _found(by_file, kind, options, tally, jobs, kept_in=known)
    found = filter(lambda one: is_chosen(one) and baseline.is_new(*one), every)
    if fixed_file is not None:
        read_as = kind or kind_of(files[0])
        found = filter(None, _fix(files[0], before, fixed_file, read_as, list(found)))
    if new_baseline is not None:
        known_now = counted(sum(1 for _ in found), "problem")
        baseline.write(new_baseline)
        notify(str(new_baseline), [f"{known_now} known from now on"])
        return 2 if tally.unread else 0
    write = output.writer(form, coloured=is_coloured(color))
    count = _write(found, form, tally, is_count=statistics, write=write)
    if tally.is_unrecognised and tally.strange is not None and not count:
        say(unrecognised(tally.unrecognised, tally.strange))
    return 2 if tally.unread else 1 if count and not exit_zero else 0


def _searched(
    names: tuple[str, ...], kind: Kind | None, baselines: Collection[Path | None]
) -> tuple[str, ...]:
    """Return the files that are named, and those in folders, but for these baselines."""
    endings = None if kind else SUFFIXES.keys() | TEXTS
    own = {name.resolve() for name in baselines if name is not None}
    return tuple(
        file
        for file, folder in searched(names, endings)
        if not (folder and Path(file).resolve() in own and is_baseline(Path(file)))
    )


def _settings(known: Path | None, new: Path | None) -> tuple[Settings, Baseline]:
    """Return the settings of the project, and the findings that are known."""
    with misuse("", SettingsError):
        settings = settings_for(Path())
        known = known or settings.baseline
        if new is None and known is not None:
            return settings, Baseline.read(known)
        return settings, Baseline(new and new.parent)


def _chosen(
    select: tuple[str, ...], ignore: tuple[str, ...], settings: Settings
) -> Callable[[output.Found], bool]:
    """Return whether a finding is of a rule that is asked for in its file."""
    rules = _rules(select) - _rules(ignore) - rules_named(settings.ignore)
    per_file: dict[str, frozenset[str]] = {}

    def is_chosen(found: output.Found) -> bool:
        file, each = found
        if file not in per_file:
            per_file[file] = rules - rules_named(settings.ignored(file))
        return each.rule in per_file[file]

    return is_chosen


def _dialects(
    files: tuple[str, ...], dialect: str, settings: Settings, start: Start
) -> dict[str, str]:
    """Return the dialect of each file: that of the option, or else that of the settings."""
    is_named = is_given("dialect")
    named = {file: dialect if is_named else settings.dialect(file) or dialect for file in files}
    place = "--start" if is_given("start") else "tool.cogwire.lint: start"
    for name in {*named.values()}:
        check_start(start, name, place)
    return named


def _report_of(new: Path) -> Path:
    """Return the file that says what was changed in the copy `new`."""
    return Path(f"{new}.report.jsonl")


def _to_fix(files: Collection[str]) -> bytes:
    """Return what the one file has in which something is fixed, or raise `UsageError`."""
    (file, *others) = files
    if others or file == "-" or not Path(file).is_file():
        raise click.UsageError("--fix takes one file, which is no pipe and no folder")
    return Path(file).read_bytes()


def _fix(
    file: str, before: bytes, new: Path, kind: Kind, found: list[output.Found]
) -> list[output.Found]:
    """Write what was changed in what a file had `before`, and return the findings that remain."""
    with misuse(file, FileError):
        if Path(file).read_bytes() != before:
            raise FileError("it was written while it was read; run the same command again")
        changed = fix_file(Path(file), new, kind, [each for _, each in found])
    try:
        with opened_text(_report_of(new)) as report:
            output.write_jsonl(((file, each) for each in changed), report)
    except BaseException:
        for each in (new, _report_of(new)):
            each.unlink(missing_ok=True)  # the same command writes both again
        raise
    say(f"{new}: {counted(len(changed), 'place')} changed; see {_report_of(new)}")
    done = {id(each) for each in changed}
    return [(name, each) for name, each in found if id(each) not in done]


def _write(
    found: Iterator[output.Found], form: str, read: Tally, *, is_count: bool, write: output.Write
) -> int:
    """Write the findings, and return how many there are."""
    if sys.stdout.isatty():
        found = iter(list(found))  # the bar is over before the first of them is shown
    counts: Counter[str] = Counter()
    fixable = 0

    def counted() -> Iterator[output.Found]:
        nonlocal fixable
        for one in found:
            counts[one[1].rule] += 1
            fixable += one[1].replacement is not None
            yield one

    if is_count:
        deque(counted(), maxlen=0)
        _write_counts(counts, form)
        return counts.total()
    write(counted(), sys.stdout)
    if form in ("full", "concise"):
        click.echo(_summary(counts.total(), fixable, read))
    return counts.total()


def _write_counts(counts: Counter[str], form: str) -> None:
    if form in ("jsonl", "sarif"):
        for rule, count in counts.most_common():
            click.echo(json.dumps({"rule": rule, "count": count}))
        return
    for line in output.statistics(counts):
        click.echo(line)


def _summary(count: int, fixable: int, read: Tally) -> str:
    if not count:
        if read.unread and not read.files:
            return "Nothing could be read."
        passed = "Nothing was found in what could be read." if read.unread else "All checks passed!"
        is_nothing = read.is_unrecognised or not (read.records or read.characters or read.unread)
        return f"{'Nothing was found.' if is_nothing else passed} Read {read}."
    escaped = counted(fixable, "of them is", "of them are")
    more = f"; --fix NEW writes a copy in which {escaped} escaped" if fixable else ""
    if fixable and read.files + read.unread > 1:
        more = f"; {fixable:,} can be escaped by --fix NEW, one file at a time"
    return f"Found {counted(count, 'problem')}{more}. Read {read}."


def _explain(named_rule: str, form: str) -> None:
    """Write what rules are about: one in full, several in a line each, and all for programs."""
    named = _rules((named_rule,))
    rules = [name for name in RULES if name in named]
    width = max(map(len, rules))
    for name in rules:
        rule = RULES[name]
        if form in ("jsonl", "sarif"):
            about = {"rule": name, "severity": rule.severity, "summary": rule.summary}
            click.echo(json.dumps({**about, "help": rule.help}, ensure_ascii=False))
        else:
            line = f"{name:<{width}}  {rule.severity:<7}  {rule.summary}"
            click.echo(line if len(rules) > 1 else _explained(name))


def _explained(name: str) -> str:
    rule, example = RULES[name], EXAMPLES[name]
    lines = [f"{name} ({rule.severity})", "", f"{rule.summary[0].upper()}{rule.summary[1:]}."]
    where = "" if example.kind in ("xml-json", RECORD) else f", in {example.kind}"
    if example.limits != Limits():
        (limit,) = (
            (n, v) for n, v in example.limits._asdict().items() if v != Limits()._asdict()[n]
        )
        where = f", with Limits({limit[0]}={limit[1]})"
    lines += ["", rule.help]
    if example.tools:
        lines += ["", "Where this is the tool:", ""]
        lines += [_indented(json.dumps(each, indent=2)) for each in example.tools]
    lines += ["", f"An example with the problem{where}:", "", _indented(example.bad)]
    return "\n".join([*lines, "", "The same without it:", "", _indented(example.good)])


def _indented(text: Any) -> str:
    """Return the lines of a text, the long ones shortened, with a margin."""
    shown = (visible(line) for line in str(text).splitlines())
    return "\n".join(
        f"    {line if len(line) <= _WIDTH else f'{line[:_WIDTH]}… ({len(line):,} characters)'}"
        for line in shown
    )
