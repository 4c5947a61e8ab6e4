"""The reference has every public thing once, with a text and a signature.

What there is to document is asked of the imported library, and looked for in the built site.
"""

import dataclasses
import inspect
import re
import typing

import click
import lxml.html
import pytest

import cogwire
from cogwire import aio, events, tooling
from cogwire_kit.cli.main import cli
from tests.website.conftest import SITE
from website import reference


@pytest.fixture(scope="module")
def entries():
    """Return the parts of pages that have an entry and its members, by the anchor of the entry."""
    found = {}
    for path in sorted((SITE / "library" / "reference").glob("*.html")):
        page = lxml.html.parse(path).getroot()
        for part in page.find_class("doc-object"):
            for heading in part.xpath("./*[contains(@class, 'doc-heading')]"):
                assert heading.get("id") not in found, "it is there twice"
                found[heading.get("id")] = part
    return found


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


def text_of(part):
    """Return the text of an entry, on one line."""
    return " ".join(part.text_content().split())


def test_every_public_name_and_member_is_in_it_once(entries):
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
    assert {name for name in entries if not name.startswith("cogwire.events.")} == public()


def test_every_entry_has_its_docstring(entries):
    for name, part in entries.items():
        (contents,) = part.xpath("./div[contains(@class, 'doc-contents')]")
        thing = named(name)
        if name != "cogwire.Event" and thing is not events._Common:
            assert contents.xpath("./p"), name
        if inspect.isclass(thing) or inspect.isroutine(thing) or isinstance(thing, property):
            first = re.sub(r"[`*]", "", (thing.__doc__ or "").partition("\n\n")[0])
            assert " ".join(first.split()) in text_of(contents), name


def test_a_signature_is_that_of_the_function_and_names_nothing_private(entries):
    for name, part in entries.items():
        shown = "".join(
            text_of(code) for code in part.xpath("./div[contains(@class, 'signature')]")
        )
        assert not re.search(r"(?<![\w`'/-])_[A-Za-z]\w*", shown), name
        if inspect.isfunction(thing := getattr(named(name), "__func__", named(name))):
            parameters = [
                one for one in inspect.signature(thing).parameters if one not in {"self", "cls"}
            ]
            assert re.findall(r"(?:[(,*] ?|\*\*)(\w+)(?=: )", shown) == parameters, name


def test_every_type_of_event_has_its_fields_and_every_code_its_link(entries):
    for event in (*typing.get_args(cogwire.Event), events.CallDeltaEvent):
        name = f"cogwire.events.{event.__name__}"
        shown = {one.removeprefix(f"{name}.") for one in entries if one.startswith(f"{name}.")}
        fields = set(typing.get_type_hints(event)) - {"type", "timestamp", "raw", "span", "id"}
        assert shown == fields, name
        for field in fields:
            is_optional = "NotRequired" in text_of(entries[f"{name}.{field}"])
            assert is_optional == (field in event.__optional_keys__), field
    page = lxml.html.parse(SITE / "library" / "reference" / "events.html").getroot()
    links = [link.get("href") for link in page.xpath("//h2[@id='cogwire.events.Code']/..//a")]
    codes = [
        code for link in links for code in re.findall(r"errors\.html#err-([\w-]+)$", link or "")
    ]
    assert codes == list(typing.get_args(events.Code))


# --- The command line -----------------------------------------------------------------------------


def commands(context):
    """Yield the contexts of all commands."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            below = context.command.get_command(context, name)
            yield from commands(click.Context(below, info_name=name, parent=context))


def test_the_page_of_the_command_line_has_every_command_and_option(tmp_path):
    reference.write(tmp_path)
    page = (tmp_path / "library" / "reference" / "cli.md").read_text("utf-8")
    _, *parts = re.split(r"^## .*\{ #([^ }]+) \}$", page, flags=re.MULTILINE)
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
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
