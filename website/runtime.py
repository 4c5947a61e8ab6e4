# SPDX-License-Identifier: MIT
"""What the playground runs on: its own files, both implementations, and data made for it.

`write` puts it all into the folder `playground` of the pages:

- the files of `website/playground`, and below `javascript` the implementation in JavaScript,
- below `pyodide` the interpreter, as its npm package has it,
- `cogwire.zip`: the reference with what it needs to judge arguments,
- `examples.json`, `codes.json`: the examples menu, and which clauses an error code or a view names,
- `hard.json`: the texts of formats on which a visitor's regex is tried,
- `formats.json`: the formats that can be chosen, each with its description and a turn,
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
from cogwire_kit.conformance import corpus, formats
from cogwire_kit.conformance.corpus import Case, clauses
from website import archive, demo, errors, links

_ROOT: Final = Path(__file__).parents[1]
_SOURCES: Final = _ROOT / "website" / "playground"
_JAVASCRIPT: Final = _ROOT / "conformance" / "adapters" / "javascript"
_PYODIDE: Final = _ROOT / "website" / "node_modules" / "pyodide"

#: What the browser loads of Pyodide's package.
_INTERPRETER: Final = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
#: What of the kit the reference's end of the adapter protocol consists of.
_KIT: Final = (
    "__init__.py",
    "adapter.py",
    "templates/__init__.py",
    "templates/files.py",
    "templates/response.py",
    "texts/__init__.py",
    "texts/dialects.py",
    "texts/numbers.py",
    "texts/rows.py",
)
#: What the worker asks, and what is in the place of a compiled package.
_SHIPPED: Final = ("asked.py", "rpds.py")
#: What judges arguments.  `rpds`, which they need too, is compiled: rpds.py is in its place.
_PACKAGES: Final = ("attrs", "jsonschema", "jsonschema-specifications", "referencing")
_UNUSED: Final = re.compile(r"/(tests|benchmarks)/|/cli\.py$|\.pyi$|\.pyc$|\.typed$")
_LICENSE: Final = re.compile(r"\.dist-info/licenses/")

#: The fetches of the reference, which the page reports as they go on.
_RUNTIME: Final = ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "cogwire.zip")


def write(pages: Path) -> None:
    """Write the playground into `pages`, the folder that mkdocs renders.

    Raises:
        FileNotFoundError: Pyodide's package is not there.
    """
    if not (_PYODIDE / "package.json").is_file():
        raise FileNotFoundError(f"{_PYODIDE} is missing: run `npm ci` in {_PYODIDE.parents[1]}")
    folder = pages / "playground"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__", *_SHIPPED))
    _copy(_JAVASCRIPT, folder / "javascript", _implementation())
    _copy(_PYODIDE, folder / "pyodide", _INTERPRETER)
    archive.write(folder / "cogwire.zip", _modules())
    _write_json(folder / "examples.json", examples())
    _write_json(folder / "codes.json", codes())
    _write_json(folder / "hard.json", hard_texts())
    _write_json(folder / "formats.json", {"tools": demo.TOOLS, "formats": demo.formats()})
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
    for name in _SHIPPED:
        yield name, (_SOURCES / name).read_bytes()
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


#: The menu, by what goes wrong: the dialect or format, the case, and the name by which it is told
#: from the others.
_MENU: Final[dict[str, list[tuple[str, str, str]]]] = {
    "A marker in an argument": [
        ("hermes", "closer-in-a-string", "the closing tag in a string"),
        ("qwen3-coder", "function-closer-in-a-value", "the closing tag of a function in a value"),
        ("xml-elements", "cdata-closer", "a closing tag in CDATA"),
    ],
    "A text that is cut off": [
        ("kimi-k2", "cut-before-the-arguments", "before the arguments"),
        ("xml-json", "think-open-block", "a think that is never closed, with a call in it"),
        ("hermes", "cut-before-the-closer", "before the closing tag"),
    ],
    "JSON that is not JSON": [
        ("hermes", "python-literals", "the quotes of Python"),
        ("xml-json", "word-none", "None in place of null"),
        ("mistral", "trailing-comma", "a comma after the last argument"),
    ],
    "Calls that must not run": [
        ("delimiter", "string-ends-too-early", "a call that was meant as text"),
        ("xml-json", "forged-first", "results that the model made up"),
        ("xml-json", "limit-digits-above", "a number with too many digits"),
    ],
    "Calls that are wrong for their tools": [
        ("xml-json", "several-problems", "several problems at once"),
        ("xml-json", "bad-call-among-good-ones", "a bad call among good ones"),
    ],
    "Whole conversations": [
        ("xml-json", "transcript-of-one-exchange", "a call, its result and the answer"),
    ],
}


def examples() -> list[dict[str, Any]]:
    """Return the examples: `{"id", "title", "dialect", "topic", "page", "options", "text"}`.

    One that judges calls has `tools` as well, and the text is the block of its calls.
    """
    of_dialects = {case.id: case for case in corpus.load()}
    return [
        {"topic": topic, **_example(dialect, f"{dialect}-{name}", of_dialects), "title": title}
        for topic, wanted in _MENU.items()
        for dialect, name, title in wanted
    ]


def _example(dialect: str, name: str, cases: dict[str, Case]) -> dict[str, Any]:
    """Return what the menu has of a case; `KeyError` where the corpus lacks it."""
    shown = {"id": name, "dialect": dialect}
    if name not in cases:
        texts = {case.id: case.text for case in formats.load(dialect).cases}
        page = f"formats/{dialect}.html"
        return {**shown, "page": page, "options": {}, "text": texts[name]}
    case = cases[name]
    page = links.case(case).partition("#")[0].replace(".md", ".html")
    options = {member: value for member, value in case.options.items() if member != "raw"}
    if case.op == "parse":
        return {**shown, "page": page, "options": options, "text": case.data["input"]}
    request = case.data["request"]
    text = cogwire.render_calls(request["calls"], dialect)
    return {**shown, "page": page, "options": {}, "text": text, "tools": request["tools"]}


def hard_texts() -> list[dict[str, Any]]:
    """Return the texts on which a regex is tried: `{"name", "title", "tools", "cases"}` each.

    A case is `{"id", "title", "text", "outcomes"}`, the outcomes with their calls alone.
    """
    return [
        {
            "name": name,
            "title": known.title,
            "cases": [
                {
                    "id": case.id,
                    "title": case.data["title"],
                    "text": case.text,
                    "outcomes": [one["calls"] for one in case.outcomes],
                }
                for case in known.cases
                if "start" not in case.data
            ],
        }
        for name in formats.names()
        for known in [formats.load(name)]
    ]


# --- The manifest ---------------------------------------------------------------------------------


def _manifest(folder: Path) -> dict[str, Any]:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    files = {name: _file(folder / name) for name in names if (folder / name).is_file()}
    files = {name: file for name, file in files.items() if not name.endswith(".md")}
    digests = "".join(f"{name} {file['digest']}\n" for name, file in files.items())
    about = json.loads((corpus.PLACE / "corpus.json").read_text("utf-8"))
    return {
        "version": hashlib.sha256(digests.encode()).hexdigest()[:16],
        "versions": {
            "cogwire": cogwire.__version__,
            "corpus": about["version"],
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
