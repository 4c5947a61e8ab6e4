# SPDX-License-Identifier: MIT
"""Finds what is wrong in transcripts and stored messages, with its place and a remedy."""

from cogwire_kit.lint.findings import Finding
from cogwire_kit.lint.records import LintOptions, lint_events, lint_record
from cogwire_kit.lint.rules import RULES, Rule
from cogwire_kit.lint.texts import lint_text

__all__ = ["RULES", "Finding", "LintOptions", "Rule", "lint_events", "lint_record", "lint_text"]
