"""Adapters that misbehave: the reference, but for one thing, which the command line names.

What an adapter does otherwise is in a table where it is a value, and else a function: those that are
`asked` change the request before the reference answers it, and those that `answer` change its reply.
"""

import base64
import codecs
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
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
#: It can be read as JSON, and cannot be written.
DEEP = json.loads(900 * "[" + 900 * "]")
#: The members of a request that an adapter without abilities reads.
INPUT = {"chunks", "text", "cuts"}
ABILITIES = "bytes raw spans sealed limits transcript start turns"
#: What fresh inputs had in them, once.
DRAWN = re.compile(r"w[0-9a-f]{5,10}")


def write(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def line_of(reply):
    return json.dumps(reply).encode() + b"\n"


def events_of(reply):
    return chain(*reply.get("feeds", []), reply.get("close", []))


def has_been_here(path):
    """Return whether a process of this run has died already; leave a mark that one has."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


# --- Values instead of others -------------------------------------------------------------------

#: Members of the reply to `hello`.
HELLO = {
    "claims_an_odd_op": {"ops": ["parse", "fly"]},
    "claims_an_odd_ability": {"dialects": {"xml-json": ["token", "zip"]}},
    "claims_nothing": {"ops": [], "dialects": {}},
    "claims_no_tokens": {"dialects": {"xml-json": ABILITIES.split()}},
    "ignores_what_it_cannot": {"dialects": {"xml-json": []}},
    "ignores_snapshots": {
        "dialects": {"xml-json": [name for name in adapter.ABILITIES if name != "restore"]}
    },
    "speaks_another_protocol": {"protocol": 2},
    "counts_utf16": {"offset_unit": "utf16"},
    "greets_with_depth": {"name": DEEP},
    "has_an_odd_name": {"name": "od\x1b[31md\n\ud800", "version": "]]>&<"},
}
#: Members of the reply at the sign.
MEMBERS = {
    "writes_wrong_ids": {"id": "7"},
    "answers_another_shape": {"feeds": 5},
    "feeds_no_lists": {"feeds": [{"type": "end"}] * 2},
    "nests_a_little": {"feeds": DEEP},
    "writes_too_much": {"state": "x" * (3 << 20)},
}
#: What the reply at the sign has instead of its members.
INSTEAD = {
    "says_crashed": {"crashed": "IndexError: 5"},
    "says_error": {"error": "what?"},
    "says_unsupported": {"unsupported": "prose"},
}
#: What its reply to some requests is instead, and to which.
SOMETIMES = {
    "greets_with_nothing": ({}, lambda asked: asked["op"] == "hello"),
    "claims_no_tokens": (
        {"unsupported": "token"},
        lambda asked: asked.get("stream") == "token" or asked.get("snapshots"),
    ),
    # It claims everything, and calls what is hard unsupported.
    "drops_what_it_claims": (
        {"unsupported": "blocks"},
        lambda asked: "<execute>" in str(asked.get("chunks")),
    ),
    "refuses_cuts": (
        {"refused": "é\x9b\udfff"},
        lambda asked: asked["op"] == "parse" and asked.get("chunks", [])[1:] and has_sign(asked),
    ),
}
#: Members of each event at the sign.
EVENTS = {
    "has_times": {"timestamp": 1.5},
    "has_odd_members": {"\ud800": 1},
    "has_halves": {"content": "\ud800 \x1b[31m"},
    "has_numbers_for_text": {"content": 5},
}
#: Members of each error, of a request in so many chunks.
ERRORS = {
    "errs_later": lambda error, _: {"offset": error["offset"] + 1},
    "errs_earlier": lambda error, _: {"offset": error["offset"] - 1},
    "has_no_message": lambda *_: {"content": None},
    "has_an_empty_message": lambda *_: {"content": ""},
    "has_other_words": lambda _, chunks: {"content": str(len(chunks))},
}
#: The member of requests that it passes over.
IGNORED = {"ignores_cuts": "cuts", "ignores_snapshots": "snapshots"}
#: The chunks that it reads instead of those of a request.
CHUNKS = {
    # The last character of every chunk that ends in a comma is lost, but not of the last chunk.
    "loses_a_letter": lambda chunks: [c.removesuffix(",") for c in chunks[:-1]] + chunks[-1:],
    # So is that of every chunk that is longer than those of the corpus.
    "loses_beyond_a_buffer": lambda chunks: [c[:-1] if len(c) > 8000 else c for c in chunks],
}
#: For how many seconds it sleeps before it answers an op.
SLEEPS = {
    "starts_slowly": {"hello": 0.3},
    "never_greets": {"hello": 60},
    "sleeps": {"parse": 0.05},
}
#: What is written at the sign, of the line that should be.
LINES = {
    "writes_garbage": lambda _: b"Warning: this is no JSON\n",
    "writes_a_list": lambda _: b"[1]\n",
    "repeats_a_member": lambda line: line.replace(b'"close": ', b'"close": [], "close": '),
    "writes_a_mark": lambda line: b"\xef\xbb\xbf" + line,
    "writes_latin": lambda line: line.replace(b"you", b"yo\xfc"),
    "answers_twice": lambda line: line + line,
    "nests": lambda line: line[:-2] + b', "deep": %s}\n' % (1000 * b"[" + 1000 * b"]"),
    "says_no_number": lambda line: line.replace(b'"discarded": 0', b'"discarded": NaN'),
}

# --- What is done before the reference is asked ---------------------------------------------------

asked, answers = {}, {}


def asks(change):
    """Let an adapter change each request."""
    asked[change.__name__] = change
    return change


def at_the_sign(change):
    """Let it do something at the sign alone."""
    asked[change.__name__] = lambda request: change(request) if has_sign(request) else None


def has_sign(request):
    return SIGN in "".join(request.get("chunks", []))


@at_the_sign
def dies(_):
    sys.stderr.write("out of luck\n")
    sys.exit(3)


@asks
def dies_of_an_emoji(request):
    """Die of it wherever it comes, with another long trace each time."""
    if "😀" in "".join([*request.get("chunks", []), request.get("text", "")]):
        sys.stderr.write(f"panic: {time.time()}\n" + "a frame\n" * 900 + "the end\n")
        sys.exit(3)


@at_the_sign
def dies_of_a_signal(_):
    os.kill(os.getpid(), signal.SIGKILL)


@at_the_sign
def dies_at_cut_text(request):
    """Die when the sign comes in more than one chunk."""
    if len(request["chunks"]) > 1:
        sys.exit(3)


@at_the_sign
def hangs(_):
    time.sleep(60)


@at_the_sign
def writes_half_a_line(_):
    write(b'{"id": "1", "fee')
    sys.exit(0)


@at_the_sign
def leaves_a_child(_):
    """Die, and leave a child in a session of its own that holds all pipes."""
    subprocess.Popen(["sleep", "30"], start_new_session=True)
    sys.exit(3)


@at_the_sign
def floods(_):
    """Write without end."""
    while True:
        write(b"x" * 60_000 + b"\n")


@asks
def is_loud(_):
    sys.stderr.write(100_000 * "x" + "\n")


@asks
def grows(request):
    """Work for a time that grows with the square of the input."""
    works(0.015 * (len("".join(request.get("chunks", ""))) / 4000) ** 2)


@asks
def grows_with_raw(request):
    """Do so only to account for the text."""
    if request.get("raw"):
        works(0.03 * (len("".join(request["chunks"])) / 1000) ** 2)


@asks
def grows_with_snapshots(request):
    """Work for a time that grows with the square of the number of snapshots."""
    works(0.15 * (len(request.get("snapshots", ())) / 150) ** 2)


@asks
def dozes(request):
    """Work as long as the input is, and sleep for a time that grows with its square."""
    size = len("".join(request.get("chunks", ""))) / 4000
    works(0.04 * size)
    time.sleep(0.2 * size**2)


@asks
def keeps_answers(request, kept=set()):  # noqa: B006 - that is the fault
    """Work for a time that grows with the square of what no kept text begins with."""
    text = "".join(request.get("chunks", ""))
    known = 0
    while any(one[: known + 1] == text[: known + 1] for one in kept) and known < len(text):
        known += 1
    grows({"chunks": text[known:]})
    if len(text) > 1000:
        kept.add(text)


@asks
def keeps_rests(request, kept=set()):  # noqa: B006 - that is the fault
    """Work for a time that grows with the square of a text, except of one that differs in a line."""
    text = "".join(request.get("chunks", ""))
    _, _, rest = text.partition("\n")
    if rest not in kept:
        grows(request)
    kept.add(rest)


def works(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


@asks
def falls_now_and_then(request, seen=[]):  # noqa: B006 - it counts
    """Die of every 300th request, whatever it is."""
    seen.append(request["op"])
    if len(seen) > 300:
        sys.exit(3)


@asks
def dies_once(request, seen=[]):  # noqa: B006 - it counts
    """Die in the midst of the run, if no other process has."""
    seen.append(request["op"])
    if len(seen) == 351 and not has_been_here(sys.argv[2]):
        sys.exit(3)


@asks
def interrupts(request, seen=[], by=signal.SIGINT):  # noqa: B006 - it counts
    """Interrupt the runner, as its user does, in the midst of the run."""
    seen.append(request["op"])
    if len(seen) == 600:
        os.kill(os.getppid(), by)


@asks
def ends_the_runner(request):
    """End the runner, as a system that shuts down does."""
    interrupts(request, by=signal.SIGTERM)


@asks
def remembers(request, seen=[]):  # noqa: B006 - that is the fault
    seen.extend(request.get("chunks", []))
    if request["op"] == "parse" and any("<think>" in chunk for chunk in seen):
        request["start"] = "think"


@asks
def takes_any_dialect(request):
    if request["op"] == "parse":
        request["dialect"] = "xml-json"


@asks
def ignores_what_it_cannot(request):
    if request["op"] != "hello":
        for name in request.keys() - {"id", "op", "dialect", *INPUT}:
            del request[name]


@asks
def knows_the_corpus(request):
    """Know every input of the corpus by heart, and take all else for prose."""
    if isinstance(chunks := request.get("chunks"), list):
        text = "".join(chunks)
        if not any(known.startswith(text) for known in KNOWN):
            # No marker is one any more.
            request["chunks"] = [chunk.replace("<", "(") for chunk in chunks]


@asks
def knows_what_is_drawn(request):
    """Read what is in the corpus, and what looks as if it was drawn, and take all else for prose."""
    if not DRAWN.search("".join(request.get("chunks", ""))):
        knows_the_corpus(request)


@asks
def ends_blocks_in_strings(request):
    """Take the first closer for the end of a block, also in a string, where no case has the text."""
    text = "".join(chunks := request.get("chunks", []))
    block, _, rest = text.partition("</execute>")
    size = len(block)
    if '"' in rest.partition("</execute>")[0] and not any(text in known for known in KNOWN):
        for place, chunk in enumerate(chunks):
            if size < len(chunk):
                chunks[place] = f"{chunk[:size]}x{chunk[size:]}"
                break
            size -= len(chunk)


@asks
def drops_ill_formed_bytes(request):
    if "chunks_b64" in request:
        decode = codecs.getincrementaldecoder("utf-8")("ignore").decode
        chunks = [decode(base64.b64decode(chunk)) for chunk in request["chunks_b64"]]
        request["chunks_b64"] = [base64.b64encode(chunk.encode()).decode() for chunk in chunks]


@asks
def sorts_cuts(request):
    request.get("cuts", []).sort()


@asks
def prefers_chunks(request):
    if "chunks" in request:
        request.pop("text", None)


@asks
def passes_over_call_deltas(request):
    if request.get("stream") != "token":
        request.pop("call_deltas", None)


@asks
def gives_deltas_for_events(request):
    if request["op"] == "parse":
        request["stream"] = "token"


@asks
def is_small(request):
    """Take a wrong type for granted."""
    if isinstance(request.get("chunks"), str):
        request["chunks"] = [request["chunks"]]


# --- What is changed in its reply -----------------------------------------------------------------


def replies(change):
    """Let an adapter change each reply, or return another one."""
    answers[change.__name__] = change
    return change


@replies
def claims_less_later(request, _):
    """Claim nothing in every process but the first, which dies."""
    if request["op"] == "hello" and has_been_here(sys.argv[2]):
        return {"id": request["id"]}
    return sys.exit(3) if has_sign(request) else None


@replies
def takes_any_op(request, reply):
    if "unsupported" in reply:
        return reply_to({**request, "op": "parse", "dialect": "xml-json", "chunks": ["Hi"]})
    return None


@replies
def knows_its_lines(request, reply):
    """Answer every parse with what the first case expects."""
    if request["op"] != "parse" or "unsupported" in reply:
        return None
    return reply_to({"id": request["id"], "op": "parse", "chunks": ["Hello, you."]})


@replies
def executes_anything(_, reply):
    if any(event["type"] == "error" for event in chain(*reply.get("feeds", []))):
        reply["feeds"][-1] = [{"type": "execute"}]


@replies
def shortens_ids(_, reply):
    reply["id"] = reply["id"].encode("ascii", "ignore").decode()


@replies
def answers_at_the_close(request, reply):
    """Emit nothing before the end of the text."""
    for turn in reply.get("turns", [reply] if "feeds" in reply else []):
        if request.get("close", True):
            turn |= {"feeds": [[] for _ in turn["feeds"]], "close": list(events_of(turn))}


@replies
def numbers_on(_, reply, seen=[]):  # noqa: B006 - that is the fault
    """Let the numbers of segments go on from request to request."""
    before = len(seen)
    for event in events_of(reply):
        if "segment" in event:
            seen.append(event["segment"])
            event["segment"] += before


@replies
def tires(_, reply, seen=[]):  # noqa: B006 - that is the fault
    """Lose what runs calls in a process that has answered 300 requests."""
    seen.append(None)
    for feed in (*reply.get("feeds", ()), reply.get("close", [])) if len(seen) > 300 else ():
        feed[:] = [event for event in feed if event["type"] != "execute"]


@replies
def keeps_what_is_far(request, reply):
    """Keep what comes after 20,000 characters of prose alone to the end."""
    chunks, size = request.get("chunks", []), 0
    for place, chunk in enumerate(chunks):
        size += len(chunk)
        if size > 20_000 and "<" not in "".join(chunks[: place + 1]):
            kept = [event for feed in reply["feeds"][place:] for event in feed]
            reply["feeds"][place:] = [[] for _ in chunks[place:]]
            reply["close"] = [*kept, *reply["close"]]
            break
    return reply


@replies
def is_late(request, reply):
    """Give every event one chunk too late."""
    if "feeds" in reply and len(reply["feeds"]) > 1:
        feeds = reply["feeds"]
        reply["close"] = feeds[-1] + reply["close"] if request.get("close", True) else []
        reply["feeds"] = [[], *feeds[:-1]]


@replies
def is_early(_, reply):
    """Give every event one chunk too early, which takes a prophet."""
    if "feeds" in reply and len(reply["feeds"]) > 1:
        first, second, *others = reply["feeds"]
        reply["feeds"] = [first + second, *others, []]


@replies
def is_late_elsewhere(request, reply):
    """Give every event at the end, unless the input is in the corpus."""
    text = "".join(request.get("chunks", ""))
    if "feeds" in reply and not any(known.startswith(text) for known in KNOWN):
        reply |= {"feeds": [[] for _ in reply["feeds"]], "close": list(events_of(reply))}


@replies
def counts_with_two_bytes(_, reply):
    if "discarded" in reply:
        reply["discarded"] &= 0xFFFF


@replies
def counts_on_in_later_turns(_, reply):
    """Count in each turn what the turns before it have discarded."""
    counted = 0
    for turn in reply.get("turns", []):
        turn["discarded"] = counted = counted + turn["discarded"]


@replies
def has_no_call_deltas(_, reply):
    for feed in reply.get("feeds", []):
        feed[:] = [event for event in feed if event["type"] != "call_delta"]


@replies
def keeps_snapshots_to_itself(request, reply, kept={}):  # noqa: B006 - that is the fault
    """Show the numbers of its snapshots, which no other process knows."""
    if "saved" in reply:
        kept |= {len(kept) + n: value for n, value in enumerate(reply["saved"])}
        reply["saved"] = list(kept)[-len(reply["saved"]) :]
    number = request.get("restore")
    if not isinstance(number, int):
        return None
    own = {"restore": kept[number]} if number in kept else {}
    return reply_to({name: value for name, value in request.items() if name != "restore"} | own)


@replies
def keeps_snapshots_in_files(request, reply, kept=[]):  # noqa: B006 - as long as the process lives
    """Show the names of files, which every process on this machine can read."""
    if "saved" in reply:
        kept = kept or kept.append(tempfile.TemporaryDirectory()) or kept
        folder = Path(kept[0].name)
        for place, value in enumerate(reply["saved"]):
            path = folder / str(sum(1 for _ in folder.iterdir()))
            path.write_text(json.dumps(value), "utf-8")
            reply["saved"][place] = str(path)
    if not isinstance(request.get("restore"), str):
        return None
    path = Path(request["restore"])
    value = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return reply_to({**request, "restore": value})


@replies
def stores_what_is_emitted(_, reply):
    """Leave the text of an open think out of snapshots, which is right for the token stream alone."""
    for value in reply.get("saved", ()):
        if value["region"] == "think":
            value["text"] = ""


@asks
def forgets_its_start_when_stored(request):
    """Restore a parser whose next turns begin in prose, whatever was asked for."""
    if "snapshots" in request and "turns" in request:
        request.pop("start", None)


@replies
def begins_anew(request, reply):
    """Read with a new parser where the snapshot cannot be read, unless nothing is in it."""
    if "refused" in reply and request.get("restore"):
        return reply_to({name: value for name, value in request.items() if name != "restore"})
    return None


@replies
def has_its_own_numbers(_, reply):
    """Count segments from 1."""
    for event in events_of(reply):
        if "segment" in event:
            event["segment"] += 1


@replies
def forgets_when_stored(request, reply):
    """Lose what was held back when a snapshot is taken."""
    if request.get("snapshots") and has_sign(request):
        reply["close"] = []


@replies
def shows_the_broken_call(_, reply):
    """Emit a call before the error that voids it."""
    for feed in reply.get("feeds", []):
        if [event["type"] for event in feed] == ["error"]:
            feed.insert(0, {"type": "call", "content": "{}"})


ERROR = {"type": "error", "code": "json-syntax", "content": "?", "offset": 0, "calls": 0}


@replies
def refuses_everything(_, reply):
    """Call every block broken."""
    for event in chain(*reply.get("feeds", [])):
        if event["type"] == "execute":
            event.update(ERROR)


@replies
def knows_results_by_heart(request, reply):
    """Know what the corpus has written as results, and write nothing else."""
    if request["op"] == "results" and json.dumps(request["results"]) not in WRITTEN:
        reply["text"] = "<results>\n[]\n</results>"


@replies
def knows_its_raw_by_heart(request, reply):
    """Account for the inputs of the corpus alone."""
    if request.get("raw") and "".join(request["chunks"]) not in KNOWN:
        for event in events_of(reply):
            event["raw"] = ""


@replies
def has_bare_errors(_, reply):
    """Report nothing of an error but its code and its place, and not where the text ended."""
    for event in errors_of(reply):
        del event["content"], event["calls"]
    reply.pop("state", None)


@replies
def spells_calls_anew(_, reply):
    """Give the values of a call in the spelling of another writer."""
    for event in events_of(reply):
        if event["type"] == "call":
            event["content"] = json.dumps(json.loads(event["content"]))


def errors_of(reply):
    return [event for event in events_of(reply) if event["type"] == "error"]


LACKS = {"offset", "path", "calls", "messages", "state", "discarded", "verbatim-calls", "prompt"}


@replies
def lacks_much(request, reply):
    """Report little of an error, and serialize calls again, and declare all of it."""
    if request["op"] == "hello":
        abilities = {name: [] for name in reply["dialects"]}
        return reply | {"lacks": sorted(LACKS), "ops": ["parse"], "dialects": abilities}
    if request["op"] != "parse" or request.keys() - {"id", "op", "dialect", *INPUT}:
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


# --- The process ----------------------------------------------------------------------------------


def reply_to(request):
    return json.loads(adapter.answer(line_of(request)))


def answer(kind, request):
    """Return the line that an adapter of this kind writes."""
    asked.get(kind, lambda _: None)(request)
    time.sleep(SLEEPS.get(kind, {}).get(request["op"], 0))
    request.pop(IGNORED.get(kind), None)
    if kind in CHUNKS and isinstance(request.get("chunks"), list):
        request["chunks"] = CHUNKS[kind](request["chunks"])
    reply = reply_to(request)
    reply = answers.get(kind, lambda *_: None)(request, reply) or reply
    instead, is_asked = SOMETIMES.get(kind, ({}, lambda _: False))
    if is_asked(request):
        reply = {"id": request["id"], **instead}
    if request["op"] == "hello":
        reply |= HELLO.get(kind, {})
    for error in errors_of(reply) if kind in ERRORS else ():
        error.update(ERRORS[kind](error, request.get("chunks", ())))
    # It keeps the other replies, as where output is not flushed.
    if kind == "answers_hello_alone" and request["op"] != "hello":
        return b""
    if not has_sign(request):
        return line_of(reply)
    reply |= MEMBERS.get(kind, {})
    if kind in INSTEAD:
        reply = {"id": reply["id"], **INSTEAD[kind]}
    for event in events_of(reply) if kind in EVENTS else ():
        event.update(EVENTS[kind])
    return LINES.get(kind, lambda line: line)(line_of(reply))


def main():
    kind = sys.argv[1]
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
            assert isinstance(request, dict)
            assert isinstance(request.get("id"), str)
        except (ValueError, AssertionError):
            write(adapter.answer(line))
        else:
            write(answer(kind, request))
    if kind == "adds_a_line":
        write(b"{}\n")
    if kind == "exits_with_one":
        sys.exit(1)
    if kind == "never_exits":
        time.sleep(60)


if __name__ == "__main__":
    main()
