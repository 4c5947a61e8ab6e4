"""Adapters that misbehave: the reference, but for one thing, which the command line names."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

from cogwire_kit import adapter
from cogwire_kit.conformance import corpus

#: The input on which an adapter shows what is wrong with it.
SIGN = "Hello"
SMALL = Path(__file__).parent / "corpus"
#: All inputs of the small corpus.
KNOWN = {
    case.input if "growth" not in case.data else corpus.expanded(case.data["input"], n)
    for case in corpus.load(SMALL)
    if case.op == "parse"
    for n in case.data.get("growth", {"": 0}).values()
}
#: The results that cases of the whole corpus have written.
WRITTEN = {
    json.dumps(corpus.expanded(case.data["request"])["results"])
    for case in (corpus.load() if sys.argv[1:2] == ["knows_results_by_heart"] else ())
    if case.op == "results"
}


def reply_to(request):
    return json.loads(adapter.answer(json.dumps(request).encode()))


def write(reply):
    line = reply if isinstance(reply, bytes) else json.dumps(reply).encode() + b"\n"
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def has_sign(request):
    return SIGN in "".join(request.get("chunks", []))


def dies(request):
    if has_sign(request):
        sys.stderr.write("out of luck\n")
        sys.exit(3)
    return reply_to(request)


def dies_of_a_signal(request):
    if has_sign(request):
        os.kill(os.getpid(), signal.SIGKILL)
    return reply_to(request)


def dies_at_cut_text(request):
    """Die when the sign comes in more than one chunk."""
    if has_sign(request) and len(request["chunks"]) > 1:
        sys.exit(3)
    return reply_to(request)


def hangs(request):
    if has_sign(request):
        time.sleep(60)
    return reply_to(request)


def writes_garbage(request):
    return b"Warning: this is no JSON\n" if has_sign(request) else reply_to(request)


def writes_half_a_line(request):
    if has_sign(request):
        write(b'{"id": "1", "fee')
        sys.exit(0)
    return reply_to(request)


def writes_a_mark(request):
    """Put a byte order mark before the line."""
    reply = reply_to(request)
    return b"\xef\xbb\xbf" + json.dumps(reply).encode() + b"\n" if has_sign(request) else reply


def writes_wrong_ids(request):
    return reply_to(request) | ({"id": "7"} if has_sign(request) else {})


def writes_a_list(request):
    return b"[1]\n" if has_sign(request) else reply_to(request)


def answers_twice(request):
    reply = reply_to(request)
    if has_sign(request):
        write(reply)
    return reply


def answers_another_shape(request):
    reply = reply_to(request)
    if has_sign(request):
        reply["feeds"] = 5
    return reply


def says_crashed(request):
    if has_sign(request):
        return {"id": request["id"], "crashed": "IndexError: 5"}
    return reply_to(request)


def says_error(request):
    return {"id": request["id"], "error": "what?"} if has_sign(request) else reply_to(request)


def says_unsupported(request):
    if has_sign(request):
        return {"id": request["id"], "unsupported": "prose"}
    return reply_to(request)


def is_loud(request):
    sys.stderr.write(100_000 * "x" + "\n")
    return reply_to(request)


def starts_slowly(request):
    if request["op"] == "hello":
        time.sleep(0.3)
    return reply_to(request)


def never_greets(request):
    time.sleep(60)


def answers_hello_alone(request):
    """Keep every other reply, as where output is not flushed."""
    return reply_to(request) if request["op"] == "hello" else b""


def greets_with_nothing(request):
    return {"id": request["id"]} if request["op"] == "hello" else reply_to(request)


def claims_an_odd_op(request):
    return reply_to(request) | ({"ops": ["parse", "fly"]} if request["op"] == "hello" else {})


def claims_an_odd_ability(request):
    odd = {"dialects": {"xml-json": ["token", "zip"]}}
    return reply_to(request) | (odd if request["op"] == "hello" else {})


def claims_nothing(request):
    if request["op"] == "hello":
        return reply_to(request) | {"ops": [], "dialects": {}}
    return reply_to(request)


def speaks_another_protocol(request):
    return reply_to(request) | ({"protocol": 2} if request["op"] == "hello" else {})


def takes_any_op(request):
    if "unsupported" in (reply := reply_to(request)):
        return reply_to({**request, "op": "parse", "dialect": "xml-json", "chunks": ["Hi"]})
    return reply


def takes_any_dialect(request):
    if request["op"] == "parse":
        request["dialect"] = "xml-json"
    return reply_to(request)


def knows_its_lines(request):
    """Answer every parse with what the first case expects."""
    if request["op"] != "parse" or "unsupported" in reply_to(request):
        return reply_to(request)
    return reply_to({"id": request["id"], "op": "parse", "chunks": ["Hello, you."]})


def executes_anything(request):
    reply = reply_to(request)
    if any(event["type"] == "error" for event in chain(*reply.get("feeds", []))):
        reply["feeds"][-1] = [{"type": "execute"}]
    return reply


def remembers(request, seen=[]):  # noqa: B006 - that is the fault
    seen.extend(request.get("chunks", []))
    if request["op"] == "parse" and any("<think>" in chunk for chunk in seen):
        request["start"] = "think"
    return reply_to(request)


def ignores_cuts(request):
    request.pop("cuts", None)
    return reply_to(request)


def ignores_what_it_cannot(request):
    if request["op"] == "hello":
        reply = reply_to(request)
        reply["dialects"] = {"xml-json": []}
        return reply
    names = "stream raw spans calls call_deltas limits mode start snapshots"
    for name in names.split():
        request.pop(name, None)
    return reply_to(request)


def shortens_ids(request):
    reply = reply_to(request)
    return reply | {"id": reply["id"].encode("ascii", "ignore").decode()}


def claims_no_tokens(request):
    reply = reply_to(request)
    if request["op"] == "hello":
        abilities = "bytes raw spans sealed limits transcript start turns"
        reply["dialects"] = {"xml-json": abilities.split()}
        return reply
    if request.get("stream") == "token" or request.get("snapshots"):
        return {"id": request["id"], "unsupported": "token"}
    return reply


def answers_at_the_close(request):
    """Read whole texts only."""
    reply = claims_no_tokens(request)
    if "feeds" in reply:
        events = [*chain(*reply["feeds"]), *reply["close"]]
        reply |= {"feeds": [[] for _ in reply["feeds"]], "close": events}
    return reply


def is_late(request):
    """Give every event one chunk too late."""
    reply = reply_to(request)
    if "feeds" in reply and len(reply["feeds"]) > 1:
        feeds = reply["feeds"]
        reply["close"] = feeds[-1] + reply["close"] if request.get("close", True) else []
        reply["feeds"] = [[], *feeds[:-1]]
    return reply


def loses_a_letter(request):
    """Lose the last character of every chunk that ends in a comma, but not of the last chunk."""
    if isinstance(chunks := request.get("chunks"), list):
        request["chunks"] = [c.removesuffix(",") for c in chunks[:-1]] + chunks[-1:]
    return reply_to(request)


def has_its_own_numbers(request):
    """Count segments from 1."""
    reply = reply_to(request)
    for event in [e for feed in reply.get("feeds", []) for e in feed] + reply.get("close", []):
        if "segment" in event:
            event["segment"] += 1
    return reply


def forgets_when_stored(request):
    """Lose what was held back when a snapshot is taken."""
    reply = reply_to(request)
    if request.get("snapshots") and has_sign(request):
        reply["close"] = []
    return reply


def refuses_everything(request):
    """Call every block broken."""
    reply = reply_to(request)
    for feed in reply.get("feeds", []):
        for event in feed:
            if event["type"] == "execute":
                event |= {
                    "type": "error",
                    "code": "json-syntax",
                    "content": "?",
                    "offset": 0,
                    "calls": 0,
                }
    return reply


def grows(request):
    """Work for a time that grows with the square of the input."""
    if "chunks" in request:
        until = time.process_time() + 0.015 * (len("".join(request["chunks"])) / 4000) ** 2
        while time.process_time() < until:
            pass
    return reply_to(request)


def dozes(request):
    """Work as long as the input is, and sleep for a time that grows with its square."""
    if "chunks" in request:
        size = len("".join(request["chunks"])) / 4000
        until = time.process_time() + 0.04 * size
        while time.process_time() < until:
            pass
        time.sleep(0.12 * size**2)
    return reply_to(request)


def counts_utf16(request):
    return reply_to(request) | ({"offset_unit": "utf16"} if request["op"] == "hello" else {})


# --- Liars, and what no runner may die of ------------------------------------------------------


def knows_the_corpus(request):
    """Know every input of the corpus by heart, and take all else for prose."""
    if isinstance(chunks := request.get("chunks"), list):
        text = "".join(chunks)
        if not any(known.startswith(text) for known in KNOWN):
            # No marker is one any more.
            request["chunks"] = [chunk.replace("<", "(") for chunk in chunks]
    return reply_to(request)


def knows_results_by_heart(request):
    """Know what the corpus has written as results, and write nothing else."""
    reply = reply_to(request)
    if request["op"] == "results" and json.dumps(request["results"]) not in WRITTEN:
        reply["text"] = "<results>\n[]\n</results>"
    return reply


def knows_its_raw_by_heart(request):
    """Account for the inputs of the corpus alone."""
    reply = reply_to(request)
    if request.get("raw") and "".join(request["chunks"]) not in KNOWN:
        for event in events_of(reply):
            event["raw"] = ""
    return reply


def gives_deltas_for_events(request):
    return reply_to(request | ({"stream": "token"} if request["op"] == "parse" else {}))


def drops_what_it_claims(request):
    """Claim everything, and call what is hard unsupported."""
    if any("<execute>" in chunk for chunk in request.get("chunks", [])):
        return {"id": request["id"], "unsupported": "blocks"}
    return reply_to(request)


def sleeps(request):
    if request["op"] == "parse":
        time.sleep(0.05)
    return reply_to(request)


def falls_now_and_then(request, seen=[]):  # noqa: B006 - it counts
    """Die of every 300th request, whatever it is."""
    seen.append(request["op"])
    if len(seen) > 300:
        sys.exit(3)
    return reply_to(request)


def interrupts(request, seen=[]):  # noqa: B006 - it counts
    """Interrupt the runner, as its user does, in the midst of the run."""
    seen.append(request["op"])
    if len(seen) == 400:
        os.kill(os.getppid(), signal.SIGINT)
    return reply_to(request)


def leaves_a_child(request):
    """Die, and leave a child in a session of its own that holds all pipes."""
    if has_sign(request):
        subprocess.Popen(["sleep", "30"], start_new_session=True)
        sys.exit(3)
    return reply_to(request)


def floods(request):
    """Write without end."""
    while has_sign(request):
        write(b"x" * 60_000 + b"\n")
    return reply_to(request)


def writes_too_much(request):
    reply = reply_to(request)
    return reply | ({"state": "x" * (3 << 20)} if has_sign(request) else {})


def events_of(reply):
    return chain(*reply.get("feeds", []), reply.get("close", []))


def changing(**members):
    """Return an adapter whose events at the sign have these members, too."""

    def change(request):
        reply = reply_to(request)
        for event in events_of(reply) if has_sign(request) else ():
            event.update(members)
        return reply

    return change


has_times = changing(timestamp=1.5)
has_odd_members = changing(**{"\ud800": 1})
has_halves = changing(content="\ud800 \x1b[31m")
has_numbers_for_text = changing(content=5)


def in_error(change):
    """Return an adapter that changes its errors."""

    def changed(request):
        reply = reply_to(request)
        for event in events_of(reply):
            if event["type"] == "error":
                change(request, event)
        return reply

    return changed


has_no_message = in_error(lambda _, event: event.update(content=None))
has_other_words = in_error(lambda asked, event: event.update(content=str(len(asked["chunks"]))))


def refuses_cuts(request):
    if request["op"] == "parse" and len(request.get("chunks", "")) > 1 and has_sign(request):
        return {"id": request["id"], "refused": "\udfff"}
    return reply_to(request)


def nests(request):
    if has_sign(request):
        return b'{"id": "%s", "feeds": %s}\n' % (request["id"].encode(), 1000 * b"[" + 1000 * b"]")
    return reply_to(request)


def nests_a_little(request):
    """Nest so deep that JSON can be read, and not so deep that it can be written."""
    reply = reply_to(request)
    if has_sign(request):
        reply["feeds"] = json.loads(900 * "[" + 900 * "]")
    return reply


def greets_with_depth(request):
    name = json.loads(900 * "[" + 900 * "]")
    return reply_to(request) | ({"name": name} if request["op"] == "hello" else {})


def claims_less_later(request):
    """Claim nothing in every process but the first, which dies."""
    reply = reply_to(request)
    if request["op"] == "hello" and has_been_here(sys.argv[2]):
        return {"id": request["id"]}
    return dies(request) if has_sign(request) else reply


def feeds_no_lists(request):
    reply = reply_to(request)
    if has_sign(request):
        reply["feeds"] = [{"type": "end"} for _ in reply["feeds"]]
    return reply


def has_an_odd_name(request):
    return reply_to(request) | (
        {"name": "od\x1b[31md\n\ud800", "version": "]]>&<"} if request["op"] == "hello" else {}
    )


def says_no_number(request):
    line = json.dumps(reply_to(request)).replace('"discarded": 0', '"discarded": NaN')
    return line.encode() + b"\n" if has_sign(request) else reply_to(request)


def is_small(request):
    """Take a wrong type for granted."""
    if isinstance(request.get("chunks"), str):
        request["chunks"] = [request["chunks"]]
    return reply_to(request)


# --- What is lacking ----------------------------------------------------------------------------

LACKS = {"offset", "path", "calls", "messages", "state", "discarded", "verbatim-calls", "prompt"}


def lacks_much(request):
    """Report little of an error, and serialize calls again, and declare all of it."""
    reply = reply_to(request)
    if request["op"] == "hello":
        abilities = {name: [] for name in reply["dialects"]}
        return reply | {"lacks": sorted(LACKS), "ops": ["parse"], "dialects": abilities}
    if request["op"] != "parse" or request.keys() - {
        "id",
        "op",
        "dialect",
        "chunks",
        "text",
        "cuts",
    }:
        known = ("error", "unsupported")
        other = {"unsupported": "this"} if not reply.keys() & set(known) else {}
        return {n: v for n, v in reply.items() if n in ("id", *known)} | other
    for event in events_of(reply):
        for name in ("offset", "path", "calls", "content") if event["type"] == "error" else ():
            event.pop(name, None)
        if event["type"] == "call":
            call = json.loads(event["content"])
            event["content"] = json.dumps({"args": call["args"], "name": call["name"]}, indent=1)
    return {n: v for n, v in reply.items() if n not in ("state", "discarded")}


def exits_with_one(request):
    return reply_to(request)


def never_exits(request):
    return reply_to(request)


def main():
    kind = sys.argv[1]
    for number, line in enumerate(sys.stdin.buffer):
        try:
            request = json.loads(line)
            assert isinstance(request, dict)
            assert isinstance(request.get("id"), str)
        except (ValueError, AssertionError):
            write(adapter.answer(line))
            continue
        if kind == "dies_once":
            # Only the first process does, in the midst of the run.
            if number == 150 and not has_been_here(sys.argv[2]):
                sys.exit(3)
            write(reply_to(request))
        else:
            write(globals()[kind](request))
    if kind == "exits_with_one":
        sys.exit(1)
    if kind == "never_exits":
        time.sleep(60)


def has_been_here(path):
    """Return whether a process of this run has died already; leave a mark that one has."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


if __name__ == "__main__":
    main()
