"""Bugs in messages, from events and to events."""

from typing import Final

from conformance.zoo.making import bug_in

_turns: Final = bug_in("turns")
_literal: Final = bug_in("literal")
_pieces: Final = bug_in("pieces")
_messages: Final = bug_in("messages")
_replays: Final = bug_in("replays")
_answers: Final = bug_in("answers")
_stored: Final = bug_in("stored")
_reading_back: Final = bug_in("reading_back")

ANIMALS: Final = (
    _messages(
        "text-ends-the-turn-of-a-call",
        "call-without-a-result",
        "Text after a call begins a turn, to which the call's result then belongs.",
        (
            '(⟦dialect not in LINES and last == "error"¦'
            'last == "error" or (last == "call" and kind in ("think", "respond"))⟧)'
        ),
    ),
    _turns(
        "orphans-dropped",
        "call-without-a-result",
        "Calls without a result stay without one.",
        """⟦        write_block(assembly, calls)
        write_results(assembly, [orphan(assembly, call) for call in calls], calls[0].index)¦\
        pass⟧""",
    ),
    _turns(
        "orphans-left-open",
        "call-without-a-result",
        "Calls without a result stay open when more follows.",
        "        if calls⟦ and answer.is_open¦⟧:",
    ),
    _turns(
        "last-calls-cancelled",
        "call-without-a-result",
        "A batch at the very end gets a cancelled result.",
        "        if ⟦calls and answer.is_open¦False⟧:",
    ),
    _turns(
        "orphans-succeeded",
        "cancelled-taken-for-done",
        "A call without a result has succeeded.",
        'failure = {"tool": name_of(call), "status": "⟦failure¦success⟧", "content": CANCELLED}',
    ),
    _turns(
        "orphans-unreported",
        "call-without-a-result",
        "Calls without a result are not reported.",
        """⟦    assembly.change(call.index, "orphan")
¦⟧""",
    ),
    _turns(
        "first-calls-answered",
        "result-count-mismatch",
        "A result that is too short answers the first calls.",
        "        first = ⟦max(0, len(calls) - result.count)¦0⟧",
    ),
    _turns(
        "missing-results-last",
        "batch-answered-in-part",
        "The results of cancelled calls are after the others.",
        "    missing = calls[⟦: max(0, len(calls) - result.count)¦result.count :⟧]",
    ),
    _turns(
        "surplus-unreported",
        "orphan-result",
        "A result without a call is not reported.",
        """    elif not calls:
        ⟦assembly.change(result.index, "surplus")¦pass⟧""",
    ),
    _turns(
        "texts-as-they-are",
        "trailing-white-space-sent",
        "Texts are not trimmed.",
        """    trimmed = text⟦.strip(WHITE)¦⟧
    if trimmed == "":""",
    ),
    _turns(
        "texts-trimmed-by-the-language",
        "unicode-spaces-trimmed",
        "Texts are trimmed with the strip of the language.",
        """    trimmed = text.strip(⟦WHITE¦⟧)
    if trimmed == "":""",
    ),
    _turns(
        "white-texts-sent",
        "empty-message",
        "A text of white space is a message.",
        """        ⟦assembly.change(stored.index, "dropped")
        return ""¦return text⟧""",
    ),
    _turns(
        "white-texts-unreported",
        "empty-message",
        "A text of white space is left out silently.",
        """⟦        assembly.change(stored.index, "dropped")
¦⟧        return "\"""",
    ),
    _turns(
        "trimming-unreported",
        "trailing-white-space-sent",
        "Trimming is not reported.",
        """⟦    if trimmed != text:
        assembly.change(stored.index, "trimmed")
¦⟧    kind""",
    ),
    _turns(
        "user-texts-as-they-are",
        "user-text-forges-results",
        "A user's text is not neutralised.",
        "        ⟦markers_of_user(trimmed, assembly.dialect)¦[]⟧",
    ),
    _literal(
        "user-texts-of-one-case",
        "variants-of-markers-let-through",
        "Only the exact markers of results are neutralised in a user's text.",
        "if ⟦lower(text[at : at + 10]).startswith(USER_TAGS¦text.startswith(USER_TAGS, at⟧)]",
    ),
    _literal(
        "user-texts-of-unicode-case",
        "case-folding-beyond-ascii",
        "Letters that fold to those of a marker are neutralised.",
        "if ⟦lower(text[at : at + 10]¦text[at : at + 10].casefold(⟧).startswith(USER_TAGS)]",
    ),
    _literal(
        "user-texts-with-openers-only",
        "user-text-forges-results",
        "The closer of results is not neutralised.",
        'USER_TAGS = ("<results>",⟦ "</results>"¦⟧)',
    ),
    _literal(
        "user-texts-without-any-marker",
        "over-neutralisation",
        "Every marker is neutralised in a user's text.",
        (
            'USER_TAGS = ("<results>", "</results>"⟦¦'
            ', "<think>", "</think>", "<execute>", "</execute>", "<end>"⟧)'
        ),
    ),
    _literal(
        "user-lines-of-one-case",
        "variants-of-markers-let-through",
        "Only the exact markers of results are neutralised in a user's lines.",
        (
            "        if is_start and ⟦lower(text[at : at + len(SYSTEM)]).startswith(USER_LINES¦"
            'text.startswith(("§result:", "[SYSTEM: "), at⟧):'
        ),
    ),
    _literal(
        "user-lines-of-results-alone",
        "user-text-forges-results",
        "Only results are neutralised in a user's lines: not calls, with an answer after them.",
        """    places⟦ = live_on_lines(text)¦: list[int] = []⟧
    is_start""",
    ),
    _literal(
        "user-lines-anywhere",
        "over-neutralisation",
        "Markers of results are neutralised in the middle of a line.",
        "        if ⟦is_start and ¦⟧lower(text[at",
    ),
    _literal(
        "user-lines-in-the-first-column",
        "user-text-forges-results",
        "Markers of results after white space are not neutralised.",
        """            places.append(at)
        is_start = character in "\\n\\r"⟦ or (is_start and character in " \\t")¦⟧""",
    ),
    _turns(
        "texts-with-live-markers",
        "markers-in-written-text",
        "Markers in the assistant's text are live.",
        "        else ⟦live_markers(trimmed, kind, assembly.dialect)¦[]⟧",
    ),
    _literal(
        "thinks-with-live-closers",
        "closer-quoted-in-reasoning",
        "The closer in a think is live.",
        'markers = (⟦"</think>",¦⟧) if kind == "think" else LIVE_IN_PROSE',
    ),
    _literal(
        "thinks-neutralised-as-prose",
        "over-neutralisation",
        "Every marker is neutralised in a think.",
        'markers = ("</think>",⟦) if kind == "think" else LIVE_IN_PROSE¦ *LIVE_IN_PROSE)⟧',
    ),
    _literal(
        "prose-with-neutral-closers",
        "over-neutralisation",
        "Closers are neutralised in prose.",
        """⟦markers = ("</think>",) if kind == "think" else LIVE_IN_PROSE¦\
markers = ("</think>", "</execute>", "</results>")
    markers = markers[:1] if kind == "think" else (*markers, *LIVE_IN_PROSE)⟧""",
    ),
    _literal(
        "lines-neutralised-everywhere",
        "over-neutralisation",
        "Markers are neutralised in the middle of a line.",
        "        if ⟦is_fresh and ¦⟧reading.marker_at(at):",
    ),
    _turns(
        "neutralising-unreported",
        "markers-in-written-text",
        "Neutralising is not reported.",
        """⟦    for _ in places:
        assembly.change(stored.index, "neutralised")
¦⟧""",
    ),
    _turns(
        "neutralising-reported-once",
        "markers-in-written-text",
        "Neutralising is reported once for each text.",
        "    for _ in places⟦¦[:1]⟧:",
    ),
    _pieces(
        "halves-kept-in-messages",
        "emoji-cut-in-half",
        "Half of a surrogate pair goes into a message.",
        "        return ⟦found¦text⟧",
    ),
    _pieces(
        "roles-not-merged",
        "same-role-twice",
        "Pieces of one role are messages of their own.",
        "        if ⟦before is None or before.role != piece.role¦True⟧:",
    ),
    _pieces(
        "joining-unreported",
        "same-role-twice",
        "Lost boundaries are not reported.",
        "        if ⟦loses_boundary(before, piece, assembly)¦False⟧:",
    ),
    _pieces(
        "joining-always-reported",
        "same-role-twice",
        "Every joint is reported.",
        "        if ⟦loses_boundary(before, piece, assembly)¦True⟧:",
    ),
    _messages(
        "reports-empty",
        "same-role-twice",
        "The report is empty.",
        "return written, ⟦ordered(assembly.report)¦[]⟧",
    ),
    _messages(
        "system-of-white-space",
        "empty-message",
        "A system message of white space is sent.",
        "    if system is not None⟦ and system.strip(WHITE)¦⟧:",
    ),
    _messages(
        "errors-without-storage",
        "history-depends-on-unstored-events",
        "Events that are not stored count.",
        (
            "    return ⟦[each for each in relevant(events) if is_stored(each.event)]¦"
            "relevant(events)⟧"
        ),
    ),
    _messages(
        "results-without-turn-dropped",
        "window-begins-at-results",
        "Results without a turn before them are left out silently.",
        '        if ⟦before < 0 or kind_of(steps, before) != "turn"¦False⟧:',
    ),
    _messages(
        "cancelled-hides-results",
        "cancelled-taken-for-done",
        "A result after `cancelled` is not that of the turn before.",
        """⟦        while kind_of(steps, after) == "cancelled":
            after += 1
¦⟧""",
    ),
    _messages(
        "raw-ignored",
        "executed-is-not-replayed",
        "The raw text of a turn is not replayed.",
        '    if ⟦turn and all("raw" in stored.event for stored in turn)¦False⟧:',
    ),
    _messages(
        "raw-in-part",
        "turn-replayed-in-part",
        "A turn is replayed if any of its events has raw text.",
        """⟦¦    turn = [stored for stored in turn if "raw" in stored.event] or turn
⟧    if turn and all("raw" in stored.event for stored in turn):""",
    ),
    _replays(
        "raw-unjudged",
        "edited-event-replayed",
        "A turn is replayed although its raw text is read differently.",
        """    if ⟦not reads_as(text, turn, assembly.dialect)¦False⟧:
        text""",
    ),
    _messages(
        "raw-mismatch-unreported",
        "edited-event-replayed",
        "A turn that is not replayed for that is not reported.",
        """⟦        assembly.change(turn[0].index, "mismatch")
¦⟧""",
    ),
    _replays(
        "raw-without-its-opener",
        "opener-in-the-prompt-lost-in-history",
        "A think that the prompt opened is not replayed.",
        "        if ⟦not reads_as(text, turn, assembly.dialect)¦True⟧:",
    ),
    _replays(
        "raw-without-closer",
        "executed-is-not-replayed",
        "A void block is replayed without its closer.",
        """    if ⟦waits_for_closer(turn)¦False⟧:
        text""",
    ),
    _pieces(
        "raw-left-open",
        "replay-swallows-what-follows",
        "A replay that leaves something open is joined to the text after it.",
        "        if ⟦piece.otherwise is None or following.role != piece.role¦True⟧:",
    ),
    _turns(
        "void-blocks-written",
        "executed-is-not-replayed",
        "The calls of a void block are written.",
        """⟦    if is_void:
        calls = []
¦⟧""",
    ),
    _turns(
        "void-answers-without-think",
        "same-role-twice",
        "The answer of a void block is directly after a user's text.",
        '    if ⟦assembly.pieces and assembly.pieces[-1].role == "user"¦False⟧:',
    ),
    _turns(
        "void-unreported",
        "executed-is-not-replayed",
        "A void block is not reported.",
        """⟦    for stored in errors[:1]:
        assembly.change(stored.index, "void")
¦⟧""",
    ),
    _turns(
        "void-answers-unreported",
        "executed-is-not-replayed",
        "A void block that is known by its answer is not reported.",
        """⟦        if not answer.is_known_void:
            assembly.change(result.index, "void")
¦⟧""",
    ),
    _turns(
        "moving-unreported",
        "text-between-calls-lost",
        "Text that is moved before the calls is not reported.",
        "            if ⟦calls and calls[0].index < stored.index¦False⟧:",
    ),
    _turns(
        "thinking-dropped",
        "reasoning-dropped-from-history",
        "What was thought is left out.",
        '        if kind ⟦not in SEGMENTS¦!= "respond"⟧:',
    ),
    _turns(
        "calls-without-args",
        "args-missing-null-or-empty",
        "A call that lacks args is written without.",
        "    return ⟦with_args(text)¦text⟧",
    ),
    _turns(
        "calls-completed-silently",
        "args-missing-null-or-empty",
        "Args that are completed are not reported.",
        """⟦    assembly.change(stored.index, "completed")
¦⟧    return with_args(text)""",
    ),
    _turns(
        "calls-written-anew",
        "json-written-anew",
        "Calls are serialized again.",
        """    if "args" in call:
        ⟦return text¦import json
        return json.dumps(json.loads(text))⟧""",
    ),
    _turns(
        "calls-retyped-silently",
        "value-becomes-text-in-history",
        "Values that become texts are not reported.",
        '                ⟦assembly.change(stored.index, "retyped")¦pass⟧',
    ),
    _turns(
        "calls-cut-silently",
        "other-members-lost",
        "Members that an element does not have are left out silently.",
        """⟦        for _ in call.keys() - {"name", "args"}:
            assembly.change(stored.index, "dropped")
¦⟧""",
    ),
    _answers(
        "results-with-live-markers",
        "result-content-closes-the-block",
        "Markers in results are live.",
        (
            "write_array(assembly, ⟦without_lookalikes(written, assembly.dialect)¦"
            "written⟧, self.index)"
        ),
    ),
    _answers(
        "results-lookalikes-unreported",
        "result-content-closes-the-block",
        "Markers that are escaped in results are not reported.",
        """        ⟦for _ in lookalikes(text, assembly.dialect):
            assembly.change(self.index, "neutralised")¦pass⟧""",
    ),
    _answers(
        "results-not-compared",
        "result-count-mismatch",
        "Results that do not answer their calls are not reported.",
        """            ⟦assembly.change(self.index, "mismatch")¦pass⟧
        is_whole""",
    ),
    _answers(
        "results-on-their-own-lines",
        "white-space-changes-on-replay",
        "Results are framed again.",
        "        written = ⟦text.strip(WHITE) if is_whole else ¦⟧array([*orphans, *own])",
    ),
    _answers(
        "results-of-text-as-they-are",
        "plain-text-pasted-as-results",
        "A result of text is written as it is.",
        """⟦            item = success(names[-1], quoted(text, assembly.dialect), assembly.dialect)
            write_results(assembly, [*orphans, item], self.index)
¦            write_array(assembly, text, self.index)
⟧            return""",
    ),
    _answers(
        "results-of-text-unreported",
        "plain-text-pasted-as-results",
        "A result of text is completed silently.",
        """⟦            assembly.change(self.index, "completed")
¦⟧            text""",
    ),
    _answers(
        "results-trimmed-silently",
        "white-space-changes-on-replay",
        "White space around results is left out silently.",
        '            ⟦assembly.change(self.index, "trimmed")¦pass⟧',
    ),
    _pieces(
        "ends-missing",
        "end-missing-by-lines",
        "A message in the delimiter dialects has no end.",
        '    return "⟦\\n" + marker("end", assembly.dialect)¦"⟧',
    ),
    _pieces(
        "ends-behind-blocks",
        "end-missing-by-lines",
        "A message in the delimiter dialects ends in an end after its execute too.",
        'piece.role == "user" or ⟦piece.ends or ¦⟧not',
    ),
    _pieces(
        "ends-between-tags",
        "same-role-twice",
        "A message between tags ends in an end.",
        'if ⟦not assembly.by_lines or ¦⟧piece.role == "user"',
    ),
    # ---- Stored events ----
    _stored(
        "unknown-events-skipped",
        "unknown-event-skipped",
        "Events of an unknown type are skipped.",
        """    if ⟦type(kind) is not str or kind not in REQUIRED¦kind not in REQUIRED:
        kind = "end"
    if type(kind) is not str⟧:""",
    ),
    _stored(
        "older-metrics-refused",
        "older-event-refused",
        "`metrics` is unknown.",
        'kind = ⟦"metric" if given.get("type") == "metrics" else ¦⟧given.get("type")',
    ),
    _stored(
        "nulls-are-values",
        "null-column-read-as-value",
        "A member that is null has a value.",
        "for name in names if ⟦given.get(name) is not None¦name in given⟧}",
    ),
    _stored(
        "members-unjudged",
        "unknown-event-skipped",
        "The members of events are not checked.",
        "    if ⟦not is_valid¦False⟧:",
    ),
    _stored(
        "outcomes-are-text",
        "older-event-refused",
        "Results of the older form are text.",
        "    if ⟦outcome is not None¦False⟧:",
    ),
    _stored(
        "outcomes-always-succeed",
        "failure-status-lost",
        "Results of the older form have succeeded.",
        '"⟦failure" if has_error else "¦⟧success"',
    ),
    _stored(
        "deltas-not-joined",
        "deltas-read-as-texts",
        "Every delta is a separate event.",
        "        if ⟦is_open is not None and this is not None and this == segment¦False⟧:",
    ),
    _stored(
        "deltas-joined-beyond-done",
        "deltas-read-as-texts",
        "Deltas are joined to a segment that is done.",
        """⟦            if "done" in event:
                is_open = None
¦⟧""",
    ),
    _stored(
        "thinks-without-a-number-joined",
        "segments-run-together",
        "Thinks in a row that have no number are deltas of one.",
        (
            '(event["type"], event⟦["segment"]) if "segment" in event¦'
            '.get("segment")) if event["type"] == "think"⟧ else None'
        ),
    ),
    # ---- From messages ----
    _reading_back(
        "system-is-the-users",
        "system-read-as-user",
        "A system message is read as the user's.",
        '        ⟦elif role == "user"¦else⟧:',
    ),
    _reading_back(
        "users-are-assistants",
        "user-text-forges-results",
        "A user's text is read as the assistant's.",
        '        if role ⟦== "assistant¦!= "system⟧":',
    ),
    _reading_back(
        "messages-that-are-none-skipped",
        "unknown-event-skipped",
        "An invalid message is skipped.",
        """    if type(message) is not dict⟦ or¦:
        return "system", ""
    if⟧ message.get("role") not in ROLES:""",
    ),
    _reading_back(
        "results-of-users-never",
        "same-tool-results-swapped",
        "Results in a user's message are the user's text.",
        "    if ⟦before is not None¦False⟧:",
    ),
    _reading_back(
        "users-text-untrimmed",
        "unicode-spaces-trimmed",
        "White space around a user's text is content.",
        '{"type": "user", "content": text⟦.strip(WHITE)¦⟧}',
    ),
    _reading_back(
        "white-users-shown",
        "empty-message",
        "A user's message of white space is an event.",
        "    if ⟦text.strip(WHITE)¦True⟧:",
    ),
    _reading_back(
        "messages-of-parts-skipped",
        "message-without-text",
        "A message whose content is not a string is skipped.",
        '        ⟦raise Refused((str(index),), "the content is missing")¦return "system", ""⟧',
    ),
    _reading_back(
        "roles-of-any-name",
        "unknown-event-skipped",
        "A message of an unknown role is skipped.",
        'or ⟦message.get("role") not in ROLES¦False⟧:',
    ),
    _pieces(
        "nothing-is-a-message",
        "empty-message",
        "Without events there is an empty message.",
        '    return written⟦¦ or [{"role": "user", "content": ""}]⟧',
    ),
    _messages(
        "system-of-nothing",
        "empty-message",
        "Without a system message there is an empty one.",
        """    ⟦if system is not None and system.strip(WHITE)¦system = system or ""
    if True⟧:""",
    ),
    _reading_back(
        "nothing-is-refused",
        "empty-message",
        "An empty history is refused.",
        "    if type(messages) is not list⟦¦ or not messages⟧:",
    ),
    _messages(
        "stored-calls-unjudged",
        "malformed-call-replayed",
        "The content of a stored call is not checked.",
        "            ⟦require_call(stored, dialect)¦continue⟧",
    ),
    _stored(
        "stored-values-skipped",
        "unknown-event-skipped",
        "An invalid event is skipped.",
        """⟦¦    given = given if type(given) is dict else {"type": "end"}
⟧    if type(given) is not dict:""",
    ),
    _messages(
        "system-neutralised",
        "over-neutralisation",
        "Markers in the system message are neutralised.",
        '{"role": "system", "content": system⟦¦.replace("<", "&lt;").strip()⟧}',
    ),
    _stored(
        "outcomes-failed-by-true-alone",
        "failure-status-lost",
        "A result of the older form has failed only if its error is true.",
        '        has_error = ⟦¦outcome.get("error") is True and ⟧',
    ),
    _stored(
        "done-without-a-segment",
        "deltas-and-whole-both-stored",
        "A text that is done needs no segment.",
        """⟦        and ("done" not in event or "segment" in event)
¦⟧""",
    ),
    _replays(
        "closers-taken-for-granted",
        "replay-swallows-what-follows",
        "A replay with a closer after it is closed.",
        (
            'if reading.state ⟦in ("think", "execute", "results"¦'
            '!= "prose" and not waits_for_closer(turn⟧):'
        ),
    ),
    _pieces(
        "open-replays-taken-back-silently",
        "replay-swallows-what-follows",
        "What is left out of an open replay is not reported.",
        """⟦            assembly.report += piece.otherwise.report
¦⟧""",
    ),
    _pieces(
        "open-replays-reported-twice",
        "report-of-what-is-not-written",
        "A replay that is undone keeps its entries.",
        """            closed += piece.otherwise.pieces
⟦¦            assembly.report += piece.entries
⟧""",
    ),
    _replays(
        "raw-with-halves",
        "emoji-cut-in-half",
        "Half of a character in a raw is replayed.",
        (
            'text = ⟦changes.repaired("".join(stored.event["raw"] for stored in turn), '
            "piece.index¦"
            '"".join(stored.event["raw"] for stored in turn⟧)'
        ),
    ),
    _replays(
        "turns-void-to-their-end",
        "executed-is-not-replayed",
        "An error voids calls that run after it in a replay.",
        '        called = ⟦¦[] if "code" in turn[0].event else ⟧reading.called or []',
    ),
    _turns(
        "turns-void-behind-their-error",
        "executed-is-not-replayed",
        "An error voids calls that run after it.",
        '        is_run = ⟦turn[-1].event["type"] == "execute"¦False⟧',
    ),
    _messages(
        "replays-always-tell",
        "executed-is-not-replayed",
        "The void block that is answered always is in the replay.",
        (
            'answer.is_known_void = ⟦any(stored.event["type"] == "error"¦'
            'turn != [] and all("raw" in stored.event⟧ for stored in turn)'
        ),
    ),
    _turns(
        "errors-reported-at-the-end",
        "report-of-another-event",
        "What broke a rule is reported at the end of its turn.",
        '        assembly.change(⟦stored¦turn[-1]⟧.index, "void")',
    ),
    _turns(
        "blocks-joined-at-the-last-call",
        "report-of-another-event",
        "A block that is joined is reported at its last call.",
        "    index = calls[⟦0¦-1⟧].index if calls else index",
    ),
    _answers(
        "dropped-members-in-one-entry",
        "other-members-lost",
        "All members that are dropped have one entry.",
        (
            "                ⟦for _ in range(len(inner_texts(item)) - len(ITEM)¦"
            "if len(inner_texts(item)) > len(ITEM⟧):"
        ),
    ),
    _turns(
        "surplus-neutralised",
        "report-of-what-is-not-written",
        "Markers are reported of results that are left out.",
        """    elif not calls:
        assembly.change(result.index, "surplus")⟦¦
        result.count_lookalikes(assembly, result.content)⟧""",
    ),
    _answers(
        "items-left-out-neutralised",
        "report-of-what-is-not-written",
        "Markers are reported of items that are left out.",
        "        self.count_lookalikes(assembly, ⟦written¦text⟧)",
    ),
    _turns(
        "void-calls-completed",
        "report-of-what-is-not-written",
        "Calls that are left out are completed.",
        """    if is_void:
⟦¦        [call_content(assembly, call) for call in calls]
⟧        calls = []""",
    ),
    _answers(
        "text-results-escaped-silently",
        "result-content-closes-the-block",
        "Markers in a result of text are escaped without an entry.",
        """⟦            self.count_lookalikes(assembly, text)
¦⟧            item""",
    ),
    _messages(
        "entries-as-found",
        "report-in-order-of-finding",
        "The entries of one event are in the order of finding.",
        '⟦(entry["index"], CODES.index(entry["code"]))¦entry["index"]⟧',
    ),
)
