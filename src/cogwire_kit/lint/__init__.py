# SPDX-License-Identifier: MIT
"""What is wrong with transcripts and stored messages, as findings with a place and a way out."""

from cogwire_kit.lint.findings import Finding
from cogwire_kit.lint.records import LintOptions, lint_events, lint_record
from cogwire_kit.lint.rules import RULES, Rule
from cogwire_kit.lint.texts import lint_text

__all__ = ["RULES", "Finding", "LintOptions", "Rule", "lint_events", "lint_record", "lint_text"]
