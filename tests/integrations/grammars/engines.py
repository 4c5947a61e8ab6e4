"""Engines that constrain what is written, each with a grammar and a vocabulary of our own.

Each has `allowed`, the tokens that may come next, `take`, which goes on after one, and `restart`.
The vocabulary is every byte, so that whatever is text can be written, some longer tokens, and one
that ends the text.
"""

import re
import sys
from pathlib import Path
from typing import ClassVar

import llguidance
import numpy as np
import tvm_ffi  # noqa: F401 - it must not see the stub of torch

from tests.kit.grammars.turns import TEXTS

sys.path.insert(0, str(Path(__file__).parent / "stubs"))
import xgrammar

WORDS = TEXTS["vocabulary"]
TOKENS = [bytes([code]) for code in range(256)]
TOKENS += [word.encode() for word in WORDS]
TOKENS += [b"\n", b" ", b"\n\n", b", ", b": ", b"\n  ", "\n§call: ".encode(), "\n§execute".encode()]
TOKENS += ["\n§CALL: ".encode(), "\n§EXECUTE".encode()]
TOKENS = list(dict.fromkeys(TOKENS))
END = len(TOKENS)
#: Each token once; the end has no text.
VOCABULARY = [*TOKENS, b"<|end|>"]


class _Tokenizer:
    """The vocabulary, as llguidance takes it."""

    bos_token_id = None
    eos_token_id = END
    special_token_ids = (END,)
    tokens = VOCABULARY

    def __call__(self, text):
        return list(text if isinstance(text, bytes) else text.encode())


class _Marked(_Tokenizer):
    """The same, in which two markers are special tokens."""

    special_token_ids = (END, TOKENS.index(b"<think>"), TOKENS.index(b"</think>"))


class LLGuidance:
    """llguidance, which reads Lark."""

    syntax = "lark"
    _tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Tokenizer()), slices=[])

    def __init__(self, grammar):
        lark = llguidance.LLMatcher.grammar_from_lark(grammar)
        self._matcher = llguidance.LLMatcher(self._tokenizer, lark, log_level=0)
        self._check()

    def _check(self):
        if self._matcher.is_error():
            raise ValueError(self._matcher.get_error())

    def restart(self):
        self._matcher.reset()

    def allowed(self):
        mask = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        self._check()
        return np.flatnonzero(np.unpackbits(mask, bitorder="little")[: END + 1])

    def take(self, token):
        taken = self._matcher.consume_token(int(token))
        self._check()
        assert taken

    def accepts(self, text):
        """Whether the engine takes a text, byte by byte, and lets it end there."""
        self._matcher.reset()
        data = text.encode()
        return (
            self._matcher.try_consume_tokens(list(data)) == len(data)
            and self._matcher.is_accepting()
        )

    def fits(self, token):
        return token in self.allowed()


class MarkedLLGuidance(LLGuidance):
    """llguidance, with a vocabulary in which `<think>` and `</think>` are special tokens."""

    _tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Marked()), slices=[])
    special: ClassVar = {text: TOKENS.index(text.encode()) for text in ("<think>", "</think>")}

    def accepts(self, text):
        """Whether the engine takes a text whose markers are these tokens, and lets it end there."""
        self._matcher.reset()
        tokens = []
        for part in re.split("(</?think>)", text):
            tokens += [self.special[part]] if part in self.special else part.encode()
        taken = self._matcher.try_consume_tokens(tokens)
        return taken == len(tokens) and self._matcher.is_accepting()


class XGrammar:
    """xgrammar, which reads EBNF."""

    syntax = "xgrammar"
    _info = xgrammar.TokenizerInfo(
        VOCABULARY, xgrammar.VocabType.RAW, vocab_size=END + 1, stop_token_ids=[END]
    )
    _compiler = xgrammar.GrammarCompiler(_info, max_threads=1, cache_enabled=False)

    def __init__(self, grammar, *, is_tag=False):
        compiler = self._compiler
        compiles = compiler.compile_structural_tag if is_tag else compiler.compile_grammar
        self._compiled = compiles(grammar)
        self._mask = np.zeros((1, (END + 32) // 32), np.int32)
        self.restart()

    def restart(self):
        self._matcher = xgrammar.GrammarMatcher(self._compiled)

    def allowed(self):
        self._mask[:] = -1
        self._matcher.fill_next_token_bitmask(self._mask)
        bits = np.unpackbits(self._mask.view(np.uint8).ravel(), bitorder="little")
        return np.flatnonzero(bits[: END + 1])

    def take(self, token):
        assert self._matcher.accept_token(int(token))

    def accepts(self, text):
        self.restart()
        if not all(self._matcher.accept_token(code) for code in text.encode()):
            return False
        return self._matcher.accept_token(END)

    def fits(self, token):
        return token in self.allowed()


def takes(engine, data):
    """Whether an engine takes bytes as a whole text."""
    engine.restart()
    for code in data:
        if not engine.fits(code):
            return False
        engine.take(code)
    return engine.fits(END)
