# SPDX-License-Identifier: MIT
"""What the playground runs on: its own files, both implementations, and data made for it.

`write` puts it all into the folder `playground` of the pages:

- the files of `website/playground`, and below `javascript` the implementation in JavaScript,
- below `pyodide` the interpreter, as its npm package has it,
- `cogwire.zip`: the reference with what it needs to judge arguments,
- `examples.json`, `codes.json`: the examples menu, and which clauses an error code or a view names,
- `manifest.json`: the size and the digest of every file, and the versions.
"""

import gzip
import hashlib
import importlib.metadata
import json
import re
import shutil
from collections.abc import Iterator
from importlib.metadata import PackagePath
from pathlib import Path
from typing import Any, Final

import cogwire
from cogwire_kit.conformance.corpus import clauses
from website import archive, errors, links

_ROOT: Final = Path(__file__).parents[1]
_SOURCES: Final = _ROOT / "website" / "playground"
_JAVASCRIPT: Final = _ROOT / "conformance" / "adapters" / "javascript"
_PYODIDE: Final = _ROOT / "website" / "node_modules" / "pyodide"
_CASES: Final = _ROOT / "conformance" / "cases"

#: What the browser loads of Pyodide's package.
_INTERPRETER: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
#: What of the kit the reference's end of the adapter protocol consists of.
_KIT: Final = ("__init__.py", "adapter.py", "texts/__init__.py", "texts/dialects.py")
#: What judges arguments.  `rpds`, which they need too, is compiled: rpds.py is in its place.
_PACKAGES: Final = ("attrs", "jsonschema", "jsonschema-specifications", "referencing")
_UNUSED: Final = re.compile(r"/(tests|benchmarks)/|/cli\.py$|\.pyi$|\.pyc$|\.typed$")
_LICENSE: Final = re.compile(r"\.dist-info/licenses/")

#: The fetches of the reference, which the page reports as they go on.
_RUNTIME: Final = ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "cogwire.zip")

_LONGEST_EXAMPLE: Final = 4_000


def write(pages: Path) -> None:
    """Write the playground into `pages`, the folder that mkdocs renders.

    Raises:
        FileNotFoundError: Pyodide's package is not there.
    """
    if not (_PYODIDE / "package.json").is_file():
        raise FileNotFoundError(f"{_PYODIDE} is missing: run `npm ci` in {_PYODIDE.parents[1]}")
    folder = pages / "playground"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__", "rpds.py"))
    _copy(_JAVASCRIPT, folder / "javascript", _implementation())
    _copy(_PYODIDE, folder / "pyodide", _INTERPRETER)
    archive.write(folder / "cogwire.zip", _modules())
    _write_json(folder / "examples.json", examples())
    _write_json(folder / "codes.json", codes())
    _write_json(folder / "manifest.json", _manifest(folder))


def _implementation() -> list[str]:
    """Return the modules that a page needs: not the process around them, nor its tests."""
    names = {path.name for path in _JAVASCRIPT.glob("*.mjs")}
    return sorted(names - {"adapter.mjs", "test.mjs"})


def _copy(source: Path, target: Path, names: Any) -> None:
    target.mkdir(parents=True)
    for name in names:
        shutil.copyfile(source / name, target / name)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), "utf-8")


# --- The reference --------------------------------------------------------------------------------


def _modules() -> Iterator[tuple[str, bytes]]:
    source = _ROOT / "src"
    for path in sorted((source / "cogwire").rglob("*.py")):
        yield path.relative_to(source).as_posix(), path.read_bytes()
    for name in _KIT:
        yield f"cogwire_kit/{name}", (source / "cogwire_kit" / name).read_bytes()
    yield "rpds.py", (_SOURCES / "rpds.py").read_bytes()
    for package in _PACKAGES:
        yield from _installed(package)


