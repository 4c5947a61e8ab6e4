"""What all commands have in common: their names, their help, and what their options mean."""

import gzip
import json
import re
import sys
from pathlib import Path

import click
from click.testing import CliRunner

import cogwire
from cogwire.tooling import dialect_names
from cogwire_kit.cli.main import cli
from cogwire_kit.cli.options import DialectName
from cogwire_kit.lint.rules import RULES
from cogwire_kit.texts.notices import notices
from tests.kit.cli.running import CLI, cogwire_, output_of, started, stored
from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[3]
TURN = "<think>hm</think>Hi."
#: Second names of options, by the first one.
ALIASES = {"--dialect": "--from", "--jobs": "--processes"}
HERMES = b'<tool_call>{"name": "ls", "arguments": {}}</tool_call>'


def commands(command=cli, names=(), context=None):
    """Yield each command with its names, the groups included."""
    context = context or click.Context(cli, info_name="cogwire")
    yield names, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            yield from commands(inner, (*names, name), click.Context(inner, parent=context))


COMMANDS = dict(commands())


def meanings():
    """Return for each name of an option what it takes, with the commands that have it."""
    found = {}
    for names, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option):
                for name in option.opts:
                    found.setdefault(name, {})[" ".join(names)] = option
    return found


def kind(option):
    """Return what an option takes, without the values that a command does not have."""
    if isinstance(option.type, click.Choice):
        is_dialect = set(option.type.choices) <= {*dialect_names()}
        return "a dialect" if is_dialect else "a choice"
    if isinstance(option.type, DialectName):
        return "a dialect"
    return "a flag" if option.is_flag else type(option.type).__name__


# --- Options ------------------------------------------------------------------------------------


def listed():
    """Return the options that the guide lists, each with what it means."""
    guide = (ROOT / "website" / "guides" / "command-line.md").read_text("utf-8")
    return dict(re.findall(r"^\| `(--[a-z-]+)`[^|]*\| (.+?) \|$", guide, re.MULTILINE))


def test_an_option_of_several_commands_has_one_meaning_and_takes_one_kind_of_value():
    several = {name: having for name, having in meanings().items() if len(having) > 1}
    assert sorted(name for name in several if name.startswith("--")) == sorted(
        {*listed()} | {alias for alias in ALIASES.values() if alias in several}
    )
    unlike = {name: {kind(each) for each in having.values()} for name, having in several.items()}
    # An adapter of another parser, or a format that is not a dialect, has names of its own.
    loose = {
        "--dialect": "a dialect",
        "--only": "a choice",
        "--without": "a choice",
        "--case": "Named",
    }
    for name, kinds in unlike.items():
        usual = {loose[name]} if name in loose else kinds
        assert len(usual) == 1, (name, kinds)
        assert kinds <= usual | {"StringParamType"}, (name, kinds)


def test_a_second_name_of_an_option_is_known():
    for name, having in meanings().items():
        for command, option in having.items():
            long = [each for each in option.opts if each.startswith("--")]
            assert len(long) == 1 or set(long) in [{*pair} for pair in ALIASES.items()], (
                name,
                command,
            )


@rows("name", ["--dialect", "--from"])
def test_the_dialect_of_the_text_has_one_name_everywhere(name):
    code, output, _ = cogwire_(
        "convert", name, "xml-json", "--to", "delimiter", stdin=TURN.encode()
    )
    assert (code, output) == (0, "§think: hm\n§respond: Hi.\n")


# --- Help ---------------------------------------------------------------------------------------


def test_each_option_has_a_help_text():
    options = [
        (names, option.opts[0], option.help)
        for names, command in COMMANDS.items()
        for option in command.params
        if isinstance(option, click.Option)
    ]
    assert len(options) > 40
    assert [one for one in options if not one[2]] == []


@rows("names", list(COMMANDS))
def test_the_help_of_every_command_has_an_example_of_it_and_its_exit_codes(names):
    end = COMMANDS[names].epilog or ""
    called = " ".join(("cogwire", *names))
    assert re.search(rf"^ +(\$ |.*\| )?{called}\b", end, re.MULTILINE)
    listed = end.partition("Exit codes:\n")[2]
    codes = [line[:6].strip() for line in listed.splitlines() if line[:6].strip()]
    assert {"0", "2", "130", "141"} <= {*codes}
    assert codes == sorted(codes, key=int)
    assert max(map(len, listed.splitlines())) <= 90


