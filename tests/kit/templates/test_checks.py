"""Descriptions held against chat templates: what is read otherwise, and what they lack."""

import json

import pytest

import cogwire
from cogwire_kit.templates.chat import ChatTemplate
from cogwire_kit.templates.checks import check
from tests.kit.cli.running import cogwire_
from tests.rows import rows

#: The prompt teaches lines of `name: value`, and a history has tags.
TEMPLATE = """\
[sys]{% if tools %}Write [use], a name, and lines between [with] and [/with].
{% for tool in tools %}{{ tool.function | tojson }}
{% endfor %}{% endif %}[/sys]
{%- for message in messages -%}
{%- if message.role == 'user' -%}[user]{{ message.content }}[/user]
{%- elif message.role == 'assistant' -%}
[model]{% if message.reasoning_content %}[muse]{{ message.reasoning_content | trim }}[/muse]
{% endif %}{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}[use]{{ call.function.name }}[with]
{%- for key, value in call.function.arguments.items() -%}
[arg={{ key }}]{{ value if value is string else value | tojson }}[/arg]
{%- endfor %}[/with][/use]
{%- endfor %}[/model]
{%- elif message.role == 'tool' %}[seen]{{ message.content }}[/seen]
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}[model]{% if enable_thinking %}[muse]{% endif %}{% endif %}"""
PAYLOAD = {
    "kind": "tags",
    "tool": ["", "[with]"],
    "key": ["[arg=", "]"],
    "value": ["", "[/arg]"],
    "end": "[/with]",
}
ORCHID = {
    "name": "orchid",
    "think": ["[muse]", "[/muse]"],
    "result": ["[seen]", "[/seen]"],
    "call": ["[use]", "[/use]"],
    "payload": PAYLOAD,
    "ends": ["[/model]"],
}


def report(template=TEMPLATE, *, stop="", is_known=False, **changes):
    """Return what is found of the description with some members changed, or left out for None."""
    given = {name: value for name, value in {**ORCHID, **changes}.items() if value is not None}
    form = cogwire.Format.from_json(given)
    return check(form, ChatTemplate(template), stop=stop, is_known=is_known)


def others(found):
    return {each.name for each in found.readings if each.outcome == "other"}


def test_a_description_that_says_everything():
    found = report()
    assert found.is_same
    assert {each.outcome for each in found.readings} == {"same"}
    assert [(each.asked, each.end, each.start) for each in found.prompts] == [
        ("to think", "[/user][model][muse]", "think"),
        ("not to think", "[/user][model]", "prose"),
    ]
    unions, own, taught = found.notes
    assert unions == (
        "where a schema does not declare one type, values are misread: `5` of "
        '`{"type": ["string", "integer"]}` as `"5"`, `[1]` of `{}` as `"[1]"`, `"null"` of '
        '`{"type": ["string", "null"]}` as `null`'
    )
    assert own.startswith("an argument that has the format's own markers is read otherwise")
    assert taught.startswith(
        "the prompt names `[use]`, `[with]`, `[/with]`, but not `[/use]`, `[arg=`, `[/arg]`: "
    )


def test_each_option_that_changes_the_prompt_is_shown():
    """One that changes nothing is not, and neither is one that the template refuses to be given."""
    options = "{% if quietly %}[/muse]{% endif %}{% if date %}{% endif %}{{ raise_exception('No.') if odd }}"
    found = report(
        TEMPLATE.replace(
            "[muse]{% endif %}{% endif %}", f"[muse]{options}{{% endif %}}{{% endif %}}"
        )
    )
    assert [each.asked for each in found.prompts] == ["to think", "not to think", "with quietly"]
    assert (found.prompts[2].end, found.prompts[2].start) == (
        "[/user][model][muse][/muse]",
        "prose",
    )


def test_a_prompt_that_ends_in_a_marker_is_a_header():
    """What the rest of the marker is read as says nothing."""
    found = report(think=["[model][muse]", "[/muse]"])
    [problem] = found.problems
    assert problem == (
        "`header`: the prompt ends with `[model]`, with which `[model][muse]` begins: describe it "
        "as a header with `[model]` in its `open`, or feed it to the parser before each turn"
    )


