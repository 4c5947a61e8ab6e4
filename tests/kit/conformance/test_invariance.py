"""A parser of any format, held against itself."""

import dataclasses
import json
import sys

import pytest

from cogwire_kit.conformance import formats, text_reports
from cogwire_kit.conformance.target import Patience
from tests.kit.cli.running import stored
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
    "hates b": "[[] for _ in chunks], None if 'b' in sofar[-1] else [{'text': sofar[-1]}]",
    "says nothing": "[[] for _ in chunks], []",
    "dies in streams": "[[{'text': c}] for c in chunks], [] if len(chunks) < 2 else 1 / 0",
}
ADAPTER = """
import json, re, sys

def calls(texts, pattern):
    return [{{"call": one, "args": 0}} for text in texts for one in re.findall(pattern, text)]

for line in sys.stdin:
    request = json.loads(line)
    chunks = request["chunks"]
    sofar = ["".join(chunks[:n]) for n in range(len(chunks) + 1)]
    counts = {{}}
    feeds, close = {}
    reply = {{"id": request["id"], "feeds": feeds, "close": close, "counts": counts}}
    print(json.dumps(reply), flush=True)
"""
#: Of each chunk the calls that match in the text so far and did not before.
NEW = "[calls([new], {0!r})[len(calls([old], {0!r})):] for old, new in zip(sofar, sofar[1:])], []"
KINDS |= {
    "finds": NEW.format(r"<\w+>"),
    "waits": "(" + NEW.format("<[a-z]>(?=.*;)") + ") if chunks[1:] else "
    "([calls(chunks, '<[a-z]>')], [])",
    "waits for the end": "[[] if i else [{'text': '-'}] for i, _ in enumerate(chunks)], "
    "calls(sofar[-1:], '<[a-z]+>')",
    # Of `-01`, the 1 is wrong; of `-x`, the x would be.
    "minds what follows": NEW.format(r"(?<=-)(?=\D)|(?<=-0)(?=\d)"),
    "errs at the end": "[[{'text': c}] for c in chunks], [{'error': 'open', 'args': 0}]",
    "reads again": "[[{'text': c}] for c in chunks], [];"
    "counts['characters read'] = sum(map(len, sofar))",
    "reads once": "[[{'text': c}] for c in chunks], [];"
    "counts.update({'characters read': len(sofar[-1]), 'odd': True, 'words': 'x'})",
    "chokes": "[[{'text': c}] for c in chunks], [] if len(chunks) < 500 else 1 / 0",
}


def held(tmp_path, kind, text, code, *options):
    path = tmp_path / "texts" / "one.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    command = [sys.executable, "-c", ADAPTER.format(KINDS[kind])]
    return invoke("invariance", "--texts", path.parent, *options, "--", *command, code=code)


@rows(
    "kind, text, code, words",
    [
        ("pieces", "ab cd", 0, "1 of 1 text gives the same for all of 18 cuts"),
        ("whole", "ab cd", 0, "late: nothing is returned before the end"),
        ("tears", "ab cd", 1, '15 of 18 cuts differ; the least: a‖b cd\n  - {"word": ["ab"]}'),
        ("repeats", "abcdefghij" * 9, 1, "grows: for twice the text, 3.9 times the output"),
        ("slow", "abcd", 0, "late: 1 text; after 1 character fed one by one, less is returned"),
        ("finds", "a<b>c <d>;", 0, "1 of 1 text gives the same for all of 53 cuts\n"),
        ("waits", "a<b>cd; e", 0, 'late: complete at character 4, came at 7: {"call": "<b>"'),
        ("waits for the end", "a <bc> d", 0, "late: complete at character 6, came at the end: "),
        ("reads again", "ab", 0, "grows: for twice the text, 4.0 times the characters read"),
        (
            "reads once",
            "ab",
            0,
            "1 of 1 text gives the same for all of 3 cuts\nfor twice the text, 2.0 times the char",
        ),
        ("chokes", "ab", 1, "grows: no answer for a longer text: 802 characters, one by one: "),
        (
            "dies",
            "ab",
            1,
            "\ncrashed: ZeroDivisionError: 1 text\n  in one piece: ab\n  crashed: exited with 1",
        ),
        ("odd", "ab", 1, "no reply with 1 feed and a close"),
        ("dies in streams", "ab cd", 1, "all of 3 cuts; 3 differ\n15 cuts are not run, because"),
    ],
)
def test_the_whole_text_has_the_result_of_every_cut(tmp_path, kind, text, code, words):
    assert words in held(tmp_path, kind, text, code)


