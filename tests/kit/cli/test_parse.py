"""`cogwire parse`, and what all commands have in common, run as people and pipes run them."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from cogwire_kit.cli import parse
from cogwire_kit.cli.files import Source
from tests.kit.cli.running import CLI, cogwire_, events, output_of, piped, stored
from tests.processes import ran
from tests.rows import rows

TURN = '<think>look</think>\n\n<execute>\n[{"name": "read", "args": {"file": "a"}}]\n</execute>'
THINK = {"type": "think", "content": "look"}
CALL = {"type": "call", "content": '{"name": "read", "args": {"file": "a"}}'}
EXECUTE = {"type": "execute"}


@pytest.fixture
def turn(tmp_path):
    return stored(tmp_path / "turn.txt", TURN)


def looks_like(own, found, dialect):
    """Return what is said of a text in which no marker, or no call, of the dialect was found."""
    said = f"the text looks like {own}, and no {found} of {dialect} was found in it"
    return f"{said}; name {own} with --dialect, which also takes auto"


LONGER = f"{TURN} {'x' * 1234}"
DISCARDED = (
    "after the end of the turn {} discarded; to read a whole conversation, use --mode transcript"
)


@rows(
    "options, text, notice",
    [
        ("", "§think: a\n§end", looks_like("delimiter", "marker", "xml-json")),
        ("", "<read><file>a", ""),
        (
            *("", '<think>a</think><tool_call>{"name": "a"}</tool_call>'),
            looks_like("hermes", "call", "xml-json"),
        ),
        ("--dialect hermes", "[TOOL_CALLS]a", looks_like("mistral", "call", "hermes")),
        ("--dialect hermes", "<tool_call>a", ""),
        ("--dialect delimiter", TURN, looks_like("xml-json", "marker", "delimiter")),
        ("", LONGER, f"1,235 characters {DISCARDED.format('were')}"),
        ("", f"{TURN}x", f"1 character {DISCARDED.format('was')}"),
        (
            *("--dialect harmony --start header", "<|channel|>final<|message|>Hi.<|return|>more"),
            "4 characters after the end of the turn were discarded",
        ),
        ("", f"{TURN}\r\n", ""),
        ("", f"<think>so {TURN}", ""),
        (
            *("--dialect hermes", '<think>so <tool_call>{"name": "a"}</tool_call>'),
            "the think at the end was never closed, and no call in a think runs",
        ),
        ("--mode transcript", LONGER, ""),
        (
            *("", f"\ufeff{TURN}"),
            "the text begins with a byte order mark (U+FEFF), which was read as one of its characters; save it as UTF-8 without one",
        ),
    ],
)
def test_stderr_has_what_the_events_do_not_show(options, text, notice):
    code, _, problems = cogwire_("parse", *options.split(), stdin=text.encode())
    assert code == 0
    assert problems.splitlines() == ([f"cogwire: -: {notice}"] if notice else [])


STORED = "this looks like stored messages or a data set, not like a transcript"


@rows(
    "name, text, is_stored",
    [
        ("a.txt", '{"messages": []}\n{"messages": []}', True),
        ("a.txt", '\n{"type": "respond", "content": "Hi."}\n', True),
        ("a.txt", '{"role": "user", "content": "Hi."}', True),
        ("a.json", '[\n {"id": 1,\n  "messages": [{"role": "user", "content": "Hi."}]}]', True),
        ("a.txt", '{"name": "ls", "args": {}}', False),
        ("a.txt", '{"messages": [', False),
        ("a.txt", "[1]", False),
    ],
)
@rows(
    "command",
    [("parse",), ("convert", "--input", "text", "--from", "xml-json", "--to", "delimiter")],
)
def test_stored_messages_are_named_with_the_commands_for_them(
    tmp_path, command, name, text, is_stored
):
    (tmp_path / name).write_text(text)
    code, _, problems = cogwire_(*command, tmp_path / name)
    assert code == 0
    assert problems.count(f"cogwire: {tmp_path / name}: {STORED}; ") == is_stored
    assert problems.count("cogwire lint") == is_stored


@rows("name, text", [("a.jsonl", ""), ("a.PARQUET", "PAR1"), ("a.json", '{"messages": []}')])
def test_a_data_set_is_named_with_the_commands_for_it(tmp_path, name, text):
    """But `cogwire convert` reads it as one."""
    (tmp_path / name).write_text(text)
    code, _, problems = cogwire_("parse", tmp_path / name)
    assert (code, problems.count(f"cogwire: {tmp_path / name}: {STORED}; ")) == (0, 1)
    code, output, problems = cogwire_("detect", tmp_path / name)
    assert (code, problems.count(STORED)) == (1, 1)
    assert output.endswith(": no dialect: it has records, and their texts are not read here\n")
    (tmp_path / name).write_bytes(text.encode() + b"\n\xff")
    assert STORED in cogwire_("detect", tmp_path / name)[2]


def test_several_files_are_read_one_by_one_and_one_that_is_bad_stops_no_other(turn, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"a\xff")
    code, output, problems = cogwire_("parse", bad, turn)
    assert (code, problems) == (
        2,
        f"cogwire: {bad}: not UTF-8 at byte 1; read as U+FFFD; save the text as UTF-8\n",
    )
    first = {"file": str(bad), "type": "respond", "content": "a\ufffd"}
    expected = [{"file": str(turn), **event} for event in (THINK, CALL, EXECUTE)]
    assert events(output) == [first, *expected]
    text = cogwire_("parse", turn, turn, "--format", "text")[1].splitlines()
    assert [line for line in text if line.startswith("==>")] == [f"==> {turn} <=="] * 2


HERMES = '<tool_call>{"name": "a", "arguments": {}}'
RESULTS = '<results>[{"tool": "read", "status": "failure", "content": "no"}]</results>'


@rows(
    "options, text, expected",
    [
        ([], TURN, "think call execute"),
        (["-"], TURN, "think call execute"),
        (["--chunk", 1], TURN, "think call execute"),
        (["--chunk", 7], TURN, "think call execute"),
        (["--stream", "token", "--chunk", 1], "ab", "respond respond respond"),
        (["--mode", "transcript"], f"{TURN}{RESULTS}done", "think call execute result respond"),
        (["--start", "think"], "a</think>b", "think respond"),
        (
            ["--dialect", "harmony", "--start", "header"],
            "<|channel|>final<|message|>Hi.<|return|>",
            "respond end",
        ),
        (["--dialect", "hermes"], HERMES, "call execute"),
        (["--dialect", "hermes", "--finish", "length"], HERMES, "call error"),
        (["--calls", "sealed"], TURN, "think call execute"),
        (["--calls", "sealed"], TURN[:-3], "think error"),
        (["--stream", "token", "--call-deltas"], TURN, "think call_delta call execute"),
    ],
)
def test_parse_writes_events_as_json_lines(options, text, expected):
    output = output_of("parse", *options, stdin=text.encode())
    assert " ".join(event["type"] for event in events(output)) == expected
    if text == TURN and "token" not in options:
        assert events(output) == [THINK, CALL, EXECUTE]


def test_parse_can_add_raw_text_and_timestamps(turn):
    added = events(cogwire_("parse", turn, "--raw", "--timestamps")[1])
    assert "".join(event["raw"] for event in added) == TURN
    assert added[0]["timestamp"] > 1_600_000_000


def test_an_error_event_is_data_unless_strict():
    assert cogwire_("parse", stdin=b"<execute>no")[0] == 0
    assert cogwire_("parse", "--strict", stdin=b"<execute>no")[0] == 1
    assert cogwire_("parse", "--strict", "--format", "text", stdin=b"<execute>no")[0] == 1
    assert cogwire_("parse", "--strict", stdin=TURN.encode())[0] == 0


def test_text_for_people_has_offsets_and_a_summary(turn):
    code, output, _ = cogwire_("parse", turn, "--format", "text")
    assert code == 0
    assert output.splitlines() == [
        "       0  think     look",
        '      21  call      read {"file": "a"}',
        "      71  execute",
        "-- 1 think, 1 call, 1 execute; state paused",
    ]


def test_text_output_shows_the_place_of_an_error():
    text = 'Well:\n<execute>[{"name": "日", "args": {"a" 1}}]</execute> more'
    _, written, problems = cogwire_("parse", "--format", "text", stdin=text.encode())
    output = written.splitlines()
    assert output[0] == "       0  respond   Well:"
    assert output[1].startswith("      43  error     json-syntax: At /0/args: ")
    line, caret = output[2], output[3]
    assert line.strip() == '<execute>[{"name": "日", "args": {"a" 1}}]</execute> more'
    # The ideograph is two cells wide.
    assert caret.index("^") == line.index("1}") + 1
    assert caret.strip() == "^"
    assert output[-1] == '-- part of no event: "}}]</execute>"'
    # What was discarded is named once, as it is in JSON Lines.
    assert problems.count("discarded") == 1
    assert problems.startswith("cogwire: -: 5 characters after the end of the turn were discarded;")


def test_text_for_people_joins_the_deltas_of_a_segment():
    arguments = ["parse", "--format", "text", "--stream", "token", "--chunk", "1"]
    output = cogwire_(*arguments, stdin=b" one\ntwo <think>x</think>")[1]
    assert output.splitlines() == [
        "       1  respond   one",
        "                    two",
        "       9  think     x",
        "-- 1 respond, 1 think; state prose",
    ]


def test_text_for_people_shows_calls_while_they_are_written():
    options = ["--stream", "token", "--call-deltas", "--chunk", "1", "--format", "text"]
    output = cogwire_("parse", *options, stdin=TURN[:-3].encode())[1].splitlines()
    assert output[:3] == [
        "       0  think     look",
        '          writes    read {"file": "a"}',
        '      21  call      read {"file": "a"}',
    ]
    assert output[3].split()[1:3] == ["error", "unclosed-execute:"]
    assert output[-1] == "-- 1 think, 1 call, 1 error; state execute"


def test_text_output_escapes_control_characters():
    output = cogwire_("parse", "--format", "text", stdin="a\x1b[2Jb\u202ec".encode())[1]
    assert "a\\u001b[2Jb\\u202ec" in output
    assert "\x1b" not in output


def test_text_for_people_shows_results_and_raw_text():
    arguments = ["parse", "--mode", "transcript", "--format", "text", "--raw"]
    output = cogwire_(*arguments, stdin=(TURN + RESULTS).encode())[1]
    assert "failed  read: no" in output
    assert '"<think>look</think>"' in output


TALK = """\
§THINK: look
§CALL: {"name": "ls"}
§CALL: {"name": "rm", "args": {"n": 1}}
§EXECUTE
[SYSTEM: a.txt]
[SYSTEM: {"tool": "rm", "status": "failure", "content": "no"}]
§CALL: {bad
§EXECUTE
§END
"""


def test_text_output_in_delimiter():
    """A call may have no args, and the payload of one that broke is read again as prose."""
    arguments = ["parse", "--dialect", "delimiter-upper", "--mode", "transcript"]
    output = cogwire_(*arguments, "--format", "text", stdin=TALK.encode())[1].splitlines()
    assert output[:5] == [
        "       0  think     look",
        "      13  call      ls {}",
        '      35  call      rm {"n": 1}',
        "      75  execute",
        "      84  result    ok      ls: a.txt",
    ]
    assert output[6].startswith("     171  error     json-syntax: ")
    assert output[7].strip() == "§CALL: {bad"
    assert output[9] == "     170  respond   {bad"
    assert output[10] == "     175  end"


def test_text_for_people_of_elements():
    text = "a<execute>\n<w><x>1 &lt; 2</x></w>\n<b>c</execute>"
    arguments = ["parse", "--dialect", "xml-elements", "--format", "text"]
    output = cogwire_(*arguments, stdin=text.encode())[1].splitlines()
    assert output[:2] == ["       0  respond   a", '       1  call      w {"x": "1 < 2"}']
    assert output[2].startswith("      37  error     xml-forbidden: ")


def test_colours_are_used_on_request(turn):
    plain = cogwire_("parse", turn, "--format", "text")[1]
    coloured = cogwire_("parse", turn, "--format", "text", "--color", "always", NO_COLOR="1")[1]
    assert "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain != coloured


def on_a_terminal(*arguments, **environment):
    """Run the command with a terminal as its output, and return what it wrote there."""
    inherited = {key: os.environ[key] for key in os.environ.keys() - {"NO_COLOR", "FORCE_COLOR"}}
    control, terminal = pty.openpty()
    with subprocess.Popen(
        [*CLI, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        env=inherited | {"TERM": "xterm-256color"} | environment,
    ) as process:
        os.close(terminal)
        written = b""
        try:
            while data := os.read(control, 65536):
                written += data
        except OSError:
            pass  # the other end is closed
        assert process.wait(timeout=60) == 0
    os.close(control)
    return written.decode()


@pytest.mark.verify
def test_a_terminal_gets_colours_unless_they_are_unwanted(turn):
    assert "\x1b[" in on_a_terminal("parse", turn)
    assert "\x1b[" not in on_a_terminal("parse", turn, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("parse", turn, "--color", "never")


def test_events_are_written_as_soon_as_they_are_known():
    with piped("parse") as process:
        process.stdin.write(b"<think>look</think>")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == THINK
        process.stdin.close()
        assert process.wait(timeout=60) == 0


@rows("name, problem", [("none.txt", "does not exist"), (".", "is a directory")])
def test_a_missing_file_is_a_short_message(tmp_path, name, problem):
    code, output, problems = cogwire_("parse", tmp_path / name)
    assert (code, output) == (2, "")
    assert problem in problems


def test_a_descriptor_that_cannot_be_read_is_a_short_message(tmp_path):
    with (tmp_path / "out").open("wb") as write_only:
        done = ran(*CLI, "parse", text=False, stdin=write_only)
    assert done.returncode == 2
    assert done.stderr == b"cogwire: -: Bad file descriptor\n"


def test_the_offset_of_a_bad_byte_counts_from_the_start(tmp_path):
    """A sequence may begin in one read and break in the next."""
    read, write = os.pipe()
    with subprocess.Popen([*CLI, "parse"], stdin=read, stderr=subprocess.PIPE) as process:
        os.close(read)
        for part in (b"ab\xe2", b"\x82", b"z"):
            os.write(write, part)
            time.sleep(0.05)
        os.close(write)
        assert b"not UTF-8 at byte 2;" in process.stderr.read()


@pytest.mark.verify
@rows(
    "command, line",
    [
        (["parse"], b"<think>x</think>"),
        (["parse", "--format", "text"], b"<think>x</think>"),
        (["adapter"], b'{"id": "1", "op": "parse", "chunks": []}\n'),
        (["demo"], b""),
    ],
)
def test_a_reader_that_has_gone_ends_it_silently(command, line):
    with piped(*command) as process:
        process.stdout.close()
        process.stdin.write(line)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.fixture
def interruptible():
    """Heed SIGINT again: what a shell starts in the background ignores it, and so would ours."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.verify
@pytest.mark.usefixtures("interruptible")
@rows("command", [["parse"], ["adapter"]])
def test_interrupting_it_is_a_short_message(command):
    with piped(*command) as process:
        # An answer says that it is past its start and waits for more.
        process.stdin.write(b"<think>x</think>" if command == ["parse"] else b"nonsense\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"cogwire: interrupted\n"
        assert process.wait(timeout=60) == 130


@rows(
    "command, file",
    [
        ("parse turn.txt", "standard output"),
        ("view turn.txt -o /dev/full", "/dev/full"),
        ("convert turn.txt --from xml-json --to delimiter --report /dev/full", "/dev/full"),
        ("mask rows.jsonl --rejects /dev/full", "/dev/full"),
    ],
)
def test_a_full_disk_is_a_short_message_with_the_file(turn, command, file):
    turn.write_text("<execute>[{}]</execute>", "utf-8")  # converting it changes it
    (turn.parent / "rows.jsonl").write_text('{"text": "a"}\n{}\n' * 2, "utf-8")
    with Path("/dev/full" if file == "standard output" else os.devnull).open("wb") as output:
        done = subprocess.run(
            [*CLI, *command.split()],
            cwd=turn.parent,
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    said = done.stderr.decode().splitlines()[-1]
    what = "No space left on device; make room there, and run the same command again"
    assert said == f"cogwire: {file}: {what}"


def test_of_a_page_that_cannot_be_written_the_earlier_one_remains(turn):
    page = turn.parent / "page.html"
    page.write_text("earlier", "utf-8")
    command = [*CLI, "view", turn, "-o", page]
    done = ran("sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command)
    hint = "raise the limit (ulimit -f), and run the same command again"
    assert (done.returncode, done.stderr) == (2, f"cogwire: {page}: File too large; {hint}\n")
    assert {each.name for each in turn.parent.iterdir()} == {"turn.txt", "page.html"}
    assert page.read_text("utf-8") == "earlier"


@rows(
    "missing, packages",
    [
        (["click"], "click"),
        (["rich", "jsonschema"], "rich jsonschema"),
        (["click", "re2"], "click google-re2"),
    ],
)
def test_without_the_kit_it_explains_how_to_install_it(missing, packages):
    script = (
        f"import sys; sys.modules |= dict.fromkeys({missing!r}); sys.argv = ['cogwire', 'demo']\n"
        "from cogwire_kit.__main__ import main; main()"
    )
    done = ran(sys.executable, "-c", script)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"cogwire: the command line needs {packages.replace(' ', ', ')}; install cogwire with its extra, in a clone by",
        "cogwire:     python -m pip install '.[kit]'",
    ]


@rows("to, said", [("", "cogwire: memory ran out; read smaller "), ("2> /dev/full", "")])
def test_memory_that_runs_out_is_a_short_message(to, said):
    script = (
        "from cogwire_kit import __main__ as kit; kit._run = lambda: bytes(1 << 60); kit.main()"
    )
    done = ran("sh", "-c", f"'{sys.executable}' -c '{script}' {to}")
    assert (done.returncode, done.stderr[:38]) == (2, said)


@rows("closed", ["<&-", ">&-"])
def test_closed_descriptors_are_a_short_message(closed):
    command = f'"{sys.executable}" -m cogwire_kit parse {closed}'
    done = ran("/bin/sh", "-c", command, text=False)
    assert done.returncode == 2
    assert done.stderr == b"cogwire: standard input and output must be open\n"


def test_a_closed_stderr_changes_nothing_else(tmp_path):
    file = stored(tmp_path / "a.txt", "a<end>")
    convert = f'"{sys.executable}" -m cogwire_kit convert --from auto --to delimiter "{file}"'
    done = ran("/bin/sh", "-c", f"{convert} 2>&-", text=False)
    assert (done.returncode, done.stdout.decode()) == (0, "§respond: a\n§end\n")


def test_huge_input_is_read_in_little_memory():
    """In token mode the peak stays far below the 32 MiB of prose that stream through."""
    read, write = os.pipe()
    piece = b"a word and another one, " * 2730

    def stream():
        with os.fdopen(write, "wb") as pipe:
            for _ in range(512):
                pipe.write(piece)

    writer = threading.Thread(target=stream)
    tracemalloc.start()
    try:
        writer.start()
        with Path(os.devnull).open("wb") as nowhere:
            outcome = parse.to_programs(Source(read), nowhere, stream="token")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        writer.join()
        os.close(read)
    assert outcome.counts["error"] == 0
    assert peak < 4_000_000
