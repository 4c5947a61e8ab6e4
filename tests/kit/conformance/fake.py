"""Adapters that misbehave: the reference, but for one thing, which the command line names."""

import json
import os
import signal
import sys
import time
from itertools import chain
from pathlib import Path

from cogwire_kit import _adapter

#: The input on which an adapter shows what is wrong with it.
SIGN = "Hello"


def reply_to(request):
    return json.loads(_adapter.answer(json.dumps(request).encode()))


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


def greets_with_nothing(request):
    return {"id": request["id"]} if request["op"] == "hello" else reply_to(request)


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
    for name in ("stream", "raw", "spans", "limits", "mode", "start", "snapshots"):
        request.pop(name, None)
    return reply_to(request)


def shortens_ids(request):
    reply = reply_to(request)
    return reply | {"id": reply["id"].encode("ascii", "ignore").decode()}


def claims_no_tokens(request):
    reply = reply_to(request)
    if request["op"] == "hello":
        reply["dialects"] = {
            "xml-json": ["bytes", "raw", "spans", "limits", "transcript", "start", "turns"]
        }
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
        reply["close"] = feeds[-1] + reply["close"]
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
        due = time.process_time() + 0.015 * (len("".join(request["chunks"])) / 4000) ** 2
        while time.process_time() < due:
            pass
    return reply_to(request)


def counts_utf16(request):
    return reply_to(request) | ({"offset_unit": "utf16"} if request["op"] == "hello" else {})


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
            write(_adapter.answer(line))
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
