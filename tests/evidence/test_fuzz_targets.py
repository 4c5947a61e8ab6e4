"""The targets of the fuzzer, without a fuzzer: they hold for the core, and fail for a broken one.

A stride of the inputs made from the cases is run, with random changes of others and random bytes.
"""

import importlib
import json
import random
import sys
from pathlib import Path

import pytest
from fuzz import run, seeds
from fuzz.targets import harness
from fuzz.targets.harness import Feed, Reader
from fuzz.targets.mutating import json_mutator, mutated

from cogwire_kit.conformance.corpus import expanded, load
from tests.processes import ran

cogwire = harness.cogwire
ROOT = Path(__file__).parents[2]
TARGETS = list(seeds.SEEDS)
CASES = {case.id: case for case in load()}
#: How many inputs of each kind a target runs.
MOST = 100


def target(name):
    return importlib.import_module(f"fuzz.targets.fuzz_{name}")


@pytest.fixture(scope="module")
def inputs():
    """Give the inputs of every target, by the names of their cases."""
    return {name: seeds.seeds_of(name, list(CASES.values())) for name in TARGETS}


def some(items):
    """Return so many of the items, from all over."""
    items = list(items)
    return items[:: 1 + len(items) // MOST]


def changed(data, rng):
    """Return an input with a few bytes changed, left out or put in."""
    changing = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(changing) + 1)
        new = rng.choice([b"", b"", rng.randbytes(1), b"\xff", "§".encode(), b"<", b'"', b"\n"])
        changing[at : at + rng.randrange(2)] = new
    return bytes(changing)


# --- The core holds ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_holds_on_the_cases(name, inputs):
    for data in some(inputs[name].values()):
        target(name).TestOneInput(data)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_holds_on_random_inputs(name, inputs):
    rng = random.Random(name)
    module = target(name)
    mutate = getattr(module, "mutate", lambda *_: None)
    for data in some(inputs[name].values()):
        module.TestOneInput(changed(data, rng))
        module.TestOneInput(mutate(data, harness.LONGEST, rng.randrange(2**32)) or b"")
        module.TestOneInput(rng.randbytes(rng.randrange(60)))


# --- A broken core does not -------------------------------------------------------------------


def fails(name, inputs):
    """Whether any of some inputs, or what a mutation makes of it, makes the target fail."""
    rng = random.Random(name)
    module = target(name)
    mutate = getattr(module, "mutate", lambda data, *_: data)
    chosen = list(inputs[name].values())
    rng.shuffle(chosen)
    for data in chosen[: 5 * MOST]:
        try:
            module.TestOneInput(data)
            module.TestOneInput(mutate(data, harness.LONGEST, rng.randrange(2**32)) or b"")
        except Exception:  # noqa: BLE001 (a broken core may raise anything)
            return True
    return False


def live(text):
    """Return a text with its markers as they are."""
    return text.replace("&lt;", "<").replace("&sect;", "§").replace("&#91;", "[")


def live_messages(messages):
    return [message | {"content": live(message["content"])} for message in messages]


def refusing_otherwise(restore):
    def broken(value, **how):
        try:
            return restore(value, **how)
        except ValueError:
            raise KeyError from None

    return broken


def silent(function):
    return lambda *given, **how: function(*given, **how | {"report": None})


#: What is put in the place of a function of the core, made of it, and which target notices.
BROKEN = [
    # A `<` that comes alone is lost.
    (
        "parser",
        *("Parser.feed", lambda feed: lambda self, text: feed(self, "" if text == "<" else text)),
    ),
    # The beginning of a marker is forgotten on the way.
    (
        "parser",
        *("Parser.restore", lambda old: lambda value, **how: old(value | {"text": ""}, **how)),
    ),
    # What nobody expects is raised for what no parser can hold.
    ("snapshot", "Parser.restore", refusing_otherwise),
    # Every call is good, or its texts stay texts.
    (
        "toolset",
        *("Toolset.check", lambda old: lambda self, call: old(self, call)._replace(problems=[])),
    ),
    (
        "toolset",
        *("Toolset.check", lambda o: lambda self, call: o(self, call)._replace(args=call["args"])),
    ),
    # Nothing is reported, or markers are written as they are.
    ("messages", "to_messages", silent),
    ("messages", "to_messages", lambda old: lambda *a, **how: live_messages(old(*a, **how))),
    ("convert", "convert", silent),
    ("convert", "convert", lambda old: lambda *a, **how: live(old(*a, **how))),
]