def test_every_command_has_the_same_option_for_the_dialect():
    params = [COMMANDS[(name,)].params for name in ("parse", "lint", "view", "bulk")]
    options = [next(one for one in each if one.name == "dialect") for each in params]
    assert {(one.default, one.help) for one in options} == {("xml-json", options[0].help)}


@rows(
    "arguments",
    [
        ["nonsense"],
        ["parse", "--stream", "word"],
        ["parse", "--chunk", "0"],
        ["parse", "-x"],
        ["parse", "--call-deltas"],
        ["parse", "--start", "header"],
        ["mask", "--labels"],
        ["convert"],
        ["convert", "--from", "delimiter"],
        ["convert", "--from", "delimiter", "--to", "auto"],
        ["convert", "--from", "xml", "--to", "delimiter"],
    ],
)
def test_wrong_usage_exits_with_2(arguments):
    code, output, problems = cogwire_(*arguments)
    assert (code, output) == (2, "")
    assert f"Usage: cogwire {arguments[0] if len(arguments) > 1 else ''}".rstrip() in problems


# --- Names of commands --------------------------------------------------------------------------


@rows("names", [names for names in COMMANDS if names])
def test_help_shows_what_the_command_shows_itself(names):
    helped, shown = (
        CliRunner().invoke(cli, words, prog_name="cogwire")
        for words in (["help", *names], [*names, "--help"])
    )
    assert (helped.exit_code, helped.output) == (0, shown.output)
    assert helped.output.startswith(f"Usage: cogwire {' '.join(names)}")


def test_help_alone_is_that_of_cogwire():
    assert cogwire_("help")[1] == cogwire_("--help")[1]


@rows(
    "arguments, hint",
    [
        (["lnit"], "Error: There is no command 'lnit'; did you mean lint?\n"),
        (["frobnicate"], "Error: No such command 'frobnicate'.\n"),
        (["conformance", "rum"], "did you mean run?"),
        (["vendor", "chek"], "did you mean check?"),
        (["help", "conformance", "rum"], "did you mean run?"),
        (["help", "qqq"], "`cogwire --help` lists them"),
        (["conformance", "explain", "m-seald"], "m-sealed"),
        (["conformance", "list", "--case", "xml-json-closer-in-a-strin"], "did you mean"),
        (["conformance", "list", "--clause", "m-seald"], "did you mean m-sealed"),
        (["lint", "--explain", "near-marke"], "did you mean near-marker"),
        (["convert", "--to", "hermes", "-"], "'--dialect'. Name one of these: xml-json, "),
    ],
)
def test_what_was_probably_meant_is_named(arguments, hint):
    code, _, problems = cogwire_(*arguments)
    assert code == 2
    assert hint in problems


@rows("option", ["-V", "--version"])
def test_the_version(option):
    assert started(option) == (0, f"cogwire {cogwire.__version__}\n", "")


@rows(
    "command, written",
    [
        ("convert --from xml-json --to openai-messages", '"content": "é漢"'),
        ("lint --select all --format jsonl", "this is left out: 'é漢' is"),
        ("lint --select all", '{"role": "é漢"}'),
        ("detect --format jsonl", "é漢.jsonl"),
        ("parse", "é漢"),
    ],
)
def test_output_for_programs_is_utf8_in_any_locale(tmp_path, command, written):
    message = {"role": "user", "content": "é漢"}
    row = json.dumps({"messages": [message, {"role": "é漢"}]}, ensure_ascii=False)
    file = stored(tmp_path / "é漢.jsonl", row)
    assert written in started(*command.split(), file, PYTHONIOENCODING="ascii")[1]


def test_the_package_starts_the_command_line():
    done = ran(sys.executable, "-m", "cogwire", "-V", check=True)
    assert done.stdout == f"cogwire {cogwire.__version__}\n"