def test_calls_on_lines():
    written = "{{ call.function.name }}(query='{{ call.function.arguments.query }}')\n"
    begin = TEMPLATE.index("{{ call.function.name }}")
    end = TEMPLATE.index("[/with]", begin)
    template = TEMPLATE[:begin] + written + TEMPLATE[end + len("[/with]") :]
    payload = {"kind": "literals", "style": "python"}
    assert report(template, payload=payload).problems == [
        '`payload`: calls are on lines of their own, and in no brackets: write `"lines": true`'
    ]
    found = report(template, payload={**payload, "lines": True})
    assert not {"one call", "the same call twice"} & others(found)


def test_a_code_fence_that_begins_a_call():
    found = report(section=["[use]", "[/use]"], call=["```calls\n", "```"])
    assert any(
        note.startswith("`call`: '```calls\\n' is ordinary Markdown, and begins a call outside")
        for note in found.notes
    )


def test_a_thought_has_each_name_that_templates_read():
    found = report(TEMPLATE.replace("reasoning_content", "thought"), think=None)
    assert found.problems[0].startswith("`think`: a thought is in `[muse]` … `[/muse]`")


def test_a_call_that_ends_a_thought():
    closed = "{{ message.reasoning_content | trim }}[/muse]"
    template = TEMPLATE.replace(
        closed, closed.replace("[/muse]", "{% if message.content %}[/muse]{% endif %}")
    )
    found = report(template)
    [problem] = found.problems
    assert problem == (
        "`think_ends_at_call`: a call follows a thought without `[/muse]`, and is read as a part of "
        "the thought; write `true`"
    )
    assert others(found) == {"thought and a call"}
    assert report(template, think_ends_at_call=True).is_same


def test_a_space_in_a_tag_is_read_but_not_written():
    found = report(
        TEMPLATE.replace("[arg={{", "[arg {{"), payload={**PAYLOAD, "key": ["[arg", "]"]}
    )
    assert found.is_same
    assert (
        "which `render_prompt` teaches, and the template `[use]search[with][arg query]"
        in (found.notes[-1])
    )


def test_the_closer_that_the_template_writes_comes_first():
    found = report(call=["[use]", ["[/uses]", "[/use]"]])
    assert found.notes[-1].endswith(
        "; the first closer is the one that is written: put `[/use]` first"
    )
    assert report(call=["[use]", ["[/use]", "[/uses]"]]).notes == report().notes


def test_white_space_that_a_template_writes_between_tags_is_in_grammars():
    found = report(
        TEMPLATE.replace("[arg={{", "  [arg={{").replace("endfor %}[/with]", "endfor %}\n [/with]")
    )
    assert found.is_same
    assert found.notes[-1].endswith(
        "; white space next to markers is read, and grammars allow it between tags, but it is not written"
    )


def test_what_a_template_writes_besides_is_a_note():
    found = report(TEMPLATE.replace("[/with][/use]", "[/with][/use][next]"), ignored=["[next]"])
    assert found.is_same
    assert not [note for note in found.notes if "other text" in note]
    template = OBJECTS.replace('{"tool"', '{"id": "x", "tool"')
    (note,) = (
        each for each in objects(template).notes if each.startswith("the description writes")
    )
    assert note.endswith(
        "; other text of the template is read, but is neither written nor in grammars"
    )


#: Code between two words, the second on a line of its own.
CODE = """\
{%- for message in messages -%}[{{ message.role }}]{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}!run
{{ call.function.arguments.code }}
!end{% endfor %}</s>
{%- endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"""


@rows("margin", ["", "\n"])
def test_a_closer_that_ends_a_text_too_early_is_named(margin):
    payload = {"kind": "text", "tool": "run", "arg": "code", "margin": margin}
    description = {"name": "code", "call": ["!run", "!end"], "payload": payload, "ends": ["</s>"]}
    found = check(cogwire.Format.from_json(description), ChatTemplate(CODE))
    assert found.is_same
    assert ("margin" in str(found.notes)) is (margin == "")


OBJECTS = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content or '' }}"
    '{% for call in message.tool_calls or [] %}<use>{"tool": {{ call.function.name | tojson }},'
    ' "args": {{ call.function.arguments | tojson }}}</use>{% endfor %}<|e|>{% endfor %}'
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def objects(template=OBJECTS, *, name="tool", args="args"):
    """Return what is found of calls that are objects."""
    payload = {"kind": "object", "name": name, "args": args}
    use = {"name": "use", "call": ["<use>", "</use>"], "payload": payload, "ends": ["<|e|>"]}
    return check(cogwire.Format.from_json(use), ChatTemplate(template))


