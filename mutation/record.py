"""The survey: the number of mutants of each module, and the survivors with their reasons.

The survivors of a function are stored under a digest of its text, so that a file can be moved,
renamed or split.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from mutation.functions import Function
from mutation.mutants import Mutant

FILE: Final = Path(__file__).with_name("survivors.json")


class Record:
    """The contents of `survivors.json`."""

    def __init__(self, data: dict[str, Any] | None = None) -> None:
        data = data or {}
        #: By path within the core: the surveyed commit and the counts.
        self.modules: dict[str, dict[str, Any]] = data.get("modules", {})
        #: By digest: the name of the function, and its survivors.
        self.functions: dict[str, dict[str, Any]] = data.get("functions", {})

    @classmethod
    def load(cls, file: Path = FILE) -> "Record":
        """Return the record in a file, or an empty one if there is no file."""
        return cls(json.loads(file.read_text("utf-8")) if file.exists() else None)

    def save(self, file: Path = FILE) -> None:
        """Write the record to a file."""
        data = {"functions": self.functions, "modules": self.modules}
        text = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(text + "\n", "utf-8")

    def reason(self, mutant: Mutant) -> str:
        """Return why a mutant may survive, or an empty string if no reason is recorded."""
        known = self.functions.get(mutant.function.digest(), {"survivors": []})
        for one in known["survivors"]:
            if (one["was"], one["becomes"]) == (mutant.was, mutant.becomes):
                return str(one["reason"])
        return ""

    def renew(
        self,
        module: str,
        counts: dict[str, Any],
        functions: Iterable[Function],
        survivors: Sequence[Mutant],
    ) -> list[Mutant]:
        """Add the survey of a module; return the survivors that have no reason yet."""
        reasons = {mutant: self.reason(mutant) for mutant in survivors}
        for function in functions:
            self.functions.pop(function.digest(), None)
        for mutant in survivors:
            known = {"name": mutant.function.name, "survivors": []}
            entry = self.functions.setdefault(mutant.function.digest(), known)
            entry["survivors"].append(
                {"was": mutant.was, "becomes": mutant.becomes, "reason": reasons[mutant]}
            )
        self.modules[module] = {**counts, "survive": len(survivors)}
        return [mutant for mutant, reason in reasons.items() if not reason]

    def prune(self, modules: Iterable[str], functions: Iterable[Function]) -> None:
        """Remove modules and functions that no longer exist."""
        modules = set(modules)
        digests = {function.digest() for function in functions}
        self.modules = {name: one for name, one in self.modules.items() if name in modules}
        self.functions = {name: one for name, one in self.functions.items() if name in digests}