def test_the_types_of_click_8_1_and_8_2_which_are_not_generic_suffice():
    """The extra `kit` accepts these versions."""
    program = """if True:
        import click, cogwire_kit.cli, importlib, pkgutil
        click.ParamType.__class_getitem__ = None
        for each in pkgutil.walk_packages(cogwire_kit.cli.__path__, "cogwire_kit.cli."):
            importlib.import_module(each.name)
    """
    ran(sys.executable, "-c", program, check=True)


def test_the_package_alone_says_what_is_missing(tmp_path):
    (tmp_path / "cogwire").symlink_to(cogwire.__path__[0])
    done = ran(sys.executable, "-S", "-m", "cogwire", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cogwire_kit, which is not installed here" in done.stderr


# --- Completion ---------------------------------------------------------------------------------


@rows("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_that_asks_the_command(shell):
    script = output_of("completion", shell)
    assert f"_COGWIRE_COMPLETE={shell}_complete" in script


@rows(
    "line, expected",
    [
        ("cogwire conformance explain m-seal", ["m-sealed"]),
        (
            "cogwire conformance run --case xml-json-closer-in-a-str",
            ["xml-json-closer-in-a-string"],
        ),
        ("cogwire conformance list --clause m-seal", ["m-sealed"]),
        ("cogwire lint --explain near-", ["near-marker"]),
        ("cogwire lint --select errors,near-", ["errors,near-marker"]),
        ("cogwire help conformance expl", ["explain"]),
        ("cogwire parse --ca", ["--calls", "--call-deltas"]),
    ],
)
def test_ids_of_cases_clauses_rules_and_commands_are_completed(line, expected):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    output = cogwire_(_COGWIRE_COMPLETE="bash_complete", **words)[1]
    assert [each.partition(",")[2] for each in output.split()][: len(expected)] == expected


# --- Encodings ----------------------------------------------------------------------------------


@rows(
    "command, written",
    [
        (["parse"], '{"type": "respond", "content": "caf\u00e9 or caf\ufffd?"}\n'),
        (["convert", "--from", "delimiter", "--to", "xml-json"], "caf\u00e9 or caf\ufffd?\n"),
        (["view"], "caf\u00e9 or caf\ufffd?"),
    ],
)
def test_bytes_that_are_not_utf8_are_replaced_and_named(command, written):
    code, output, problems = cogwire_(*command, stdin=b"caf\xc3\xa9 or caf\xe9?")
    expected = "cogwire: -: not UTF-8 at byte 12; read as U+FFFD; save the text as UTF-8\n"
    assert (code, problems) == (2, expected)
    assert output == written if command != ["view"] else written in output
    code, output, problems = cogwire_(*command, stdin="hello".encode("utf-16"))
    assert (code, output) == (2, "")
    assert problems == "cogwire: -: this is UTF-16; convert it to UTF-8 first\n"


@rows("command", ["convert --from auto --to hermes", "detect", "lint", "mask", "view"])
def test_a_data_set_in_utf16_is_named_as_such(tmp_path, command):
    """No name of a file acts on a terminal, or ends the line that it is in."""
    file = tmp_path / "a\x1b[31m\n.jsonl"
    file.write_text('{"text": "a"}\n{"text": "b"}\n', "utf-16")
    code, _, problems = cogwire_(*command.split(), file)
    assert code == 2
    name = f"{tmp_path}/a\\u001b[31m\\n.jsonl"
    assert problems == f"cogwire: {name}: this is UTF-16; convert it to UTF-8 first\n"


@rows("command", ["convert --from xml-json --to hermes", "detect", "mask", "parse", "view"])
def test_a_compressed_transcript_is_read_as_the_plain_one_is(tmp_path, command):
    text = b'<think>a</think><execute>[{"name": "ls", "args": {}}]</execute>'
    plain, packed, cut = (tmp_path / name for name in ("a.txt", "a.txt.gz", "b.txt.gz"))
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    cut.write_bytes(gzip.compress(text)[:-1])
    expected, found, refused = (cogwire_(*command.split(), file) for file in (plain, packed, cut))
    assert (found[0], found[1].replace(".gz", ""), found[2]) == (0, expected[1], "")
    assert refused[0] == 2
    assert refused[2].startswith(f"cogwire: {cut}: this cannot be decompressed: ")


@rows("command", ["detect", "lint", "mask", "parse", "view"])
def test_standard_input_is_named_once(command):
    refused = (2, "", "cogwire: -: standard input is named twice, and is there once\n")
    assert cogwire_(command, "-", "-", stdin=b"a <end>") == refused


@rows("command", ["mask", "view --output -"])
def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path, command):
    (tmp_path / "a.txt").write_text("a", "utf-16")
    (tmp_path / "b.txt").write_text("b <end>", "utf-8")
    code, output, problems = cogwire_(*command.split(), tmp_path)
    assert (code, "b.txt" in output) == (2, True)
    assert problems == f"cogwire: {tmp_path / 'a.txt'}: this is UTF-16; convert it to UTF-8 first\n"


# --- detect -------------------------------------------------------------------------------------


@rows(
    "text, code, expected",
    [
        ('<execute>[{"name": "ls"}]</execute>', 0, "-: xml-json: its blocks begin with '['"),
        ("§think: a\n§end", 0, "-: delimiter: "),
        ("Hi.", 1, "-: no dialect: "),
        ('<tool_call>{"name": "ls", "arguments": {}}</tool_call>', 0, "-: hermes: "),
        ("Write <tool_call> to call.", 1, "it looks like glm-4.5"),
        ("<think>a</think>Hi.", 1, "-: xml-json or xml-elements: "),
    ],
)
def test_detect_says_which_dialect_and_why(text, code, expected):
    found, output, _ = cogwire_("detect", stdin=text.encode())
    assert found == code
    assert expected in output


def test_detect_writes_json_lines(tmp_path):
    file = stored(tmp_path / "a.txt", TURN)
    output = cogwire_("detect", "--format", "jsonl", file, file)[1]
    first, second = map(json.loads, output.splitlines())
    assert (
        first
        == second
        == {"file": str(file), **cogwire.detect(TURN)._asdict()}
        | {"candidates": ["xml-json", "xml-elements"]}
    )
    assert cogwire_("detect", tmp_path)[0] == 2
    assert cogwire_("detect", stdin=b"\xff")[0] == 2


# --- mask ---------------------------------------------------------------------------------------


def test_mask_writes_the_spans_and_which_are_trained():
    output = output_of("mask", "--skip", "think", stdin=TURN.encode())
    (line,) = map(json.loads, output.splitlines())
    assert (line["file"], line["dialect"]) == ("-", "xml-json")
    assert line["spans"] == [
        {**each._asdict(), "train": each.kind != "think"} for each in cogwire.spans(TURN)
    ]


#: A turn whose prompt has opened the think, in which a call is only quoted.
OPENED = 'I write <execute>[{"name": "ls", "args": {}}]</execute> then.\n</think>\n\nHi.'


def test_a_turn_whose_prompt_has_opened_the_think_is_read_with_its_start():
    """Without it, what is in the think is an answer, and the call in it would run."""
    hint = "cogwire: -: </think> begins a line, and no think is open. If the prompt has opened"
    for command in (["parse"], ["mask"], ["convert", "--from", "xml-json", "--to", "hermes"]):
        said = cogwire_(*command, stdin=OPENED.encode())[2]
        assert said.startswith(hint) or "\ncogwire: -: </think> begins" in said
    for command in (["mask"], ["view"], ["lint", "-"]):
        assert cogwire_(*command, "--start", "think", stdin=OPENED.encode())[2] == ""

    _, output, _ = cogwire_("mask", "--start", "think", "--skip", "think", stdin=OPENED.encode())
    spans = json.loads(output)["spans"]
    kept = "".join(OPENED[each["start"] : each["end"]] for each in spans if each["train"])
    assert kept.split() == ["</think>", "Hi."]

    to_hermes = ("convert", "--start", "think", "--from", "xml-json", "--to", "hermes")
    code, output, _ = cogwire_(*to_hermes, stdin=OPENED.encode())
    quoted = OPENED.partition("\n</think>")[0]
    assert (code, output) == (0, f"<think>{quoted}</think>\nHi.\n")

    code, output, _ = cogwire_("lint", "-", "--start", "think", stdin=OPENED.encode())
    assert (code, output.startswith("All checks passed!")) == (0, True)
    code, output, _ = cogwire_("lint", "-", stdin=OPENED.encode())
    assert (code, "name it: --start think." in output) == (1, True)


def test_the_start_of_turns_is_that_of_rows_and_settings_too(tmp_path):
    rows_of = [{"text": OPENED}, {"messages": [{"role": "assistant", "content": OPENED}]}]
    file = stored(tmp_path / "a.jsonl", *rows_of)
    _, output, _ = cogwire_("mask", "--start", "think", file)
    assert [json.loads(line)["spans"][0]["kind"] for line in output.splitlines()] == ["think"] * 2
    assert cogwire_("lint", file)[0] == 1
    assert cogwire_("lint", "--start", "think", file)[0] == 0
    (tmp_path / "pyproject.toml").write_text('[tool.cogwire.lint]\nstart = "think"\n', "utf-8")
    assert ran(*CLI, "lint", file, cwd=tmp_path).returncode == 0
    assert ran(*CLI, "lint", "--start", "prose", file, cwd=tmp_path).returncode == 1
    options = ("--from", "xml-json", "--to", "hermes", file)
    code, output, _ = cogwire_("convert", "--start", "think", *options)
    quoted = OPENED.partition("\n</think>")[0]
    text, messages = map(json.loads, output.splitlines())
    assert (code, text) == (0, {"text": f"<think>{quoted}</think>\nHi."})
    assert [each["content"] for each in messages["messages"]] == [text["text"]]


#: A turn whose prompt has begun the header of its call.
NAMED = 'read\n{"path": "a"}'
FUNCTIONARY = ("--dialect", "functionary-v3.2")


def test_a_turn_whose_prompt_ends_in_a_header_is_read_with_its_start(tmp_path):
    """Without it, the call is prose, which stderr says."""
    given = NAMED.encode()
    for command in ("mask", "convert --to xml-json", "parse"):
        said = cogwire_(*command.split(), *FUNCTIONARY, stdin=given)[2]
        assert "after a header that the prompt has begun, the text would begin with a call." in said
    prose = b"Hi.\nread\n{}"
    assert "header" not in cogwire_("mask", *FUNCTIONARY, stdin=prose)[2]
    assert "header" not in cogwire_("mask", "--dialect", "harmony", stdin=HM.encode())[2]
    for command in ("mask", "view", "lint -"):
        options = (*FUNCTIONARY, "--start", "header")
        assert cogwire_(*command.split(), *options, stdin=given)[::2] == (0, "")
    _, output, _ = cogwire_("lint", "-", *FUNCTIONARY, "--start", "header", stdin=given)
    assert output.startswith("All checks passed!")
    code, output, problems = cogwire_(
        *("convert", "--from", "functionary-v3.2", "--start", "header", "--to", "hermes"),
        stdin=given,
    )
    written = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>\n'
    assert (code, output, problems) == (0, written, "")

    file = tmp_path / "a.txt"
    file.write_bytes(given)
    for command in ("convert --to xml-json", "lint", "mask", "view"):
        for named, reason in (
            ("hermes", "hermes has no headers, so no turn begins in one"),
            ("auto", "a format is not detected by a header that the prompt has begun; name the"),
        ):
            options = ("--dialect", named, "--start", "header", file)
            code, _, problems = cogwire_(*command.split(), *options)
            assert (code, f"--start header: {reason}" in problems) == (2, True)


def test_messages_of_a_model_whose_prompts_end_in_headers(tmp_path):
    """What answers their calls is the system's, and what begins with its own marker is read too."""
    answer = "<|start_header_id|>tool<|end_header_id|>ok<|eot_id|>And?"
    texts = [
        *(("user", "Go."), ("assistant", f"all\nHi.>>>{NAMED}"), ("user", answer)),
        ("assistant", f">>>{NAMED}"),
    ]
    messages = [{"role": role, "content": text} for role, text in texts]
    file = stored(tmp_path / "a.jsonl", {"messages": messages})
    options = ("--dialect", "functionary-v3.2", "--start", "header", file)
    _, output, _ = cogwire_("mask", *options)
    kinds = [[each["kind"] for each in json.loads(line)["spans"]] for line in output.splitlines()]
    assert kinds == [
        ["prose"],
        ["marker", "prose", "marker", "call"],
        ["marker", "results", "marker", "prose"],
        ["marker", "call"],
    ]
    assert cogwire_("lint", *options)[0] == 0
    _, output, _ = cogwire_("convert", "--to", "openai-messages", *options)
    call = {"name": "read", "arguments": '{"path": "a"}'}
    written = json.loads(output)["messages"]
    calls = [[one["function"] for one in each.get("tool_calls", [])] for each in written]
    assert calls == [[], [call], [], [], [call]]
    assert [each["content"] for each in written] == ["Go.", "Hi.", "ok", "And?", None]
    _, output, _ = cogwire_("view", *options)
    assert "functionary-v3.2" in output


CALL = '<longcat_tool_call>{"name": "f", "arguments": {}}</longcat_tool_call>'
CALLING = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>"
CALLED = CALLING.replace("<|call|>", "<|end|>")
SUNNY = "<|start|>functions.f to=assistant<|channel|>commentary<|message|>SUNNY<|end|>"
HM = "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>It is sunny.<|return|>"


@rows(
    "text, options",
    [
        # A caret is before another's message: after the end of a turn, or with its own header.
        (f"{CALLING}‸{SUNNY}{FINAL}", "harmony"),
        (f"{CALLED}‸{SUNNY}{FINAL}", "harmony"),
        (f"{CALLING}‸SUNNY", "harmony"),
        (f"{CALL}</longcat_s>\n‸SUNNY", "longcat"),
        (f"hm</longcat_think>{CALL}</longcat_s>‸SUNNY", "longcat --start think"),
        # These are the model's own messages, or none.
        (CALLING + FINAL, "harmony"),
        (CALLING + HM + CALLING, "harmony"),
        (f"{CALLING}\n", "harmony"),
        (FINAL + SUNNY, "harmony"),
        # Prose may follow a call in a turn, and where nothing ends turns, all of it may be that.
        (f"{CALL} Now I wait.</longcat_s>", "longcat"),
        ('<tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>SUNNY', "jamba"),
        # What was thought of a call calls nothing.
        (f"hm {CALL}</longcat_think>It rains.</longcat_s>SUNNY", "longcat --start think"),
        # This format has results.
        ('<tool_call>{"name": "f", "arguments": {}}</tool_call>SUNNY', "hermes"),
    ],
)
def test_a_tool_s_message_that_would_be_trained_is_named(tmp_path, text, options):
    before, is_said, after = text.partition("‸")
    text, dialect = before + after, options.partition(" ")[0]
    file = stored(tmp_path / "a.jsonl", {"text": "Hi."}, {"text": text})
    said = f"what a tool wrote there is trained as the model's, since {dialect} has no results"
    for given, place in (("-", "offset"), (file, "row 1, offset")):
        arguments = (given, "--dialect", *options.split())
        _, _, problems = cogwire_("mask", *arguments, stdin=text.encode())
        line = f"1 text goes on after a call, and {said}; the first is {place} {len(before)}; use"
        assert (line in problems) == bool(is_said)
        assert (said in problems) == bool(is_said)


@rows(
    "text, dialect, is_opened",
    [
        ("hm\n</think>\n\nHi.", "hermes", True),
        ("</think>\n\nHi.", "hermes", True),
        ("<think>hm\n</think>\n\nHi.", "hermes", False),
        ("The closer is `</think>`.", "hermes", False),
        # It ends any message here.
        ("hm\n<|end|>", "harmony", False),
        ("hm\n</think>\n\nHi.", "delimiter", False),
    ],
)
def test_a_closer_without_its_opener_is_named(text, dialect, is_opened):
    said = [each for each in notices("-", text, dialect) if "--start think" in each]
    assert len(said) == is_opened
    assert not [each for each in notices("-", text, dialect, start="think") if "--start" in each]


def test_mask_reads_data_sets_and_folders(tmp_path):
    (tmp_path / "a.txt").write_text("§think: a\n§end", "utf-8")
    lines = [{"text": TURN}, {"text": None}, {"text": "<think>a</think>\n§call: {}\n"}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    code, output, problems = cogwire_("mask", "--dialect", "auto", tmp_path)
    assert (code, problems.count("\n")) == (0, 3)
    assert f"{tmp_path / 'b.jsonl'}: refused: 1 no-text, 1 no-dialect\n" in problems
    assert "1 of them: `text` is null; the first is row 1\n" in problems
    found = list(map(json.loads, output.splitlines()))
    assert [each.get("dialect") for each in found] == ["delimiter", "xml-json", None, None]
    assert [each.get("refused") for each in found] == [None, None, "no-text", "no-dialect"]
    assert [each.get("row") for each in found] == [None, 0, 1, 2]


def test_mask_reads_the_records_of_json(tmp_path):
    file = tmp_path / "a.json"
    asked = {"role": "user", "content": "q"}
    first = {"role": "assistant", "content": "a", "weight": 0}
    said = [asked, first, asked, {"role": "assistant", "content": "b", "train": False}]
    for document in (said, {"messages": said}, [{"messages": said}]):
        file.write_text(json.dumps(document), "utf-8")
        code, output, problems = cogwire_("mask", "--dialect", "hermes", file)
        found = [(each["row"], each["spans"]) for each in map(json.loads, output.splitlines())]
        spans = [(row, one["author"], one["train"]) for row, (one,) in found]
        assert spans == [(0, "user", 0), (0, "model", 0), (0, "user", 0), (0, "model", 1)]
        expected = f"cogwire: {file}: `train` of 1 message changes nothing: only a `weight` of 0"
        assert (code, problems) == (0, f"{expected} is read\n")
    code, output, _ = cogwire_("convert", "--from", "hermes", "--to", "xml-json", file)
    (record,) = map(json.loads, output.splitlines())
    assert [each["role"] for each in record["messages"]] == ["user", "assistant"] * 2
    file.write_text("{", "utf-8")
    assert "this is not JSON: " in cogwire_("mask", file)[2]


@rows("dialect", ["auto", "hermes", "llama3-json"])
def test_mask_reads_sharegpt_with_calls_in_the_texts_and_without_calls(dialect, tmp_path):
    """A call of another format than the one that is named may not be trained as prose."""
    file = tmp_path / "a.jsonl"
    asked = {"from": "human", "value": "List."}
    call = '<tool_call>\n{"name": "ls", "arguments": {}}\n</tool_call>'
    plain = [asked, {"from": "gpt", "value": "Done."}]
    called = [asked, {"from": "gpt", "value": call}, {"from": "tool", "value": "a"}]
    file.write_text(
        "\n".join(json.dumps({"conversations": one}) for one in (plain, called)), "utf-8"
    )
    output = cogwire_("mask", "--dialect", dialect, file)[1]
    lines = list(map(json.loads, output.splitlines()))
    trained = [(one["row"], any(span["train"] for span in one.get("spans", ()))) for one in lines]
    first, second = [(0, False), (0, True)], [(1, False), (1, True), (1, False)]
    assert trained == first + ([(1, False)] if dialect == "llama3-json" else second)
    assert ("refused" in lines[-1]) == (dialect == "llama3-json")


def test_mask_writes_rows_that_it_refuses_and_fails_if_it_reads_none(tmp_path):
    file, rejects = tmp_path / "a.jsonl", tmp_path / "rejects.jsonl"
    call = {"type": "function", "function": {"name": "ls", "arguments": "{}"}}
    called = {"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
    reasons = [{"text": 1}, {"text": None}, called, {"a": 1}, {"messages": []}, {"messages": 1}, 5]
    file.write_text("\n".join(map(json.dumps, reasons)), "utf-8")
    code, output, problems = cogwire_("mask", "--rejects", rejects, file)
    assert (code, output) == (2, "")
    written = [json.loads(line) for line in rejects.read_text("utf-8").splitlines()]
    assert [(each["row"], each["refused"]) for each in written] == [
        (0, "not-text"),
        (1, "no-text"),
        (2, "not-text"),
        (3, "no-text"),
        (4, "no-text"),
        (5, "no-text"),
        (6, "not-json"),
    ]
    assert written[2]["message"].startswith("messages of openai are not texts of a dialect; wi")
    assert f"{file}: left out: 4 no-text, 2 not-text, 1 not-json\n" in problems
    assert "and 2 other reasons; --rejects FILE writes all of them\n" in problems
    assert "would replace" in cogwire_("mask", "--rejects", file, file)[2]
    file.write_text("", "utf-8")
    assert cogwire_("mask", file) == (2, "", f"cogwire: {file}: there is no row\n")


def test_mask_names_what_it_does_not_read(tmp_path):
    file = stored(tmp_path / "a.jsonl", '{"text": "§end"}\n')
    assert "the text looks like delimiter" in cogwire_("mask", file)[2]
    assert "looks like hermes" in cogwire_("mask", stdin=HERMES)[2]
    assert (
        cogwire_("mask", "--dialect", "auto", stdin="<think>a</think>\n§call: {}\n".encode())[0]
        == 2
    )
    assert "--train and --skip" in cogwire_("mask", "--skip", "x", stdin=b"")[2]
    (tmp_path / "b.parquet").write_bytes(b"PK")
    assert cogwire_("mask", tmp_path / "b.parquet")[0] == 2


@rows(
    "command, option",
    [
        ("lint", "--dialect"),
        ("mask", "--dialect"),
        ("view", "--dialect"),
        ("convert --to delimiter", "--from"),
    ],
)
def test_calls_of_another_format_in_messages_are_named(tmp_path, command, option):
    texts = ["<tool_call>\n<function=ls>\n</function>\n</tool_call>", "Done."]
    messages = [{"role": "assistant", "content": text} for text in texts]
    asked = {"role": "user", "content": texts[0]}
    answered = [messages[0], {"role": "tool", "content": "a"}]
    lines = [{"messages": messages}, {"conversations": [asked, *messages]}, {"text": "Hi."}]
    lines.append({"messages": answered})
    file = stored(tmp_path / "a.jsonl", *lines)
    given = [*command.split(), file, option]
    expected = f"3 texts look like qwen3-coder, and no call of xml-json was found in them; name qwen3-coder with {option}, which also takes auto"
    expected += "; the first is in line 1" if option == "--from" else ""
    assert f"cogwire: {file}: {expected}\n" in cogwire_(*given, "xml-json")[2]
    for named in "qwen3-coder", "auto":
        assert "look" not in cogwire_(*given, named)[2]


def test_convert_names_results_whose_calls_may_be_in_another_format(tmp_path):
    messages = [{"role": "assistant", "content": "CALL ls"}, {"role": "tool", "content": "a"}]
    file = stored(tmp_path / "a.jsonl", {"messages": messages})
    problems = cogwire_("convert", file, "--from", "hermes", "--to", "xml-json")[2]
    assert (
        "1 result answers no call; if the calls are in the model's texts, and not in herm"
        in problems
    )
    assert "their format with --from, which also takes auto" in problems
    assert "is in line 1; --refuse surplus leaves out the rows that have one" in problems
    problems = cogwire_("convert", file, "--from", "auto", "--to", "openai-messages")[2]
    assert "1 result answers no call that was read" in problems


def test_convert_names_the_row_with_calls_of_another_format(tmp_path):
    texts = ["Hi.", HERMES.decode()]
    file = stored(tmp_path / "a.jsonl", *({"text": text} for text in texts))
    problems = cogwire_("convert", file, "--from", "xml-json", "--to", "delimiter")[2]
    assert f"cogwire: {file}: line 2: the text looks like hermes, and no call" in problems


def test_convert_says_how_to_name_a_data_set_on_standard_input():
    code, _, problems = cogwire_("convert", "--from", "auto", "--to", "openai-messages")
    assert code == 2
    assert "and - is read as a transcript; say what it contains, such as --input jsonl" in problems


def test_mask_reads_the_calls_of_sharegpt_in_their_format(tmp_path):
    turn = [{"from": "gpt", "value": HERMES.decode()}]
    file = stored(tmp_path / "a.jsonl", {"conversations": turn})
    assert '"dialect": "hermes"' in cogwire_("mask", "--dialect", "auto", file)[1]
    assert "name the dialect of their texts" in cogwire_("mask", file)[2]


@rows("rule", sorted(RULES))
def test_each_rule_is_explained_with_an_example(rule):
    code, output, _ = cogwire_("lint", "--explain", rule)
    assert code == 0
    assert re.search(r"An example with the problem.*:\n\n    ", output)
    assert "The same without it:\n\n    " in output
