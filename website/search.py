# SPDX-License-Identifier: MIT
"""The index of the search: what has a name, and what readers call what we call otherwise.

mkdocs-material makes a document of each section.  Here clauses and cases get documents too; what
has a name gets it as `name`, by which `theme/site.mjs` shows it first to whoever types just that.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any, Final

import cogwire
from cogwire_kit.conformance.corpus import clauses
from website.readings import readings

#: What a place is searched for besides its name, by its address.
ALSO: Final = {
    "changelog.html": "changelog release version",
    "benchmarks.html": "performance speed fast slow latency throughput",
    "library/index.html#installation": "python version install pip installation",
    "library/index.html#five-minutes": "quickstart getting started tutorial",
    "library/why.html": "regex regexp handwritten homemade alternatives comparison compared",
    "library/masks.html": "finetuning fine tuning sft loss mask labels trl axolotl verl",
    "library/reference/cli.html": "exit status",
    "library/vendor.html": "vendor vendoring embed",
    "library/stream.html": "openai anthropic sdk streaming",
    "library/tools.html": "timeout concurrency asyncio",
    "library/history.html": "database storage memory",
    "playground/index.html": "playground demo online",
    "downloads.html": "corpus abnf checksums",
    "matrix.html#javascript": "typescript node",
    "bugs.html#call-in-a-code-fence": "fence code fenced",
    "spec/model.html#limits": "max_depth maximum",
    "spec/security.html": "injection attack",
    "spec/validation.html#val-pattern-meaning": "re2 redos pattern",
    "spec/errors.html#err-json-syntax": "trailing comma single quotes nan undefined",
    "spec/errors.html#err-duplicate-key": "duplicate key keys member",
    "spec/errors.html#err-forged-results": "hallucinated invented",
    "spec/errors.html#err-number-range": "infinity overflow",
    "spec/errors.html#err-bad-encoding": "utf-8 mojibake",
    "spec/errors.html#err-unclosed-execute": "truncated incomplete",
}
#: What leads to a place if it is typed as a whole: its words alone lead elsewhere.
PHRASES: Final = {
    "openai": "library/stream.html",
    "code fence": "bugs.html#call-in-a-code-fence",
    "regex": "library/why.html",
    "regex parser": "library/why.html",
    "reasoning": "library/stream.html#prompts-that-contain-the-opener",
    "thinking": "library/stream.html#prompts-that-contain-the-opener",
    "feed": "library/reference/text-to-events.html#cogwire.Parser.feed",
    "close": "library/reference/text-to-events.html#cogwire.Parser.close",
}
#: These words count for more than a title, which counts for a thousand.
_WORDS: Final = 8000
#: A case is found by its title, below all that explains something.
_CASE: Final = 0.01
_LINK: Final = re.compile(r"\[([^]]+)\]\([^)\s]+\)")
_CODE: Final = re.compile(r"`([^`]+)`")
_RULES: Final = "rules.html#"
_API: Final = "#cogwire."
_FORMAT: Final = re.compile(r"formats/([^#/]+)\.html")
#: The texts of a format, which like those of a dialect are found by their titles.
_TEXTS: Final = "#the-texts"
_TEXT: Final = re.compile(r"<pre>.*?</pre>", re.DOTALL)
#: How the entry of a field begins, whose name alone is a word like any other.
_FIELD: Final = "<p>Type:"


def completed(index: dict[str, Any], site: Path) -> dict[str, Any]:
    """Return the index that was made of the pages in `site` with all names in it."""
    table = json.loads((site / "matrix.json").read_text("utf-8"))
    documents = {one["location"]: one for one in index["docs"]}
    for each in clauses().values():
        place = f"spec/{each.page.replace('.md', '.html')}#{each.id}"
        documents[place] = {"location": place, "title": each.id, "text": _shown(each.text)}
    for page in table["pages"]:
        title = page.removeprefix("cases/").removesuffix(".html").replace("/", ": ")
        documents[page] = {
            "location": page,
            "title": f"Cases of {title}",
            "text": "",
            "boost": _CASE,
        }
    for identity, title, _, _, page, *_ in table["cases"]:
        place = f"{table['pages'][page]}#{identity}"
        named = {"location": place, "title": _shown(title), "text": "", "name": identity}
        documents[place] = {**named, "boost": _CASE}
    for name, place in table["names"].items():
        documents[place]["name"] = name
    titles = {one.report["parser"]["name"]: one.report["parser"]["title"] for one in readings()}
    engines = {f"formats.html#{name}": title for name, title in titles.items() if name != "cogwire"}
    for place, document in documents.items():
        if place.startswith(_RULES):
            document["name"] = place.removeprefix(_RULES)
        if format_page := _FORMAT.fullmatch(place):
            document["names"] = _model_names(format_page[1])
        if place.endswith(_TEXTS):
            document["text"] = _TEXT.sub("", document["text"])
        if place in engines:
            document["names"] = [engines[place]]
        if _API in place:
            document["name"] = place.partition(_API)[2]
            if "." in document["name"] and not document["text"].startswith(_FIELD):
                document["short"] = document["name"].rpartition(".")[2]
    for document in documents.values():
        # The first that has a name would be found; several classes have a method of one name.
        if document.get("short") in PHRASES:
            del document["short"]
    for phrase, place in PHRASES.items():
        documents[place].setdefault("names", []).append(phrase)
        for document in documents.values():  # the first that has a name would be found
            if document["location"] != place and phrase in document.get("names", ()):
                document["names"].remove(phrase)
    for place, words in ALSO.items():
        documents[place]["words"] = words
    fields = {**index["config"]["fields"], "words": {"boost": _WORDS}}
    return {"config": {**index["config"], "fields": fields}, "docs": list(documents.values())}


def _model_names(name: str) -> list[str]:
    """Return a format's name, its aliases and the models that write it."""
    known = next((each for each in cogwire.formats() if each.name == name), None)
    return [name, *known.aliases, *known.models] if known else [name]


def _shown(markdown: str) -> str:
    """Return a sentence as the HTML that the list of hits shows."""
    plain = _LINK.sub(r"\1", markdown)
    return _CODE.sub(r"<code>\1</code>", escape(plain, quote=False))
