"""The implementation in JavaScript, held against the core: two readings of one specification."""

import base64
import json
import random
import subprocess
import threading
from pathlib import Path

from cogwire_kit import _adapter

ADAPTER = Path(__file__).parents[2] / "conformance" / "adapters" / "javascript"
STREAMS = 2_000
#: How many requests one write holds: no more may be unanswered.
IN_FLIGHT = 64

# --- Random streams ---------------------------------------------------------------------------

MARKERS = ["<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>", "<end>"]
NEAR = ["<", "</", "<t", "<exec", "</exec", "<resu", "<e", "<THINK>", "<end/>", "&lt;end>", ">"]
RARE = ["\0", "\x1f", "\x7f", "\u00a0", "\u2028", "\ufeff", "\ufffd", "é", "日", "\U0001f600"]
HALVES = ["\ud83d", "\ude00", "\udfff", "\ud800"]
WHITE = ["", "", "", " ", "\n", "  ", "\t", "\r\n", " \n "]
WORDS = ["a", "Hi.", "look at it", "x < y", "`code`", "§end", "[1]", '{"name": "a"}']
STRINGS = [
    *["a", "b", "name", "args", "tool", "status", "content", "execute", "success", "failure"],
    *["", "</execute>", "</results>", "<end>", "\\n", '\\"', "\\\\", "\\/", "\\b", "\\u0061"],
    *["\\ud83d\\ude00", "\\u00e9", "a/b", "~", "x y", "__proto__", *RARE[3:]],
]
BROKEN = [
    *['"\\ud83d"', '"\\ude00"', '"\\ud83dx"', '"\\ud83d\\n"', '"\\ud83d\\x"', '"\\u12g4"'],
    *['"\\ud83d\\u0041"', '"\n"', '"', "\\", "'a'", "NaN", "True", "nul", "12345678"],
    *["01", "+1", ".5", "1.", "1e", "-", "1e999", "-1e999", "0.000001e+10", "9" * 309],
    *["[1,]", "[", "[[[[]]]]", "{", '{"a":1,}', "{a:1}", '{"a":{"b":{}}}'],
    *['{"a":1,"a":2}', '{"a":1,"\\u0061":2}'],
]
NUMBERS = [
    *["0", "-0", "1", "12", "-3.5", "1.50", "1e5", "1E-400", "1e308"],
    *["9007199254740993", "9" * 40],
]
PIECES = [
    *[*MARKERS, *NEAR, *RARE, *BROKEN, "{", "}", "[", "]", ":", ",", "{}", "}}]", " ", "\n"],
    *['"name"', '"args"', '"name":"a"', '"args":{}', "null", '{"name":"a","args":{}}'],
    *["<execute>[]</execute>", "<results>[]</results>", "<execute>[", "<execute>x"],
    '<execute>[{"name":"a","args":{}}]</execute>',
    '{"tool":"a","status":"success","content":1}',
    '[{"tool":"execute","status":"failure","content":""}]',
]