def test_the_name_of_a_member_is_not_a_marker():
    """A template may have it in a marker of a result."""
    found = objects()
    assert found.is_same
    assert "`result`: a result is in `<|tool|>` … `<|e|>`" in found.notes[0]


@rows(
    "changes, problem",
    [
        ({"name": "name"}, 'a call has the member `tool`, and not `name`: write `"name": "tool"`'),
        (
            {"args": "input"},
            'a call has the member `args`, and not `input`: write `"args": "args"`',
        ),
        (
            {"template": OBJECTS.replace("arguments | tojson", "arguments | tojson | tojson")},
            "the arguments are JSON in a string, which no payload reads; the guide says what",
        ),
    ],
)
def test_the_members_of_an_object_are_named(changes, problem):
    template = changes.pop("template", OBJECTS).replace('{"tool"', '{"id": "x", "tool"')
    found = objects(template, **changes)
    (told,) = found.problems
    assert told.startswith(f"`payload`: {problem}")
    assert not [note for note in found.notes if "escapes nothing" in note]


@rows(
    "changes, problem",
    [
        ({"think": None}, "`think`: a thought is in `[muse]` … `[/muse]`, and not in `<think>`"),
        ({"ends": None}, "`ends`: a turn ends with `[/model]`, which users see; add it"),
        ({"result": ["[saw]", "[/saw]"]}, "`result`: a result is in `[seen]` … `[/seen]`, and not"),
        ({"call": ["[run]", "[/run]"]}, "`payload`: `[use]` is before the name of a tool, and the"),
        (
            {"payload": {**PAYLOAD, "value": ["", "[/args]"]}},
            "`payload`: `[/arg]` is after the value of an argument, and the description does not",
        ),
        (
            {"payload": {**PAYLOAD, "key": ["[arg:", "]"]}},
            "`payload`: `[arg=` is between the name of a tool and the name of an argument, and",
        ),
        (
            {"payload": {name: PAYLOAD[name] for name in ("kind", "tool", "key", "value")}},
            "`payload`: `[/with]` is after the value of an argument, and the description does",
        ),
    ],
)
def test_what_a_description_lacks_is_named(changes, problem):
    found = report(**changes)
    assert not found.is_same
    assert found.problems[0].startswith(problem)


#: Each part of a turn ends with a marker, and the turn with another one.
PARTS = TEMPLATE.replace("[/use]", "[.]").replace(
    "{{ message.content or '' }}",
    "{% if message.content %}{{ message.content }}[.]{% endif %}",
)


@rows(
    "changes, problems",
    [
        ({}, []),
        ({"ends": None}, ["`ends`: a turn ends with `[/model]`, which users see; add it, or"]),
        ({"ends": ["[.][/model]"]}, ["`ends`: after a call a turn ends with `[/model]`, which"]),
        ({"ignored": None}, ["`ignored`: prose ends with `[.]`, which users see; add it"]),
    ],
)
def test_a_marker_that_ends_parts_is_not_that_of_the_turn(changes, problems):
    found = report(PARTS, **{"call": ["[use]", "[.]"], "ignored": ["[.]"], **changes})
    assert found.is_same == (not problems)
    assert [each[: len(problems[0])] for each in found.problems] == problems


@rows(
    "changes, problems",
    [
        ({}, []),
        ({"think": None}, ["`think`: a thought is in `[muse]` … `[/muse]`, and not in `<think>`"]),
        ({"call": ["[run]", "[/run]"]}, ["`payload`: `[use]` is before the name of a tool, and"]),
    ],
)
def test_a_think_that_every_turn_has(changes, problems):
    """So the template never shows what is before its opener."""
    template = TEMPLATE.replace("{% if message.reasoning_content %}", "")
    template = template.replace("message.reasoning_content |", "message.reasoning_content or '' |")
    template = template.replace("[/muse]\n{% endif %}", "[/muse]\n")
    found = report(
        template.replace("{% if enable_thinking %}[muse]{% endif %}", "[muse]"), **changes
    )
    assert [each[: len(problems[0])] for each in found.problems[:1]] == problems