def test_what_is_late_in_one_way_is_one_group(tmp_path):
    output = held(tmp_path, "waits", "a<b>c<d>e; f", 0)
    assert "\n\nlate: complete at character 4, came at 10: " in output
    assert "\n  call, args while more text follows: 2 items in 1 text\n" in output
    assert output.count("late: ") == 1
    output = held(tmp_path, "waits", "a<b>c<d>e; f", 0, "--first", 0)
    assert output.endswith(
        "\n1 more group with 2 late items; --first 1 shows an example of each.\n"
    )


@rows("kind", ["minds what follows", "errs at the end"])
def test_what_the_text_that_follows_decides_is_not_late(tmp_path, kind):
    assert held(tmp_path, kind, "a -01 b", 0).startswith("1 of 1 text gives the same for all of ")


def test_texts_may_be_json_lines_or_of_the_corpus(tmp_path):
    path = stored(tmp_path / "texts.jsonl", '"Hi"', '"<end>"', '"Hi"')
    output = invoke("invariance", "--texts", path, "--bytes", "--", *REFERENCE)
    assert "2 of 2 texts" in output
    assert "no texts" in invoke("invariance", "--", *REFERENCE, code=2)
    path.write_text("[1]\n", "utf-8")
    assert "a line is not a string" in invoke("invariance", "--texts", path, "--", "true", code=2)


def test_texts_that_differed_are_asked_again_as_they_are_whatever_their_place(tmp_path):
    """Texts have no other name than themselves, because another file moves their places."""
    path, report, again = (tmp_path / name for name in ("a.jsonl", "before.jsonl", "b.jsonl"))
    path.write_text('"a<b>c"\n"ab cd"\n"a"\n', "utf-8")
    command = ["--", sys.executable, "-c", ADAPTER.format(KINDS["tears"])]
    options = ["--texts", path, "--report"]
    output = invoke("invariance", *options, report, "--seed", 7, *command, code=1)
    assert "1 of 3 texts gives the same" in output
    path.write_text('"new"\n"a"\n"a<b>c"\n"ab cd"\n', "utf-8")
    output = invoke("invariance", *options, again, "--failed", report, *command, code=1)
    assert "0 of 2 texts give the same" in output
    found = text_reports.load(again)
    assert [one["text"] for one in found.cases] == ["a<b>c", "ab cd"]
    assert (found.run["seed"], found.run["selection"]) == (7, {"failed": [str(report)]})
    path.write_text('"new"\n', "utf-8")
    told = invoke("invariance", *options, again, "--failed", report, *command, code=2)
    assert told.endswith("nothing is selected: no case is in this part")
    told = invoke("invariance", *options, report, "--failed", report, *command, code=2)
    assert told.endswith(f"--report {report} would replace {report}; name another file")


def test_a_part_of_the_texts_is_asked_up_to_the_first_that_differs(tmp_path):
    path, report = tmp_path / "texts.jsonl", tmp_path / "report.jsonl"
    path.write_text('"a"\n"bc"\n"de"\n"f"\n"gh"\n', "utf-8")
    command = ["--report", report, "--", sys.executable, "-c", ADAPTER.format(KINDS["tears"])]
    asked = []
    for part in ("1/2", "2/2"):
        invoke("invariance", "--texts", path, "--shard", part, *command, code=1)
        asked.append([one["text"] for one in text_reports.load(report).cases])
    assert asked == [["a", "de", "gh"], ["bc", "f"]]
    output = invoke("invariance", "--texts", path, "--fail-fast", *command, code=1)
    assert "stopped, so that other texts are not run: the first failure was enough" in output
    found = text_reports.load(report)
    assert [one["text"] for one in found.cases] == ["a", "bc"]
    assert found.verdict.kind == "failing"


def test_a_text_of_the_corpus_that_loses_a_letter_is_shown_with_its_least_cut():
    options = ["--dialect", "xml-json", "--corpus", SMALL, "--", *fake("loses_a_letter")]
    output = invoke("invariance", *options, code=1)
    assert "Hello,‖ you." in output


def test_the_tokens_of_a_vocabulary_are_cuts(tmp_path):
    """One pair of characters is never parted by characters, nor by most random cuts."""
    path = stored(tmp_path / "vocabulary.txt", '"ab "\n"cd"\n')
    output = held(tmp_path, "pieces", "ab cd", 0, "--vocabulary", path)
    assert "all of 25 cuts" in output
    path.write_text("1\n", "utf-8")
    output = held(tmp_path, "pieces", "ab cd", 2, "--vocabulary", path)
    assert f"{path}: no vocabulary: line 1 is not a JSON string" in output


