"""A parser of any format, held against itself."""

import json
import sys

import pytest

from tests.kit.conformance.helpers import REFERENCE, SMALL, fake, invoke
from tests.rows import rows

pytestmark = pytest.mark.verify

#: Adapters without `hello`: what each gives for the chunks of a request, and at the end.
KINDS = {
    "whole": "[[] for _ in chunks], [{'text': ''.join(chunks)}]",
    "pieces": "[[{'text': chunk}] for chunk in chunks], []",
    "tears": "[[{'word': [w]} for w in chunk.split()] for chunk in chunks], []",
    "repeats": "[[{'so far': [''.join(chunks[:n])]} for n in [len(chunks)]] for _ in chunks], []",
    "slow": "[[{'text': c}] if len(chunks) < 3 else [] for c in chunks], "
    "[{'text': ''.join(chunks)}] if len(chunks) > 2 else []",
    "dies": "[[] for _ in chunks], 1 / 0",
    "odd": "chunks, []",
}
ADAPTER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    chunks = request["chunks"]
    feeds, close = {}
    print(json.dumps({{"id": request["id"], "feeds": feeds, "close": close}}), flush=True)
"""


def held(tmp_path, kind, text, code):
    path = tmp_path / "texts" / "one.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    command = [sys.executable, "-c", ADAPTER.format(KINDS[kind])]
    return invoke("invariance", "--texts", path.parent, "--", *command, code=code)


@rows(
    "kind, text, code, words",
    [
        ("pieces", "ab cd", 0, "1 of 1 texts give the same for all of 11 cuts"),
        ("whole", "ab cd", 0, "late: nothing is given before the end"),
        ("tears", "ab cd", 1, '7 of 11 cuts differ; the least:\n  a‖b cd\n  - {"word": ["ab"]}'),
        ("repeats", "abcdefghij" * 9, 1, "grows: twice the text gives"),
        ("slow", "abcd", 0, "late: 1 texts; after 1 characters"),
        ("dies", "ab", 1, "no answer: ab\n  crashed: exited with 1"),
        ("odd", "ab", 1, "no reply with 1 feeds and a close"),
    ],
)
def test_the_whole_gives_what_every_cut_gives(tmp_path, kind, text, code, words):
    assert words in held(tmp_path, kind, text, code)


def test_texts_may_be_json_lines_or_of_the_corpus(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(text) + "\n" for text in ("Hi", "<end>", "Hi")), "utf-8")
    told = invoke("invariance", "--texts", path, "--bytes", "--", *REFERENCE)
    assert "2 of 2 texts" in told
    assert "no texts" in invoke("invariance", "--", *REFERENCE, code=2)
    path.write_text("[1]\n", "utf-8")
    assert "a line is no string" in invoke("invariance", "--texts", path, "--", "true", code=2)


def test_a_text_of_the_corpus_that_loses_a_letter_is_shown_with_its_least_cut():
    options = ["--dialect", "xml-json", "--corpus", SMALL, "--", *fake("loses_a_letter")]
    told = invoke("invariance", *options, code=1)
    assert "Hello,‖ you." in told