def test_a_result_with_an_id_is_in_no_description():
    template = TEMPLATE.replace("[seen]", "[seen id={{ message.tool_call_id }}]")
    (found,) = report(template, result=["[seen id=", "[/seen]"]).problems
    assert found == (
        "`result`: the result 'It is sunny.' is read as 'abcdefgh0]It is sunny.'; no description "
        "can read the id of a call there, so leave `result` out"
    )
    note = report(template, result=None).notes[0]
    assert "in `[seen id=abcdefgh0]` … `[/seen]`; no description can read the id" in note
    (found,) = report(result=["[see", "[/seen]"]).problems
    assert found.endswith("is read as 'n]It is sunny.'; it is in `[seen]` … `[/seen]`")


#: Each part of a turn has a header, and so has a result.
HEADERS = """\
{%- for message in messages -%}
{%- if message.role == 'assistant' -%}
{%- if message.reasoning_content %}<turn>me<on>plan<is>{{ message.reasoning_content }}<.>{% endif %}
{%- if message.content %}<turn>me<on>say<is>{{ message.content }}<.>{% endif %}
{%- for call in message.tool_calls or [] %}<turn>me<on>do to={{ call.function.name }} id={{ call.id }}<is>
{{- call.function.arguments | tojson }}<.>{% endfor %}<stop>
{%- else %}<turn>{{ message.role }}<is>{{ message.content }}<stop>{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<turn>me{% endif %}"""
LYRA = {
    "name": "lyra",
    "header": {"open": ["<turn>", "<on>"], "close": "<is>", "think": ["plan"], "call": ["to="]},
    "think": ["<turn>me<on>plan<is>", "<.>"],
    "call": ["", "<.>"],
    "payload": {"kind": "arguments", "head": ["<turn>me<on>do to={name} id={id}<is>"]},
    "result": None,
    "ends": ["<stop>"],
    "ignored": ["<.>"],
}


def test_a_turn_that_begins_in_a_header():
    found = report(HEADERS, **LYRA)
    assert (found.is_same, {each.start for each in found.prompts}) == (True, {"header"})
    (note,) = found.notes
    assert note == (
        "`result`: a result is in `<turn>tool<is>` … `<stop>`; no description can read a header "
        "there, so leave `result` out"
    )
    (problem,) = report(HEADERS, **{**LYRA, "think": None}).problems
    assert problem.startswith("`think`: a thought is in `<turn>me<on>plan<is>` … `<.>`, and not in")


def test_an_id_and_types_in_tags_are_described():
    template = TEMPLATE.replace("[with]\n{%- for key", "|id={{ loop.index0 }}[with]\n{%- for key")
    template = template.replace("[arg={{ key }}]", "[arg={{ key }}|is={{ value is string }}]")
    types = {"|is=True]": "text", "|is=False]": "json"}
    tags = {"tool": ["", "|id={id}[with]"], "key": ["[arg=", ""], "types": types}
    assert report(template, payload={**PAYLOAD, **tags}).is_same
    (problem,) = report(template, payload={**PAYLOAD, **tags}, call=["[run]", "[/use]"]).problems
    assert problem.startswith("`payload`: `[use]` is before the name of a tool")


def test_an_opener_that_prose_has():
    found = report(TEMPLATE.replace("[use]", "@"), call=["@", "[/use]"])
    assert found.problems == ["`call`: `@` is in ordinary prose, and is read as a marker there"]
    assert others(found) == {"prose with signs"}


def test_what_is_read_otherwise_has_its_place():
    found = report(payload={**PAYLOAD, "key": ["[arg:", "]"]})
    one = next(each for each in found.readings if each.name == "one call")
    assert one.text == "[use]search[with][arg=query]Paris[/arg][/with][/use][/model]"
    assert one.text[: one.offset] == "[use]search[with][arg"
    assert one.expected == ('call of search {"query": "Paris"}',)
    assert one.found[0].startswith("xml-syntax: At /0/args: Expected [arg: or [/with]")
    assert "prose" not in others(found)


def test_a_thought_that_the_prompt_opens_is_shown_to_users_where_it_is_not_described():
    found = report(think=None)
    assert others(found) == {
        "thought and prose",
        "thought and a call",
        "thought, prose and two calls",
    }
    assert [each.start for each in found.prompts] == ["prose", "prose"]


def test_what_a_server_removes_need_not_be_described():
    assert report(ends=None, stop="[/model]").is_same
    assert check(
        cogwire.Format.from_json({name: ORCHID[name] for name in ORCHID if name != "ends"}),
        ChatTemplate(TEMPLATE, {"eos_token": "[/model]"}),
    ).is_same


