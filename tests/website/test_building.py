"""The pages are written so that they say what the corpus and the reports say."""

import base64
import importlib.util
import json
import re
import sys
import zlib
from pathlib import Path
from typing import get_args

import pytest
import rpds
from website.clauses import Clauses, annotated
from website.standing import Implementation, Standing

from cogwire.events import Code
from cogwire_kit.conformance import corpus, fresh, reports
from cogwire_kit.conformance import corpus as kit_clauses
from cogwire_kit.conformance.corpus import Case
from tests.processes import ran
from website import errors, fixtures, links, permalink, results, runtime, text

ROOT = Path(__file__).parents[2]

KNOWN = Clauses(kit_clauses.PAGES, corpus.PLACE)


def case(identity, *clauses, revision=1):
    return Case({"id": identity, "revision": revision, "dialect": "xml-json", "clauses": clauses})


def implementation(name, **verdicts):
    """Return one with a report in which each case, of revision 1, has a verdict."""
    records = [
        {"id": identity, "revision": 1, "verdict": verdict, "properties": {}}
        for identity, verdict in verdicts.items()
    ]
    return Implementation(name, "", False, reports.Report({}, records), ROOT)


def test_the_markdown_of_a_text_renders_as_the_text():
    assert text.escaped("a *b* <i>") == "a &#42;b&#42; &#60;i&#62;"
    assert text.prose("Not <b>, but `<b>`.") == "Not &#60;b&#62;, but `<b>`."
    assert text.code("a|`") == "<code>a&#124;&#96;</code>"
    assert text.fence("```\n\x00") == "````text\n```\n\\u0000\n````"
    assert text.fence("x" * 4000).endswith("…\n\n(4,000 characters in all)\n```")


def test_a_link_of_a_chapter_is_moved_with_its_text():
    markdown = "[a](model.md#b), [c](#d) and [e](https://example.org/f.md)"
    moved = links.moved(markdown, "results.md", "cases/x/")
    assert moved == (
        "[a](../../spec/model.md#b), [c](../../spec/results.md#d) and [e](https://example.org/f.md)"
    )


def test_a_guide_has_the_section_of_readme_that_it_links_to():
    guide = ROOT / "website" / "guides" / "why.md"
    link = "[It](../../README.md#why-not-a-regular-expression)."
    shown = links.of_file(f"## Why?\n\n{link}\n\nSee it.\n", guide, "library/why.md")
    assert shown.startswith("## Why?\n\nBecause of these inputs.")
    assert "[LMDeploy 0.18.0](../formats.md)" in shown
    assert shown.endswith("|\n\nSee it.\n")
    with pytest.raises(KeyError, match="nothing"):
        links.of_file("[It](../../README.md#nothing).", guide, "library/why.md")


def test_who_passes_is_counted_over_what_was_asked():
    cases = [case("a"), case("b"), case("c", revision=2)]
    standing = Standing(
        cases,
        [
            implementation("all", a="pass", b="allowed", c="pass"),
            implementation("some", a="pass", b="late", c="pass"),
            implementation("few", a="unsupported", b="pass"),
            implementation("none", a="unsupported"),
        ],
    )
    # The third case was run in an older revision only.
    assert standing.summary(cases) == ["all, few pass", "some 1 of 2"]


def test_a_clause_gets_a_line_and_its_text_stays():
    page = "A parser MUST jump.\n{: #xj-skip .must }\n\n```text\n{: #x-shown .must }\n```\n"
    standing = Standing([case("a", "xj-skip")], [implementation("one", a="pass")])
    assert annotated(page, standing, KNOWN) == (
        "A parser MUST jump.\n{: #xj-skip .must }\n\n[`xj-skip`](#xj-skip) · [1 case](../matrix.md?words=xj-skip#cases) · one passes\n"
        "{: .tested data-search-exclude }\n\n```text\n{: #x-shown .must }\n```\n"
    )


def test_every_error_code_has_an_entry_and_cases():
    standing = Standing(corpus.load(), [])
    entries = errors.as_data(standing, KNOWN.spec)
    assert sorted(one["code"] for one in entries) == sorted(get_args(Code))
    for one in entries:
        assert one["cause"]
        assert one["cases"]
        assert set(one["clauses"]) <= set(KNOWN.all)


def test_a_permalink_holds_the_case():
    one = Case(
        {"id": "x", "dialect": "delimiter", "input": "§end", "options": {"mode": "transcript"}}
    )
    packed = permalink.of(one).removeprefix("#")
    unpacked = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15)
    assert json.loads(unpacked) == {
        "text": "§end",
        "dialect": "delimiter",
        "stream": "event",
        "mode": "transcript",
    }


def test_a_stored_report_is_of_cases_that_exist():
    cases = corpus.load()
    known = {case.id for case in (*cases, *fresh.cases(cases))}
    stored = sorted((ROOT / "conformance" / "reports").glob("*.jsonl"))
    assert stored
    for path in stored:
        assert {record["id"] for record in reports.read(path).cases} <= known