def test_the_texts_of_a_format_are_asked_with_its_tools(tmp_path, monkeypatch):
    """White space at the ends, and how JSON is spelled, make no difference."""
    hermes, load = formats.load("hermes"), formats.load
    few = dataclasses.replace(hermes, cases=hermes.cases[8:12])
    monkeypatch.setattr(formats, "load", lambda *given: few if "hermes" in given else load(*given))
    reader = [sys.executable, "-m", "tests.kit.conformance.format_reader"]
    output = invoke("invariance", "--trained", "hermes", "--", *reader, "whole")
    assert "late: nothing is returned before the end" in output
    path = tmp_path / "report.json"
    options = ["--first", 1, "--report", path]
    output = invoke("invariance", "--trained", "hermes", *options, "--", *reader, "chunks", code=1)
    assert output.startswith("\nan item is lost: 4 texts\n")
    assert '- {"name": "ls", "arguments": {}}' in output
    report = text_reports.load(path)
    assert len(report.cases) == len(few.cases)
    first = report.cases[0]
    assert ("".join(first["chunks"]), len(first["chunks"])) == (first["text"], 2)
    assert 0 < first["differing"] <= first["cuts"]
    assert 1.9 < report.end["growth"]["output"] < 2.1
    assert "no format 'x'" in invoke("invariance", "--trained", "x", "--", "true", code=2)
    both = ["--trained", "hermes", "--dialect", "xml-json"]
    assert "name one of them" in invoke("invariance", *both, "--", "true", code=2)


def test_the_reference_is_invariant_and_not_late():
    output = invoke("invariance", "--dialect", "delimiter", "--bytes", "--", *REFERENCE)
    assert output.startswith("203 of 203 texts give the same for all of ")


@rows(
    "kind, texts, code, expected",
    [
        (
            "hates b",
            ["b1", "b2"],
            3,
            (
                "no text of 2 has an answer, so none was cut\n"
                "  2 times: no reply with 1 feed and a close: "
            ),
        ),
        (
            "hates b",
            ["a", "b1", "b2"],
            1,
            (
                "\nno reply with 1 feed and a close: 2 texts\n  in one piece: b1\n  no reply with 1 feed "
                'and a close: {"feeds": [[]], "close": null, "counts": {}}\n'
            ),
        ),
        (
            "says nothing",
            ["ab", "cd"],
            1,
            "2 of 2 texts give the same for all of 6 cuts\nnothing is returned for any of them\n",
        ),
    ],
)
def test_the_reason_for_a_missing_answer_is_reported_once(tmp_path, kind, texts, code, expected):
    path = stored(tmp_path / "texts.jsonl", *map(json.dumps, texts))
    command = [sys.executable, "-c", ADAPTER.format(KINDS[kind])]
    assert invoke("invariance", "--texts", path, "--", *command, code=code).startswith(expected)


def test_a_program_that_never_answers_is_asked_once(tmp_path, monkeypatch):
    """An adapter that does not flush its output, above all."""
    monkeypatch.setattr(Patience, "start", 0.5)
    path = stored(tmp_path / "text.txt", "ab")
    command = ["--timeout", 0.1, "--texts", path, "--", "sleep", 60]
    output = invoke("invariance", *command, code=3)
    told = "sleep: no reply within 0.5 s to the first request, an empty text; each reply must be "
    assert output.startswith(f"{told}flushed")


#: An adapter that is silent but for the first request, an empty text.
MUTE = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request["chunks"] != [""]:
        pass
    print(json.dumps({"id": request["id"], "unsupported": "empty texts"}), flush=True)
"""


@rows(
    "what, reason",
    [
        ("time.sleep(9)", "timed-out: "),
        ("sys.exit('error: no such version')", "crashed: exited with 1: error: no such version"),
    ],
)
def test_a_program_that_answers_nothing_is_not_asked_for_ever(tmp_path, what, reason):
    path = stored(tmp_path / "texts.jsonl", *(f'"{number}"' for number in range(12)))
    program = MUTE.replace("pass", what)
    command = ["--timeout", 0.1, "--texts", path, "--", sys.executable, "-c", program]
    output = invoke("invariance", *command, code=3)
    assert output.startswith(f"no text of 8 has an answer, so none was cut\n  8 times: {reason}")
    assert "\nstopped, so that other texts are not run: no result in 10 requests" in output
    assert f"; the last: {reason}" in output
