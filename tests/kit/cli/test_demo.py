"""The demo, and the loop that it runs, which is made to be copied."""

import asyncio
import itertools
import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest

import cogwire
from tests.kit.cli.running import output_of, started
from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[3]
LOOP = ROOT / "examples" / "agent_loop.py"
RECORDINGS = ROOT / "examples" / "recordings"


@pytest.fixture
def loop():
    return runpy.run_path(str(LOOP))


def ask(loop, user, history, model, folder):
    """Run the loop on what a user says, and return the history that it returns."""
    tools, shown, before = loop["file_tools"](folder), [], len(history)
    answered = asyncio.run(loop["answer"](user, history, model, tools, shown.append))
    assert answered is history
    assert history[before:] == shown
    return history


def replay(loop, name, folder):
    """Run the loop on a recording; return its events, and what each turn was sent."""
    shutil.copytree(RECORDINGS / name / "files", folder, dirs_exist_ok=True)
    user, *turns = (path.read_text("utf-8") for path in sorted(RECORDINGS.glob(f"{name}/*.txt")))
    recorded = loop["recorded"](iter(turns))
    sent = []

    def model(messages):
        sent.append(messages)
        return recorded(messages)

    history = ask(loop, user.strip(), [], model, folder)
    return cogwire.read_events(history)[1:], sent


def kinds(events):
    return " ".join(event["type"] for event in events)


def items(events):
    """Return the items of each result."""
    return [json.loads(event["content"]) for event in events if event["type"] == "result"]


def test_the_loop_is_short():
    assert len(LOOP.read_text("utf-8").splitlines()) <= 110


def test_the_complete_example_of_the_canonical_document(loop, tmp_path):
    """The turns are the document's own; the results are what its tools really give."""
    events, sent = replay(loop, "config", tmp_path)
    assert kinds(events) == ("think call execute result think call call execute result respond")
    assert items(events) == [
        [{"tool": "read", "status": "success", "content": {"api": "old.com"}}],
        [
            {"tool": "write", "status": "success", "content": {"bytes": 18}},
            {"tool": "read", "status": "success", "content": {"api": "new.com"}},
        ],
    ]
    assert json.loads((tmp_path / "config.json").read_text("utf-8")) == {"api": "new.com"}
    assert [len(messages) for messages in sent] == [2, 4, 6]
    asked = {"type": "user", "content": "Point the API in config.json at new.com."}
    assert sent[1][1:] == cogwire.to_messages([asked, *events[:4]])


def test_the_longer_conversation(loop, tmp_path):
    """A tool that fails, a void block that is corrected, a wrong argument, a closer in a string."""
    events, _ = replay(loop, "page", tmp_path)
    assert kinds(events) == (
        "think respond call call call execute result "
        "think call error result "
        "think respond call call call execute result "
        "think call call execute result "
        "respond end"
    )
    first, void, second, third = items(events)
    assert [item["status"] for item in first] == ["success", "success", "failure"]
    assert first[2]["content"] == "FileNotFoundError: there is no style.css"
    assert [(item["tool"], item["status"]) for item in void] == [("execute", "failure")]
    assert [item["status"] for item in second] == ["success", "success", "failure"]
    assert "file" in second[2]["content"]
    page = "<h1>Notes</h1>\n<pre>a block of calls ends at </execute></pre>\n"
    assert third[0] == {"tool": "read", "status": "success", "content": page}
    assert (tmp_path / "notes.html").read_text("utf-8") == page
    assert 'href="notes.html"' in (tmp_path / "index.html").read_text("utf-8")


def test_nothing_of_a_void_block_runs(loop, tmp_path):
    """The block of the second turn shows a whole call, and yet no file is written before the third."""
    shutil.copytree(RECORDINGS / "page" / "files", tmp_path, dirs_exist_ok=True)
    turn = (RECORDINGS / "page" / "2-model.txt").read_text("utf-8")
    events = ask(loop, "go on", [], loop["recorded"](iter([turn, "Sorry."])), tmp_path)
    assert kinds(cogwire.read_events(events)) == "user think call error result respond"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "notes.txt"]


