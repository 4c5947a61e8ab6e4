"""How long engines take for the mask of a word: with our grammars, and with their own schemas.

The vocabulary is that of a `tokenizer.json`.  Each row is one argument that a model writes: the
time for the mask of each word of the arguments, in milliseconds, written five times, and that in
which the engine compiles.  It is the time of the processor, so that other work on the machine
hardly counts.  The engines' own schema is that of the arguments; ours is the turn in `xml-json`, or
a structural tag of its calls, each as `cogwire grammar` writes it.  llguidance reads our grammar a
second time with `SLICES`.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import llguidance
import numpy as np
from tests.integrations.grammars.engines import xgrammar

from cogwire import Toolset
from cogwire_kit import grammars

TEXT = 'The quick brown fox said: "jumps over" the lazy dog.\nAnd 12 – naïve 東京 – went on; ' * 6
PLAIN = "jumped over the dog, "
#: The schema of the argument, and what is written; XGrammar's own bounded strings have no escapes.
CASES = {
    "string": ({"type": "string"}, TEXT),
    "string, at least 20": ({"type": "string", "minLength": 20}, PLAIN * 4),
    "string, at most 100": ({"type": "string", "maxLength": 100}, PLAIN * 4),
    "string, at most 5000": ({"type": "string", "maxLength": 5000}, PLAIN * 40),
    "letters, at most 64": ({"type": "string", "pattern": "^[a-z]{1,64}$"}, "jumpedoverthedog" * 3),
    "pattern, at most 900": ({"type": "string", "pattern": "^.{1,900}$"}, PLAIN * 20),
    "the same, spelled": (
        {"type": "string", "pattern": r"^[^\n\r\u2028\u2029]{1,900}$"},
        PLAIN * 20,
    ),
    "one of a list": ({"enum": ["alpha", "beta", "gamma"]}, "beta"),
    "one of 150": ({"enum": [f"alpha_{number}" for number in range(150)]}, "alpha_77"),
    "integers": ({"type": "array", "items": {"type": "integer"}}, [1, 22, 333]),
}

#: The characters without those that `.` excludes, that XML does, and that begin a marker.
CLASS = r'[^"\\<>&\x00-\x1F\x7F\u{2028}\u{2029}\u{FFFE}\u{FFFF}]'
#: Words that llguidance may allow or refuse at once, like those of its own slices.
SLICES = [f"{CLASS}{{1,10}}", f"{CLASS}{{1,30}}"]


def vocabulary(model: dict[str, Any]) -> tuple[list[bytes], int]:
    """Return the words of a byte-level tokenizer, by number, and the number of the last one."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [code for code in range(256) if code not in plain]
    codes = {chr(code): code for code in plain} | {
        chr(256 + number): code for number, code in enumerate(others)
    }
    added = {each["content"]: each["id"] for each in model["added_tokens"]}
    words = {i: bytes(codes[each] for each in text) for text, i in model["model"]["vocab"].items()}
    words |= {i: text.encode() for text, i in added.items()}
    return [words.get(i, b"") for i in range(max(words) + 1)], added["<|im_end|>"]


#: What is before the arguments, the arguments, and what is after them.
Written = tuple[str, str, str]


def measured(
    tokenizer: Any, written: Written, mask: Callable[[], Any], take: Callable[[int], bool]
) -> list[float]:
    """Return the milliseconds for the mask of each word of the arguments."""
    parts = []
    for text in written:
        parts.append([])
        for token in tokenizer.tokenize_str(text) if text else ():
            start = time.thread_time()
            mask()
            parts[-1].append(1000 * (time.thread_time() - start))
            if not take(token):
                raise SystemExit(f"refused: {text!r}")
    return parts[1]


#: How often each is written, by a new matcher each time.
TIMES = 5
Found = tuple[float, list[float]]


def of_xgrammar(
    compile_it: Callable[[str], Any], source: str, tokenizer: Any, written: Written
) -> Found:
    """Return the time to compile, and those for masks, of XGrammar."""
    start = time.process_time()
    compiled = compile_it(source)
    taken = 1000 * (time.process_time() - start)
    bits = np.zeros((1, (tokenizer.vocab_size + 31) // 32), np.int32)
    times: list[float] = []
    for _ in range(TIMES):
        matcher = xgrammar.GrammarMatcher(compiled)
        fill = partial(matcher.fill_next_token_bitmask, bits)
        times += measured(tokenizer, written, fill, matcher.accept_token)
    return taken, times


def of_llguidance(
    make: Callable[[str], Any], source: str, tokenizer: Any, written: Written
) -> Found:
    """Return the time to compile, and those for masks, of llguidance."""
    taken, times = 0.0, []
    for _ in range(TIMES):
        start = time.process_time()
        matcher = llguidance.LLMatcher(tokenizer, make(source), log_level=1)
        taken = 1000 * (time.process_time() - start)
        times += measured(tokenizer, written, matcher.compute_bitmask, matcher.consume_token)
    return taken, times


def main() -> None:
    """Print the table for a vocabulary, of all cases or of those that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grammars", description=__doc__)
    parser.add_argument("vocabulary", type=Path, metavar="TOKENIZER.json")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}")
    given = parser.parse_args()
    if unknown := [repr(name) for name in given.cases if name not in CASES]:
        parser.error(f"there is no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    source = given.vocabulary.read_text("utf-8")
    words, end = vocabulary(json.loads(source))
    tokenizer = llguidance.LLTokenizer(source)
    known = llguidance.LLTokenizer.json_slices()
    sliced = llguidance.LLTokenizer(source, slices=[*known, *SLICES])
    words += [b""] * (tokenizer.vocab_size - len(words))
    info = xgrammar.TokenizerInfo(words, xgrammar.VocabType.RAW, stop_token_ids=[end])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    sys.stdout.write(
        f"{len(words)} words; milliseconds for a mask: median, 95 %, most; and to compile\n"
    )
    for name in given.cases or CASES:
        schema, value = CASES[name]
        properties = {"value": schema}
        parameters = {"type": "object", "properties": properties, "required": ["value"]}
        parameters["additionalProperties"] = False
        tools = Toolset([{"name": "f", "parameters": parameters}])
        grammar = grammars.turn_grammar(tools, calls="must")
        own, args = json.dumps(parameters), json.dumps({"value": value}, ensure_ascii=False)
        turn = ('<execute>[{"name": "f", "args": ', args, "}]</execute>")
        alone = ("", args, "")
        short = grammars.turn_grammar(tools, calls="must", lengths="short")
        ours, lark = grammars.write(short, "xgrammar"), grammars.write(grammar, "lark")
        tag = json.dumps(grammars.structural_tag(tools)[0])
        maker = llguidance.LLMatcher
        rows = {
            "XGrammar, own": of_xgrammar(compiler.compile_json_schema, own, tokenizer, alone),
            "XGrammar, ours": of_xgrammar(compiler.compile_grammar, ours, tokenizer, turn),
            "XGrammar, our tag": of_xgrammar(compiler.compile_structural_tag, tag, tokenizer, turn),
            "llguidance, own": of_llguidance(maker.grammar_from_json_schema, own, tokenizer, alone),
            "llguidance, ours": of_llguidance(maker.grammar_from_lark, lark, tokenizer, turn),
            "llguidance, slices": of_llguidance(maker.grammar_from_lark, lark, sliced, turn),
        }
        for engine, (taken, times) in rows.items():
            times.sort()
            found = statistics.median(times), times[int(0.95 * len(times))], times[-1]
            figures = "".join(f"{each:9.3f}" for each in found)
            sys.stdout.write(f"{name:22}{engine:20}{figures}{taken:9.0f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
