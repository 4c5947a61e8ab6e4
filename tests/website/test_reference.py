"""The reference has every public thing once, with a text.

What there is to document is asked of the imported library; the pages are made of its sources.  The
build of the site checks where their links lead.
"""

import dataclasses
import functools
import inspect
import re
import typing

import click
import pytest

import cogwire
from cogwire import aio, tooling
from cogwire.wire.dialects import dialect_names
from cogwire_kit.cli.main import cli
from website import reference

HEADING = re.compile(r"^#{2,} .*\{ #([^ }]+) \}$", re.MULTILINE)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the pages, by name."""
    folder = tmp_path_factory.mktemp("site")
    reference.write(folder)
    written = (folder / "library" / "reference").glob("*.md")
    return {path.name: path.read_text("utf-8") for path in written}


@pytest.fixture(scope="module")
def texts(pages):
    """Return the text below each anchor."""
    return dict(pair for text in pages.values() for pair in entries(text))


def entries(text):
    """Yield the anchors of a page, each with the text below it, up to the next one."""
    found = list(HEADING.finditer(text))
    ends = [heading.start() for heading in found[1:]] + [len(text)]
    for heading, end in zip(found, ends[: len(found)], strict=True):
        yield heading[1], text[heading.end() : end]


def members(cls):
    """Yield the public names that a class declares, and those of its private bases."""
    for base in cls.__bases__:
        if base.__module__ == cls.__module__ and base.__name__.startswith("_"):
            yield from members(base)
    yield from (name for name in vars(cls) if not name.startswith("_"))
    yield from (name for name in inspect.get_annotations(cls) if not name.startswith("_"))
    yield from getattr(cls, "_fields", ())
    if "__init__" in vars(cls) and not dataclasses.is_dataclass(cls):
        source = inspect.getsource(cls.__init__)
        yield from re.findall(r"self\.([a-z]\w*)\b[^=\n]*= ", source)


def public():
    """Return the qualified names that the reference has to have."""
    here = [name for name in vars(aio) if not name.startswith("_")]
    ours = [name for name in here if getattr(getattr(aio, name), "__module__", "") == aio.__name__]
    names = {"cogwire.aio.Tool", "cogwire.aio.OnOutcome"}
    for module, those in (cogwire, cogwire.__all__), (tooling, tooling.__all__), (aio, ours):
        for name in those:
            thing = getattr(module, name)
            names.add(f"{module.__name__}.{name}")
            if inspect.isclass(thing):
                names |= {f"{module.__name__}.{name}.{member}" for member in members(thing)}
    return names


def named(name):
    """Return what has a qualified name; fields have none."""
    thing = cogwire
    for part in name.split(".")[1:]:
        thing = getattr(thing, part, None)
    return thing


def test_every_public_name_and_member_is_in_it_once(pages):
    # Each of these is declared in another way.
    assert {
        "cogwire.Parser.feed",
        "cogwire.Parser.state",
        "cogwire.Parser.restore",
        "cogwire.Limits.depth",
        "cogwire.Checked.problems",
        "cogwire.Problem.path",
        "cogwire.RenderError.reason",
        "cogwire.EventStream.pending",
        "cogwire.Toolset.dialect",
        "cogwire.Event",
        "cogwire.aio.run",
    } <= public()
    there = [[anchor for anchor, _ in entries(text)] for text in pages.values()]
    ours = [anchor for page in there for anchor in page if anchor.startswith("cogwire.")]
    assert sorted(ours) == sorted(public())
    assert all(len(set(page)) == len(page) for page in there)


def test_the_index_names_every_dialect_and_a_format(pages):
    named, _, _ = pages["index.md"].partition("\n## ")
    assert set(re.findall(r"`([a-z][\w.-]*)`", named)) == {*dialect_names(), "hermes"}


def test_every_entry_has_text_and_names_nothing_private(pages):
    """Beside its signature, its type and its links."""
    for name, text in pages.items():
        assert not re.findall(r"(?<![\w`'/-])_[A-Za-z]\w*", text), name
        for anchor, entry in entries(text):
            prose = re.sub(r"^```.*?^```$", "", entry, flags=re.DOTALL | re.MULTILINE)
            prose = re.sub(
                r"^(Type: |See |In the specification: ).*$", "", prose, flags=re.MULTILINE
            )
            assert re.search(r"\w{2,}", prose), (name, anchor)


def test_every_entry_has_its_docstring(texts):
    for name in public():
        thing = named(name)
        if inspect.isclass(thing) or inspect.isroutine(thing) or isinstance(thing, property):
            first = inspect.getdoc(thing).partition("\n\n")[0]
            assert plain(first) in plain(texts[name]), name


def plain(text):
    """Return a text without line ends and links."""
    return " ".join(re.sub(r"\[(`\w+`)\]\([^)]*\)", r"\1", text).split())


def test_a_signature_is_that_of_the_function(texts):
    """The names of the parameters, in their order, and those that are given by name alone."""
    for name in public():
        thing = named(name)
        if not inspect.isroutine(thing) or isinstance(thing, functools.cached_property):
            continue
        shown = re.search(r"^```python\n(.*?)^```$", texts[name], re.DOTALL | re.MULTILINE)[1]
        parameters = re.findall(r"(?:\(|, |^ {4})(\*{0,2}\w*)(?=[:,)])", shown, re.MULTILINE)
        expected = []
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and "*" not in expected:
                expected.append("*")
            stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
                parameter.kind, ""
            )
            expected.append(f"{stars}{parameter.name}")
        wanted = [one for one in expected if one != "self"]
        assert [one for one in parameters if one] == wanted, name


def test_every_type_of_event_has_its_fields_and_every_code_its_link(texts):
    codes = re.findall(r"errors\.md#err-([\w-]+)\)", texts["event-code"])
    kinds = {}
    for event in typing.get_args(cogwire.Event):
        (kind,) = typing.get_args(typing.get_type_hints(event)["type"])
        kinds[kind] = typing.get_type_hints(event)
        fields = set(kinds[kind]) - {"type", "timestamp", "raw", "span", "id"}
        shown = re.findall(
            r"^\| `(\w+)` \| .* \| (yes|no) \| (.+) \|$", texts[f"event-{kind}"], re.MULTILINE
        )
        assert {field for field, _, _ in shown} == fields, kind
        always = {field for field, always, _ in shown if always == "yes"}
        assert always == event.__required_keys__ & fields
    assert tuple(codes) == typing.get_args(kinds["error"]["code"])


def test_a_group_that_is_not_there_any_more_is_an_error(monkeypatch, tmp_path):
    group = reference.GROUPS[0]._replace(names=("Gone",))
    monkeypatch.setattr(reference, "GROUPS", (group,))
    with pytest.raises(KeyError, match="Gone"):
        reference.write(tmp_path)


# --- The command line -----------------------------------------------------------------------------


def commands(context):
    """Yield the contexts of all commands."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            below = context.command.get_command(context, name)
            yield from commands(click.Context(below, info_name=name, parent=context))


def test_the_page_of_the_command_line_has_every_command_and_option(pages):
    texts = dict(entries(pages["cli.md"]))
    found = list(commands(click.Context(cli, info_name="cogwire")))
    assert set(texts) == {context.command_path.replace(" ", "-") for context in found}
    assert "cogwire-conformance-run" in texts
    for context in found:
        entry = texts[context.command_path.replace(" ", "-")]
        for parameter in context.command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                listed = re.search(rf"^- `[^`]*{re.escape(option)}\b", entry, re.MULTILINE)
                assert listed, (context.command_path, option)
        first = re.split(r"\n\s*\n", context.command.help)[0]
        words = re.findall(r"[A-Za-z]{3,}", first)
        assert words == re.findall(r"[A-Za-z]{3,}", entry.strip().partition("\n\n")[0])