def test_the_tools_stay_in_their_folder(loop, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    tools = loop["file_tools"](inside).functions
    for name in ("../secret.txt", str(tmp_path / "secret.txt")):
        with pytest.raises(ValueError):
            tools["read"](name)


def test_a_model_that_never_stops_calling_is_stopped(loop, tmp_path):
    """And the history states why it ends; the model does not see this."""
    model = loop["recorded"](itertools.repeat("<execute>[]</execute>"))
    events = ask(loop, "go on", [], model, tmp_path)
    assert len(items(events)) == 20
    assert events[-1] == {"type": "error", "content": "The model has not answered."}
    assert cogwire.to_messages(events) == cogwire.to_messages(events[:-1])


@rows("turn", ["", "<think>Hm.</think>", "<think>Hm. <execute>[]</execute>"])
def test_a_turn_without_an_answer_is_said_to_be_one(loop, tmp_path, turn):
    """Also one that calls in a think that it never closes, of which nothing runs."""
    events = ask(loop, "go on", [], loop["recorded"](iter([turn])), tmp_path)
    assert items(events) == []
    assert events[-1] == {"type": "error", "content": "The model has not answered."}


@rows("reason", ["length", "content_filter", None])
def test_half_an_answer_is_said_to_be_one(loop, tmp_path, reason):

    async def model(_messages):
        yield "First make a backup. Then run rm -rf "
        yield cogwire.Finish(reason)

    events = ask(loop, "go on", [], model, tmp_path)
    assert kinds(cogwire.read_events(events)) == "user respond error"
    assert events[-1] == {"type": "error", "content": "The model's answer was cut."}


def test_a_second_question_continues_from_the_stored_events(loop, tmp_path):
    """The model is sent all of it, whether it comes from memory or from storage."""
    call = '<execute>[{"name": "write", "args": {"file": "a.txt", "content": "A"}}]</execute>'
    history = ask(loop, "Write it.", [], loop["recorded"](iter([call, "Done."])), tmp_path)
    stored = [json.dumps(event) for event in history if cogwire.persisted(event)]
    sent = []

    def model(messages):
        sent.append(messages)
        return loop["recorded"](iter(["Yes."]))(messages)

    for past in (list(history), [json.loads(line) for line in stored]):
        ask(loop, "Sure?", past, model, tmp_path)
        assert kinds(cogwire.read_events(past)).endswith("respond user respond")
    assert sent[0] == sent[1]
    assert [message["role"] for message in sent[0]] == [
        "system",
        *["user", "assistant"] * 2,
        "user",
    ]


#: A block up to the end of its first call.
CALL = '<execute>[{"name": "wait", "args": {}}'


class BrokenError(Exception):
    """What a connection raises."""


def broken(*tokens):
    """Return a model whose stream breaks after these tokens."""

    async def model(_messages):
        for token in tokens:
            yield token
        raise BrokenError

    return model


def test_a_broken_stream_keeps_earlier_events(loop, tmp_path):
    """Nothing of an incomplete block has run, and the model learns this in the next request."""
    history = []
    with pytest.raises(BrokenError):
        ask(loop, "Go.", history, broken("Hm.", '<execute>[{"name": "wr'), tmp_path)
    assert kinds(cogwire.read_events(history)) == "user respond error interrupt result"
    assert [item["tool"] for item in items(history)[0]] == ["execute"]
    ask(loop, "Again.", history, loop["recorded"](iter(["Done."])), tmp_path)
    assert [turn["void"] is not None for turn in cogwire.exchanges(history)] == [
        False,
        True,
        False,
        False,
    ]


@rows(
    ("when", "turn", "stored"),
    [
        ("think", "<think>I th", "user think cancelled"),
        ("call", CALL + ",", "user call error result cancelled"),
        ("execute", CALL + "]</execute>", "user call execute cancelled result"),
    ],
)
def test_a_turn_that_the_user_stops_is_stored_as_such(loop, when, turn, stored):
    """While the model writes, and while a tool runs; its messages say that nothing else ran."""
    history = []

    async def wait():
        await asyncio.sleep(60)

    async def model(_messages):
        yield turn
        await asyncio.sleep(60)

    async def stopped():
        def show(event):
            if event["type"] == when:
                asyncio.get_running_loop().call_later(0.01, task.cancel)

        task = asyncio.ensure_future(
            loop["answer"]("Go.", history, model, cogwire.Toolset([wait]), show)
        )
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())
    assert kinds(cogwire.read_events(history)) == stored
    calls = [call["status"] for call in cogwire.exchanges(history)[-1]["calls"]]
    assert calls == {"think": [], "call": ["void"], "execute": ["failure"]}[when]
    assert ('"wait"' in str(cogwire.to_messages(history))) == (when == "execute")


def test_the_example_runs_by_itself():
    done = ran(sys.executable, LOOP, RECORDINGS / "config", check=True)
    assert done.stdout.count("'type': 'result'") == 2
    assert done.stderr == ""


@pytest.mark.parametrize("argument", ["nope", "files"])
def test_the_example_names_a_folder_without_a_recording(argument, tmp_path):
    (tmp_path / "files").mkdir()
    done = ran(sys.executable, LOOP, tmp_path / argument)
    expected = f"{tmp_path / argument}: there is no recording here\n"
    assert (done.returncode, done.stderr) == (1, expected)


def test_the_demo_shows_a_whole_conversation():
    shown = output_of("demo")
    parts = [
        "=== Point the API in config.json at new.com.",
        "--- messages for the next turn",
        "user      Point the API in config.json at new.com.",
        "--- turn 1, as it streams in",
        "think     Need to read config, update it, verify the change",
        'call      read {"file": "config.json"}',
        "execute",
        'result    ok      read: {"api": "old.com"}',
        "assistant <think>Need to read config",
        "--- turn 3, as it streams in",
        "respond   Configuration updated successfully.",
        'config.json: {"api": "new.com"}',
        "=== Make a page of notes.txt and link it from index.html.",
        "failed  read: ",
        "error     json-syntax: At /1/args/content: ",
        "failed  execute: ",
        "problem   ",
        "end",
        "8 turns; 11 calls, 2 of them failed; 1 void block, of which nothing ran.",
        str(LOOP),
    ]
    place = 0
    for part in parts:
        found = shown.find(part, place)
        assert found >= 0, part
        place = found + len(part)


def test_the_demo_has_the_same_output_every_time():
    """Also in a Python of its own, with its own hashes."""
    assert started("demo", "--fast") == (0, output_of("demo"), "")


def test_the_demo_leaves_no_files(tmp_path):
    output_of("demo", TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_demo_is_coloured_when_asked():
    plain, coloured = output_of("demo"), output_of("demo", "--color", "always")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain != coloured


def test_the_demo_needs_no_network():
    """With every socket refused it runs as ever."""
    script = (
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    if event == 'socket.connect':\n"
        "        raise OSError(event)\n"
        "sys.addaudithook(refuse)\n"
        "sys.argv = ['cogwire', 'demo']\n"
        "from cogwire_kit.__main__ import main\n"
        "main()\n"
    )
    done = ran(sys.executable, "-c", script, text=False)
    assert (done.returncode, done.stderr) == (0, b"")