class Generator:
    """Writes requests that any parser must answer alike."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def chance(self, part):
        return self.random.random() < part

    def request(self):
        """Write a parse request: a stream, how it is cut, and how it is read."""
        mode = self.one(["turn", "turn", "transcript"])
        text = self.text(mode)
        request = {
            "op": "parse",
            "mode": mode,
            "stream": self.one(["event", "token"]),
            "start": self.one(["prose", "prose", "think"]),
            "raw": self.chance(0.5),
        }
        if self.chance(0.25):
            request["limits"] = self.limits()
        if self.chance(0.1):
            request["close"] = False
        if self.chance(0.15):
            request["chunks_b64"] = [
                base64.b64encode(chunk).decode() for chunk in self.cut(self.damaged(text))
            ]
        elif mode == "turn" and self.chance(0.05) and request.get("close", True):
            request["turns"] = [self.cut(self.text(mode)) for _ in range(2)]
        else:
            if self.chance(0.1):
                place = self.random.randint(0, len(text))
                text = text[:place] + self.one(HALVES) + text[place:]
            request["chunks"] = self.cut(text)
        if self.chance(0.2):
            request["snapshots"] = [self.random.randint(0, 5) for _ in range(3)]
        return request

    def limits(self):
        low = {"size": 120, "calls": 2, "depth": 5, "digits": 5}
        some = [name for name in low if self.chance(0.5)]
        return {name: self.random.randint(1, low[name]) for name in some}

    def cut(self, whole):
        """Cut a text or bytes: not at all, into single ones, or in a few places."""
        kind = self.random.random()
        if kind < 0.2:
            return [whole]
        if kind < 0.4:
            return [whole[at : at + 1] for at in range(len(whole))]
        count = self.random.randint(1, 8)
        places = sorted(self.random.randint(0, len(whole)) for _ in range(count))
        return [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]

    def damaged(self, text):
        data = text.encode("utf-8", "surrogatepass")
        if self.chance(0.5):
            bad = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf"]
            place = self.random.randint(0, len(data))
            data = data[:place] + self.one(bad) + data[place:]
        return data

    def text(self, mode):
        kind = self.random.random()
        if kind < 0.2:
            start = self.one(["", "<execute>[", '<execute>[{"name":"a","args":{"x":', "<think>"])
            return start + "".join(self.one(PIECES) for _ in range(self.random.randint(0, 14)))
        text = self.conversation(mode)
        for _ in range(self.random.randint(1, 3) if kind < 0.65 else 0):
            text = self.mutated(text)
        return text

    def mutated(self, text):
        start = self.random.randint(0, len(text))
        stop = start + self.one([0, 0, 1, 1, 1, 2, 5, 20])
        put = self.one(["", self.one(PIECES), self.one(PIECES), text[start:stop] * 2])
        text = text[:start] + put + text[stop:]
        return text[: self.random.randint(0, len(text))] if self.chance(0.2) else text

    def conversation(self, mode):
        parts = []
        for _ in range(self.random.randint(1, 3 if mode == "transcript" else 2)):
            said = range(self.random.randint(0, 2))
            parts += [self.one([self.prose, self.think])() for _ in said]
            names = [self.one(["a", "b", "read"]) for _ in range(self.one([0, 1, 1, 2, 3]))]
            kind = self.random.random()
            if kind < 0.15:
                parts.append("<end>")
            elif kind < 0.85:
                parts += [self.white(), self.array("execute", map(self.call, names)), self.white()]
            if mode == "transcript" and self.chance(0.7):
                if self.chance(0.15):
                    names = [self.one(["a", "b", "execute"]) for _ in range(self.one([1, 1, 2]))]
                parts.append(self.array("results", map(self.item, names)))
        return "".join(parts)

    def white(self):
        return self.one(WHITE)

    def prose(self):
        pools = [WORDS, WORDS, NEAR, RARE, WHITE, ["</think>", "</execute>"]]
        return "".join(self.one(self.one(pools)) for _ in range(self.random.randint(1, 4)))

    def think(self):
        return f"<think>{self.prose()}{self.one(['', '<execute>', '<think>'])}</think>"

    def array(self, marker, elements):
        gap = self.white()
        inner = f"{gap},{self.white()}".join(elements)
        return f"<{marker}>{self.white()}[{gap}{inner}{gap}]{self.white()}</{marker}>"

    def call(self, name):
        args = self.object(2)
        if self.chance(0.03):
            name = self.one(["", "execute", "\\u0065xecute", "\\ud83d", "a b", "/~"])
        if self.chance(0.03):
            args = self.value(1)
        name = self.value(0) if self.chance(0.02) else f'"{name}"'
        return self.members([f'"name": {name}', f'"args": {args}'])

    def item(self, tool):
        status = self.one(["success", "success", "failure"])
        content = self.string() if status == "failure" else self.value(2)
        if self.chance(0.05):
            status, content = self.one(["ok", "failure"]), self.value(2)
        return self.members([f'"tool": "{tool}"', f'"status": "{status}"', f'"content": {content}'])

    def members(self, members):
        if self.chance(0.1):
            members.append(f"{self.string()}: {self.value(2)}")
        if self.chance(0.05):
            members.pop(self.random.randrange(len(members)))
        self.random.shuffle(members)
        return f"{{{self.white()}{f', {self.white()}'.join(members)}{self.white()}}}"

    def object(self, depth):
        members = [
            f"{self.string()}{self.white()}:{self.white()}{self.value(depth - 1)}"
            for _ in range(self.one([0, 1, 1, 2]))
        ]
        return f"{{{self.white()}{','.join(members)}}}"

    def string(self):
        return '"' + "".join(self.one(STRINGS) for _ in range(self.random.randint(0, 2))) + '"'

    def value(self, depth):
        kind = self.random.random()
        if kind < 0.04:
            return self.one(BROKEN)
        if depth > 0 and kind < 0.2:
            return self.object(depth)
        if depth > 0 and kind < 0.3:
            return f"[{', '.join(self.value(depth - 1) for _ in range(self.random.randint(0, 3)))}]"
        if kind < 0.6:
            return self.one(NUMBERS)
        return self.one(["true", "false", "null"]) if kind < 0.7 else self.string()


# --- Comparing --------------------------------------------------------------------------------


def normal(feeds):
    """Give the normal form of the events: deltas joined by segment, wording left out."""
    events, segments = [], {}
    for event in (event for feed in feeds for event in feed):
        number = event.get("segment")
        if number in segments:
            for member in {"content", "raw"} & event.keys():
                segments[number][member] += event[member]
            continue
        kept = {member: event[member] for member in event.keys() - {"segment", "done"}}
        if event["type"] == "error":
            del kept["content"]
        if number is not None:
            segments[number] = kept
        events.append(kept)
    return events


def steps(feeds):
    """Give what each feed gave, without raws: how a raw is divided among deltas is free."""
    return [
        [{name: event[name] for name in event if name != "raw"} for event in normal([feed])]
        + [event["segment"] for event in feed if event.get("done")]
        for feed in feeds
    ]


def comparable(reply):
    """Give all that two replies must agree in."""
    if "turns" in reply:
        return [comparable(turn) for turn in reply["turns"]]
    feeds = [*reply.get("feeds", []), reply.get("close", [])]
    rest = {name: value for name, value in reply.items() if name not in {"feeds", "close"}}
    return rest, normal(feeds), steps(feeds)


class Adapter:
    """The adapter as a process; a batch of requests is written at once."""

    def __enter__(self):
        command = ["node", str(ADAPTER / "adapter.mjs")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def ask(self, lines):
        """Answer up to `IN_FLIGHT` requests; pipes are finite, so replies are read meanwhile."""
        writer = threading.Thread(target=self._send, args=(b"".join(lines),))
        writer.start()
        replies = [json.loads(self.process.stdout.readline()) for _ in lines]
        writer.join()
        return replies

    def _send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()


def line(number, request):
    return json.dumps({"id": str(number), **request}).encode() + b"\n"


def test_its_own_tests_pass():
    """The hand-written expectations of the implementation hold."""
    run = subprocess.run(
        ["node", "--test", str(ADAPTER / "test.mjs")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


def test_random_streams_are_read_alike():
    """Both readings agree in events, offsets, paths, the ledger, the state, and in which feed."""
    generator = Generator("streams")
    lines = [line(number, generator.request()) for number in range(STREAMS)]
    with Adapter() as adapter:
        for start in range(0, STREAMS, IN_FLIGHT):
            batch = lines[start : start + IN_FLIGHT]
            for sent, reply in zip(batch, adapter.ask(batch), strict=True):
                expected = json.loads(_adapter.answer(sent))
                assert comparable(reply) == comparable(expected), sent