@pytest.mark.parametrize(("name", "place", "broken"), BROKEN)
def test_a_target_notices_a_broken_core(name, place, broken, inputs, monkeypatch):
    holder, _, function = place.rpartition(".")
    holder = getattr(cogwire, holder) if holder else cogwire
    monkeypatch.setattr(holder, function, broken(getattr(holder, function)))
    assert fails(name, inputs)


# --- Inputs -----------------------------------------------------------------------------------


def test_a_feed_is_read_as_it_was_written():
    for feed in (
        Feed("a<end>b", (1, 3), "delimiter", harness.TOKENS | harness.RAW, (0, 1, 128, 255)),
        Feed("\ud83d\ude00\ud83d§", (2, 2), "xml-elements", harness.THINK),
        Feed(b"\xff\xf0\x9f", (0, 3), "delimiter-upper", harness.BYTES | harness.TRANSCRIPT),
    ):
        assert Feed.read(Reader(feed.encoded())) == feed
        joint = feed.data[:0]
        assert joint.join(feed.chunks) == feed.data
        assert len(feed.chunks) == len(feed.cuts) + 1


def test_every_input_is_a_feed():
    """Also one that ends within its header, and text that is not UTF-8."""
    rng = random.Random(1)
    for size in range(40):
        feed = Feed.read(Reader(rng.randbytes(size)))
        assert Feed.read(Reader(feed.encoded())) == feed


@pytest.mark.parametrize("name", ["parser", "convert"])
def test_the_seeds_are_the_cases(name, inputs):
    """The same text in the same dialect, with the same limits, cut where it has to be prompt."""
    parses = 0
    for identifier, data in inputs[name].items():
        case = CASES.get(identifier)
        if case is None or case.op != "parse":
            continue
        parses += 1
        feed = Feed.read(Reader(data))
        assert (feed.data, feed.dialect) == (case.input, case.dialect)
        assert feed.reading["mode"] == case.options.get("mode", "turn")
        assert feed.reading["start"] == case.options.get("start", "prose")
        limits = case.options.get("limits", {})
        names = ("size", "calls", "depth", "digits")
        assert dict(zip(names, feed.limits, strict=True)) == dict.fromkeys(names, 0) | limits
        points = {len(expanded(point["after"])) for point in case.data.get("prompt", [])}
        assert set(feed.cuts) <= points
        assert len(points) > seeds.MOST_CUTS or set(feed.cuts) == points
    assert parses > 1700


def test_nearly_every_case_is_a_seed(inputs):
    """Only what is too long for an input, and the texts that grow, are left out."""
    asked = {
        "parser": {"parse"},
        "toolset": {"validate"},
        "messages": {"messages", "from_messages"},
        "convert": {"convert"},
    }
    for name, ops in asked.items():
        wanted = [case for case in CASES.values() if case.op in ops and "turns" not in case.data]
        missing = [case for case in wanted if case.id not in inputs[name]]
        assert len(missing) < 40
        for case in missing:
            given = expanded(case.data.get("request", case.data.get("input")))
            assert "growth" in case.data or len(json.dumps(given)) > harness.LONGEST


def test_a_json_mutator_keeps_json_and_the_rest():
    mutate = json_mutator(1, "snapshot")
    data = b'\1{"a": [1, "b"], "c": null}\n<end>'
    others = {mutate(data, 200, seed) for seed in range(50)}
    assert len(others) > 30
    for other in others:
        line, _, text = other[1:].partition(b"\n")
        json.loads(line)
        assert (other[:1], text) == (b"\1", b"<end>")
    assert mutate(data, 200, 7) == mutate(data, 200, 7)
    assert mutate(b"\1no JSON\n", 200, 1) is None
    assert all(
        mutate(data, 20, seed) is None or len(mutate(data, 20, seed)) <= 20 for seed in range(20)
    )


def test_a_mutation_does_not_change_its_input():
    value = {"a": [1, {"b": "c"}]}
    rng = random.Random(3)
    for _ in range(100):
        mutated(value, rng, ("d", {"e": []}))
    assert value == {"a": [1, {"b": "c"}]}


# --- Programs ---------------------------------------------------------------------------------