def _installed(package: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an installed package that are used, with its license."""
    for file in importlib.metadata.files(package) or ():
        if name := _kept(package, file):
            yield name, file.read_binary()


def _kept(package: str, file: PackagePath) -> str | None:
    name = file.as_posix()
    if _LICENSE.search(name):
        return f"licenses/{package}/{file.name}"
    return None if _UNUSED.search(name) or ".dist-info/" in name or ".." in name else name


# --- Data -----------------------------------------------------------------------------------------


def codes() -> dict[str, Any]:
    """Return `{"codes": {code: [clause, …]}, "clauses": {clause: [page, level]}}`.

    The clauses of a code are those that its entry in the chapter on errors names.
    """
    named = {code: errors.named(body) for code, body in errors.entries(_ROOT / "spec").items()}
    known = {each.id: [each.page.removesuffix(".md"), each.level] for each in clauses().values()}
    return {"codes": named, "clauses": known}


#: The topics of the menu, by dialect: a title, a file of the corpus, and which of its cases:
#: a star means its plain examples.
_MENU: Final[dict[str, list[tuple[str, str, str]]]] = {
    "xml-json": [
        ("Examples", "examples", "*"),
        ("Markers", "markers", "end-mid-word marker-in-backticks literal-end"),
        ("Think", "think", "think-unread think-first-closer think-open"),
        ("Calls", "calls", "*"),
        ("Calls", "strings", "*"),
        ("Broken blocks", "shapes", "not-array-object not-array-prose"),
        ("Broken blocks", "syntax", "word-none word-nan"),
        ("Void blocks", "voids", "skip-to-the-closer void-by-its-last-character"),
        ("Void blocks", "voids", "void-behind-the-array one-error-many-faults"),
        ("Where a turn stops", "stops", "results-after-a-block second-block-is-discarded"),
        ("Where a turn stops", "end", "forged-first forged-after-prose"),
        ("Limits", "limits", "limit-size-above limit-size-at limit-digits-above"),
        ("Streaming", "tokens", "prompt-prefix-held prompt-longest-prefix-held"),
        ("Streaming", "tokens", "prompt-less-than-sign prompt-closer-prefix-in-think"),
        ("Transcripts", "transcripts", "transcript-of-one-exchange"),
        ("Transcripts", "transcripts", "transcript-results-of-a-void-block"),
        ("Transcripts", "results", "result-mixed"),
        ("Tools", "validation", "several-problems unknown-tool bad-call-among-good-ones"),
    ],
    "xml-elements": [
        ("Examples", "examples", "*"),
        ("Values", "cdata", "cdata-closer cdata-end-in-two-sections"),
        ("Values", "references", "reference-five reference-html-entity"),
        ("Broken blocks", "forbidden", "forbidden-text forbidden-json-array"),
        ("Broken blocks", "void", "unclosed-behind-a-call unclosed-in-a-value"),
        ("Tools", "coercion", "integer integer-in-another-spelling boolean"),
    ],
    "delimiter": [
        ("Examples", "examples", "*"),
        ("Markers", "lines", "mid-line-end list-item two-signs"),
        ("Markers", "boundaries", "boundary-stop boundary-token"),
        ("Broken payloads", "broken-payloads", "payload-fence single-quotes"),
        ("Broken payloads", "trailing-text", "trailing-word trailing-keyword-fails"),
        ("Void batches", "voids", "string-ends-too-early good-then-bad void-execute-stops"),
        ("Where a turn stops", "forged", "forged-result forged-in-a-void-batch"),
        ("Streaming", "promptness", "hold-execute release-word half-marker-released"),
        ("Transcripts", "results", "result-text result-both-forms void-answer"),
    ],
    "delimiter-upper": [
        ("Examples", "examples", "*"),
        ("Markers", "reading", "mixed-case-turn system-exact-case"),
        ("Where a turn stops", "reading", "forged-results"),
        ("Transcripts", "results", "bracket-body-early-end several-bracket-results"),
    ],
}


def examples() -> list[dict[str, Any]]:
    """Return the examples: `{"id", "title", "dialect", "topic", "page", "options", "text"}`.

    One that judges calls has `tools` as well, and the text is the block of its calls.
    """
    return [
        {"topic": topic, "page": _page(dialect, file), **example}
        for dialect, topics in _MENU.items()
        for topic, file, wanted in topics
        for example in _chosen(dialect, file, wanted)
    ]


def _page(dialect: str, file: str) -> str:
    return links.topic(dialect, file).replace(".md", ".html")


def _chosen(dialect: str, file: str, wanted: str) -> list[dict[str, Any]]:
    """Return the wanted examples of a file; `KeyError` where the corpus lacks one."""
    cases = json.loads((_CASES / dialect / f"{file}.json").read_text("utf-8"))
    shown = {case["id"]: example for case in cases if (example := _example(case))}
    if wanted == "*":
        plain = {case["id"] for case in cases if "example" in case["flags"]}
        return [example for name, example in shown.items() if name in plain]
    return [shown[f"{dialect}-{name}"] for name in wanted.split()]


def _example(case: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the menu has of a case, or None where it cannot be shown as one text."""
    shown = {name: case[name] for name in ("id", "title", "dialect")}
    if case["op"] == "parse" and isinstance(case.get("input"), str):
        options = {name: case["options"][name] for name in case.get("options", {}) if name != "raw"}
        shown |= {"options": options, "text": case["input"]}
    elif case["op"] == "validate" and "refused" not in case["expect"]:
        try:
            text = cogwire.render_calls(case["request"]["calls"], case["dialect"])
        except cogwire.RenderError:
            return None
        shown |= {"options": {}, "text": text, "tools": case["request"]["tools"]}
    else:
        return None
    return shown if len(shown["text"]) < _LONGEST_EXAMPLE else None


# --- The manifest ---------------------------------------------------------------------------------


def _manifest(folder: Path) -> dict[str, Any]:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    files = {name: _file(folder / name) for name in names if (folder / name).is_file()}
    files.pop("index.md")
    digests = "".join(f"{name} {file['digest']}\n" for name, file in files.items())
    corpus = json.loads((_CASES.parent / "corpus.json").read_text("utf-8"))
    return {
        "version": hashlib.sha256(digests.encode()).hexdigest()[:16],
        "versions": {
            "cogwire": cogwire.__version__,
            "corpus": corpus["version"],
            "pyodide": json.loads((_PYODIDE / "package.json").read_text("utf-8"))["version"],
            "python": json.loads((_PYODIDE / "pyodide-lock.json").read_text("utf-8"))["info"][
                "python"
            ],
        },
        "runtime": list(_RUNTIME),
        "files": files,
    }


def _file(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {
        "bytes": len(content),
        "compressed": len(gzip.compress(content, mtime=0)),
        "digest": hashlib.sha256(content).hexdigest()[:16],
    }