def test_what_a_parser_claims_names_a_unit_that_is_not_the_protocols():
    target = {"ops": ["parse"], "dialects": {"xml-json": ["token"]}, "lacks": ["path"]}
    claims = "<code>parse</code> in <code>xml-json</code> with <code>token</code>"
    lacks = ", and lacks <code>path</code>"
    told = results._claims({**target, "offset_unit": "codepoint"})
    assert told == f"{claims}{lacks}"
    told = results._claims({**target, "offset_unit": "utf16"})
    assert told == f"{claims}, with offsets in <code>utf16</code>{lacks}"


# --- What the playground runs on ------------------------------------------------------------------


def stand_in():
    """Return the module that replaces rpds in the browser."""
    path = ROOT / "website" / "playground" / "rpds.py"
    spec = importlib.util.spec_from_file_location("rpds_stand_in", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results_of(module, name, steps):
    """Apply the steps to one of the module's collections; return the state after each."""
    made = getattr(module, name)()
    seen = []
    for method, *arguments in steps:
        before = list(made)
        try:
            changed = getattr(made, method)(*arguments)
        except KeyError as problem:
            changed = made
            seen.append(type(problem).__name__)
        assert list(made) == before
        made = changed
        items = sorted(made.items()) if hasattr(made, "items") else list(made)
        seen.append((items if name == "List" else sorted(items), len(made)))
    return seen, made == getattr(module, name)(made), hash(made) == hash(made)


#: The methods that are used of each collection, with what each may be asked.
STEPS = {
    "HashTrieMap": [
        ("insert", "a", 1),
        ("insert", "a", 2),
        ("update", {"a": 3, "b": 3}),
        ("remove", "x"),
        ("remove", "b"),
    ],
    "HashTrieSet": [
        ("insert", "a"),
        ("insert", "a"),
        ("update", ["b"]),
        ("discard", "x"),
        ("discard", "a"),
    ],
    "List": [("push_front", 1), ("push_front", 2)],
}


def test_the_stand_in_does_what_rpds_does():
    for name, steps in STEPS.items():
        assert results_of(stand_in(), name, steps) == results_of(rpds, name, steps)
    for module in (stand_in(), rpds):
        one = module.HashTrieMap({"a": 1}, b=2)
        assert module.HashTrieMap.convert(one) is one
        assert dict(module.HashTrieMap.convert({"a": 1})) == {"a": 1}
        assert one == module.HashTrieMap([("b", 2), ("a", 1)])
        assert one != module.HashTrieMap()
        assert list(module.List([1, 2])) == [1, 2]
        assert module.HashTrieSet(["a"]) == module.HashTrieSet().insert("a")


@pytest.mark.verify
def test_the_reference_of_the_playground_has_every_module_that_it_imports(tmp_path):
    runtime.write(tmp_path)
    script = "import sys; sys.path.insert(0, sys.argv[1]); import cogwire_kit.adapter as it; print(it.__file__)"
    modules = tmp_path / "playground" / "cogwire.zip"
    command = [sys.executable, "-I", "-S", "-c", script, modules]
    done = ran(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(modules))


def test_the_same_files_give_the_same_runtime(tmp_path):
    """The output is reproducible, and small."""
    manifests = []
    for name in ("one", "two"):
        runtime.write(tmp_path / name)
        manifests.append((tmp_path / name / "playground" / "manifest.json").read_text("utf-8"))
    assert manifests[0] == manifests[1]
    files = json.loads(manifests[0])["files"]
    assert files["examples.json"]["compressed"] < 60_000
    assert "pyodide/pyodide.asm.wasm" in files
    assert "javascript/adapter.mjs" not in files


def test_a_missing_interpreter_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "_PYODIDE", tmp_path / "node_modules" / "pyodide")
    with pytest.raises(FileNotFoundError, match="npm ci"):
        runtime.write(tmp_path / "pages")


def test_the_page_of_another_suite_explains_each_fixture_that_is_read_otherwise(tmp_path):
    fixtures.write_page(tmp_path)
    text = (tmp_path / "canitoolcall.md").read_text("utf-8")
    shown = re.findall("^[|] .* [|] ([0-9]+) [|] (.*) [|]$", text, re.MULTILINE)
    assert [int(number) for number, _ in shown] == [names.count("<code>") for _, names in shown]
    read, known = re.search("reads ([0-9]+) of them", text), re.search("([0-9]+) are in", text)
    assert int(read[1]) + sum(int(number) for number, _ in shown) == int(known[1])


def test_every_code_of_the_chapter_has_clauses():
    made = runtime.codes()
    assert len(made["codes"]) == 26
    assert "xe-duplicate-arg" in made["codes"]["duplicate-arg"]
    assert {clause for each in made["codes"].values() for clause in each} <= made["clauses"].keys()
    assert made["clauses"]["xj-skip"] == ["xml-json", "must"]