def test_a_target_runs_the_inputs_it_is_given(tmp_path):
    """Without atheris, too: so a finding can be looked into anywhere."""
    sound, broken = tmp_path / "sound", tmp_path / "broken"
    sound.write_bytes(Feed("a<end>").encoded())
    script = (
        "import runpy, sys\n"
        "sys.argv, sys.modules['atheris'] = ['fuzz_parser', *sys.argv[1:]], None\n"
        "runpy.run_module('fuzz.targets.fuzz_parser', run_name='__main__')"
    )
    done = ran(
        *(sys.executable, "-c", script, sound, broken),
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
    )
    assert done.stderr.splitlines()[-1].endswith(f"No such file or directory: {str(broken)!r}")


#: Says what libFuzzer says, keeps one input, and fails if the corpus is called so.
FUZZER = """
import pathlib, sys
[prefix] = [each.removeprefix("-artifact_prefix=") for each in sys.argv if "prefix" in each]
corpus = pathlib.Path(sys.argv[-2])
(corpus / "kept").touch()
print("INFO: reading\\n#90\\tINITED cov: 50 ft: 70 corp: 1/1b", file=sys.stderr)
print("#120\\tNEW    cov: 51 ft: 75 corp: 2/2b", file=sys.stderr)
if corpus.parent.name == "fails":
    pathlib.Path(prefix + "crash-1").write_bytes(b"\\x00<\\xff")
    print("=== Uncaught Python exception: ===\\nAssertionError: no", file=sys.stderr)
    print(f"artifact_prefix; Test unit written to {prefix}crash-1", file=sys.stderr)
    sys.exit(77)
print("stat::number_of_executed_units: 125", file=sys.stderr)
"""


@pytest.fixture
def fuzz(tmp_path, monkeypatch):
    """Run the program with a fuzzer that only pretends; return its code and its report."""
    monkeypatch.setattr(run, "BUILD", tmp_path)
    monkeypatch.setattr(run, "command", lambda _: [sys.executable, "-c", FUZZER])
    monkeypatch.setattr(run.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setattr(run, "version", lambda _: "3.0.0")
    report = tmp_path / "report.json"

    def fuzz(corpus, *arguments):
        options = ["--seconds", "1", "--corpus", str(tmp_path / corpus), "--report", str(report)]
        monkeypatch.setattr(sys, "argv", ["run.py", *options, *arguments])
        return run.main(), json.loads(report.read_text())

    return fuzz


def test_a_run_without_findings(fuzz, capsys):
    code, report = fuzz("good", "--target", "toolset")
    assert code == 0
    outcome = report["targets"]["toolset"]
    assert outcome.pop("seeds") > 100
    assert outcome.pop("executions_per_second") > 0
    assert outcome.pop("seconds") >= 0
    assert outcome == {
        "kept_inputs": 0,
        "new_inputs": 1,
        "executions": 125,
        "edges_at_start": 50,
        "edges": 51,
        "features_at_start": 70,
        "features": 75,
        "findings": [],
    }
    assert "125 executions of 1 targets, 0 findings" in capsys.readouterr().out


def test_a_finding_can_be_pasted(fuzz, capsys):
    code, report = fuzz("fails", "--target", "toolset")
    assert code == 1
    assert report["targets"]["toolset"]["findings"] == ["crash-1"]
    assert report["targets"]["toolset"]["executions"] == 120
    output = capsys.readouterr().out
    assert "toolset failed:\n\nAssertionError: no\n" in output
    assert repr(b"\x00<\xff") in output
    assert ascii("\x00<\udcff") in output
    assert "PYTHONPATH=src python -m fuzz.targets.fuzz_toolset " in output


def test_a_report_keeps_its_entries_for_other_targets(fuzz):
    fuzz("good", "--target", "toolset")
    _, report = fuzz("good", "--target", "messages", "--seed", "7")
    assert report["targets"].keys() == {"toolset", "messages"}
    assert report["executions"] == 250
    assert report["command"].startswith("python fuzz/run.py --seconds 1 --seed 7 --report ")


def test_usage(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "--seconds", "0"])
    with pytest.raises(SystemExit) as stopped:
        run.main()
    assert stopped.value.code == 2
    monkeypatch.setattr(sys, "argv", ["run.py"])
    monkeypatch.setattr(run.importlib.util, "find_spec", lambda _: None)
    assert run.main() == 2
    assert "pip install -r fuzz/requirements.txt" in capsys.readouterr().err