def test_what_differs_between_the_models_of_a_named_format_is_a_note():
    found = report(ends=None, result=["[saw]", "[/saw]"], is_known=True)
    assert found.is_same
    assert [each.partition(":")[0] for each in found.notes][-2:] == ["`ends`", "`result`"]


def test_what_a_template_does_not_write_is_a_note():
    template = TEMPLATE.replace("{% if message.reasoning_content %}", "{% if false %}")
    found = report(template.replace("message.tool_calls or []", "(message.tool_calls or [])[:1]"))
    assert found.is_same
    assert "the template writes no thoughts in a history: `think` is not checked" in found.notes
    assert "the template writes only the first of several calls" in found.notes
    found = report(result=None)
    assert found.is_same
    assert found.notes[0].startswith("`result`: a result is in `[seen]` … `[/seen]`; with markers")


def test_white_space_that_the_description_does_not_write_is_a_note():
    loop, end = TEMPLATE.index("{%- for key, value"), TEMPLATE.index("[/with][/use]")
    template = (
        f"{TEMPLATE[:loop].rstrip()} {{{{ call.function.arguments | tojson }}}}{TEMPLATE[end:]}"
    )
    payload = {"kind": "arguments", "head": ["{name}[with]"]}
    call = ["[use]", "[/with][/use]"]
    (note,) = (each for each in report(template, payload=payload, call=call).notes if "gap" in each)
    assert note.startswith(
        'the description writes `[use]search[with]{"query": "Paris"}[/with][/use]`, which '
        '`render_prompt` teaches, and the template `[use]search[with] {"query": "Paris"}[/with]'
    )
    found = report(template, payload={**payload, "head": ["{name}[with] "]}, call=call)
    assert not [each for each in found.notes if "gap" in each]


def test_what_a_template_refuses_is_named_and_not_counted(files):
    one = "{%- if message.tool_calls|length > 1 %}{{ raise_exception('One!') }}{% endif %}"
    template = TEMPLATE.replace("[model]{% if", f"{one}[model]{{% if", 1)
    (files / "one.jinja").write_text(template, "utf-8")
    (files / "orchid.json").write_text(json.dumps(ORCHID), "utf-8")
    code, output, _ = cogwire_(
        "format", "check", files / "orchid.json", "--template", files / "one.jinja"
    )
    count = "16 of 16 messages are read as they were written; the template refuses 3"
    assert (code, output.splitlines()[-1]) == (0, count)
    found = report(template)
    refused = {each.name: each.reason for each in found.readings if each.outcome == "refused"}
    assert refused == dict.fromkeys(
        ("two calls", "the same call twice", "thought, prose and two calls"),
        "the chat template refuses it: One!",
    )
    assert found.is_same


def test_a_payload_that_is_a_text_has_one_argument():
    template = TEMPLATE.replace("[use]{{ call.function.name }}[with]", "[use]")
    template = template.replace("[arg={{ key }}]", "").replace("[/arg]", "")
    template = template.replace("[/with][/use]", "[/use]")
    payload = {"kind": "text", "tool": "run", "arg": "code"}
    found = report(template, payload=payload)
    assert found.is_same
    assert {"one call", "two calls"} & {each.name for each in found.readings} == {"one call"}
    assert "before the value" in report(template, payload=payload, call=["[a]", "[/a]"]).problems[0]
    whole = template.replace("%}[use]", "%}[use]{{ call.function.name }}: ")
    assert report(whole, payload=payload).is_same


def test_a_name_without_a_value_is_an_empty_text():
    """A template that is given alone has no `eos_token`, and needs no date."""
    named = "{{ '[sys]' + date + functions }}" + TEMPLATE.replace(
        "[/model]", "{{ '[/model]' + eos_token }}"
    )
    assert report(named).is_same
    with pytest.raises(ValueError, match="'date' is undefined"):
        ChatTemplate(named).write([])


@rows("before", ["", "[sys]"])
def test_instructions_after_the_last_message_are_not_the_models(before):
    """Templates write them after a turn, too, where the server asks for the next one."""
    prompt = TEMPLATE.index("{%- if add_generation_prompt")
    written = f"{TEMPLATE[:prompt]}{before}Write [use] and a name.{TEMPLATE[prompt:]}"
    assert report(written).is_same
    found = report(written, ends=None)
    assert found.problems[0].startswith("`ends`: a turn ends with `[/model]`, which users see")


@rows(
    "template, problem",
    [
        ("{% for %}", "this is not a chat template: "),
        ("{{ messages[0].role }}", "the chat template writes no message of the model"),
        ("{{ raise_exception('No.') }}", "the chat template refuses it: No."),
        ("{{ 1 // 0 }}", "the chat template refuses it: integer division or modulo by zero"),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "refuses it: maximum recursion"),
        ("{{ messages[0].content }}", "the chat template writes no message of the model"),
    ],
)
def test_a_template_that_writes_nothing(template, problem):
    with pytest.raises(ValueError, match=problem):
        report(template)


# --- The command ------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """Return a description without thoughts, a template, and a tokenizer_config.json with it."""
    description = {name: ORCHID[name] for name in ORCHID if name != "think"}
    config = {"chat_template": TEMPLATE, "eos_token": {"content": "[/model]"}}
    texts = {
        "my.json": json.dumps(description),
        "t.jinja": TEMPLATE,
        "tokenizer_config.json": json.dumps(config),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_the_command_shows_what_is_read_otherwise(files):
    code, output, problems = cogwire_(
        "format", "check", files / "my.json", "--template", files / "t.jinja"
    )
    assert (code, problems) == (1, "")
    first, second, *_ = output.splitlines()
    assert first.startswith("`think`: a thought is in `[muse]` … `[/muse]`")
    assert second == "thought and prose: read otherwise at 0"
    assert "  text      ‸What is it?\\n\\nA city.[/muse]\\nI will look.[/model]\n" in output
    assert "also read otherwise: thought, prose and two calls\n" in output
    assert output.endswith("\n16 of 19 messages are read as they were written\n")


def test_the_command_for_programs(files):
    (files / "my.json").write_text(json.dumps({**ORCHID, "ends": []}), "utf-8")
    arguments = ("format", "check", files / "my.json", "--json", "--template")
    code, output, _ = cogwire_(*arguments, files / "tokenizer_config.json")
    found = json.loads(output)
    assert (code, found["same"], found["problems"]) == (0, True, [])
    assert found["prompts"][0] == {
        "asked": "to think",
        "end": "[/user][model][muse]",
        "start": "think",
    }
    assert {each["outcome"] for each in found["readings"]} == {"same"}
    code, output, _ = cogwire_(*arguments, files / "t.jinja")
    assert (code, json.loads(output)["same"]) == (1, False)


@rows("given", ["chat_template.jinja", "tokenizer_config.json", "."])
def test_the_command_reads_all_files_of_a_model(given, files):
    """The template is in one, and the token that ends a turn in another."""
    (files / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    config = json.dumps({"eos_token": {"content": "[/model]"}})
    (files / "tokenizer_config.json").write_text(config, "utf-8")
    (files / "my.json").write_text(json.dumps({**ORCHID, "ends": []}), "utf-8")
    code, _, problems = cogwire_("format", "check", files / "my.json", "--template", files / given)
    assert (code, problems) == (0, "")


@rows(
    "calls, refused",
    [("", ""), ("{% if message.tool_calls %}{{ raise_exception('None!') }}{% endif %}", "16")],
)
def test_a_template_without_calls_shows_nothing_of_a_format(calls, refused, files):
    template = "{% for message in messages %}CALLS[{{ message.role }}]{{ message.content }}[/model]"
    template += "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
    (files / "none.jinja").write_text(template.replace("CALLS", calls), "utf-8")
    (files / "orchid.json").write_text(json.dumps({**ORCHID, "ends": ["[/model]"]}), "utf-8")
    arguments = ("format", "check", files / "orchid.json", "--template", files / "none.jinja")
    code, output, _ = cogwire_(*arguments)
    told = "the template writes no calls: it was given 16 messages with calls, and wrote the calls"
    assert (code, output.startswith(f"{told} of none")) == (1, True)
    assert output.endswith(
        f"; the template refuses {refused}\n" if refused else "they were written\n"
    )


def test_the_command_for_a_named_format(files):
    code, output, _ = cogwire_("format", "check", "hermes", "--template", files / "t.jinja")
    assert code == 1
    assert "`payload`: `[use]` is before the name of a tool" in output


@rows("text, problem", [("{% for %}", "this is not a chat template"), ("[]", "no message")])
def test_the_command_with_a_template_that_is_none(text, problem, files):
    (files / "t.jinja").write_text(text, "utf-8")
    code, _, problems = cogwire_("format", "check", "hermes", "--template", files / "t.jinja")
    assert code == 2
    assert "t.jinja: " in problems
    assert problem in problems


# --- Templates --------------------------------------------------------------------------------

CALL = {"type": "function", "function": {"name": "ls", "arguments": '{"b": "<", "a": 1}'}}
MESSAGES = [{"role": "assistant", "tool_calls": [CALL], "reasoning": "Hm."}]
ARGUMENTS = "{{ messages[0].tool_calls[0].function.arguments | tojson }}"


@rows(
    "template, options, text",
    [
        (ARGUMENTS, {}, '{"b": "<", "a": 1}'),
        (ARGUMENTS, {"as_json": True}, '"{\\"b\\": \\"<\\", \\"a\\": 1}"'),
        ("{% if true %}\n  {{ bos_token }}\n{% endif %}\n", {}, "  <s>\n"),
        ("{{ messages[0].reasoning_content }}{{ messages[0].thinking }}", {}, "Hm.Hm."),
        ("{{ add_generation_prompt }} {{ enable_thinking }}", {"enable_thinking": 0}, "False 0"),
        ("{% for one in 'ab' %}{% if loop.last %}{% break %}{% endif %}.{% endfor %}", {}, "."),
    ],
)
def test_a_template_is_rendered_as_transformers_renders_it(template, options, text):
    assert ChatTemplate(template, {"bos_token": "<s>"}).write(MESSAGES, **options) == text


@rows(
    ("template", "text"),
    [
        ("{{ messages[0].content + 'a' }}", "a"),
        ("{% if messages[0].content %}b{% endif %}{{ messages[0].content }}", ""),
        (
            "{% set message = messages[0] %}{% if true and message['content'] is none %}a{% endif %}",
            "a",
        ),
    ],
)
def test_a_content_that_is_null_is_an_empty_text(template, text):
    """Except where a template writes calls only if it is null."""
    assert ChatTemplate(template).write([{"role": "assistant", "content": None}]) == text


def test_a_template_that_is_given_alone_begins_with_nothing():
    assert ChatTemplate("{{ bos_token + 'a' }}").write([]) == "a"


def test_a_call_without_arguments_has_none():
    """Streams write such a call with an empty text, and records with null."""
    for arguments in ("", None):
        calls = [{"type": "function", "function": {"name": "ls", "arguments": arguments}}]
        assert ChatTemplate(ARGUMENTS).write([{"role": "assistant", "tool_calls": calls}]) == "{}"


APPEND = "{% set _ = messages.append(1) %}"
NO_ADVICE = r"refuses it: [^;]*$"


@rows(
    "template, messages, options, advice",
    [
        (APPEND, MESSAGES, {}, "make the ChatTemplate with for_llama_cpp=True"),
        (
            "{{ 'a' + messages[0].tool_calls[0].function.arguments }}",
            MESSAGES,
            {},
            "pass as_json=True",
        ),
        ("{{ 'a' + messages }}", [{"role": "user", "content": "a"}], {}, NO_ADVICE),
        ("{{ 'a' + messages }}", MESSAGES, {"as_json": True}, NO_ADVICE),
        ("{{ raise_exception('No.') }}", MESSAGES, {}, NO_ADVICE),
    ],
)
def test_a_refusal_says_which_option_would_help(template, messages, options, advice):
    with pytest.raises(ValueError, match=advice):
        ChatTemplate(template).write(messages, **options)


@rows("template", [APPEND, "{{ [1] | map('string') | tojson }}"])
def test_what_only_llama_cpp_allows(template):
    assert ChatTemplate(template, for_llama_cpp=True).write([]) in ("", '["1"]')
    with pytest.raises(ValueError, match="the chat template refuses it: "):
        ChatTemplate(template).write([])


def test_calls_that_are_none_are_refused_or_given_to_the_template():
    asked = {"role": "user", "content": "a"}
    assert ChatTemplate("b").write([{**asked, "tool_calls": ["ls"]}]) == "b"
    with pytest.raises(ValueError, match="the chat template refuses it: "):
        ChatTemplate("b").write([{**asked, "tool_calls": True}])
