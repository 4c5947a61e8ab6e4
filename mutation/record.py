"""The survey: how many mutants each module had, and those that live, with the reason why they may.

What is known of a function is kept under a digest of its own text, so that a file may be moved,
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
    """What `survivors.json` holds."""

    def __init__(self, data: dict[str, Any] | None = None) -> None:
        data = data or {}
        #: By path within the core: the commit that was surveyed, and counts.
        self.modules: dict[str, dict[str, Any]] = data.get("modules", {})
        #: By digest: the name of the function, and its survivors.
        self.functions: dict[str, dict[str, Any]] = data.get("functions", {})

    @classmethod
    def load(cls, file: Path = FILE) -> "Record":
        """Return the record of a file; an empty one without it."""
        return cls(json.loads(file.read_text("utf-8")) if file.exists() else None)

    def save(self, file: Path = FILE) -> None:
        """Write it."""
        data = {"functions": self.functions, "modules": self.modules}
        text = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True)
        file.write_text(text + "\n", "utf-8")

    def reason(self, mutant: Mutant) -> str:
        """Return why a mutant may live; an empty text where nobody has said so."""
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
        """Put the survey of a module in; return the survivors that have no reason yet."""
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
        """Leave out what there is no longer."""
        modules = set(modules)
        digests = {function.digest() for function in functions}
        self.modules = {name: one for name, one in self.modules.items() if name in modules}
        self.functions = {name: one for name, one in self.functions.items() if name in digests}
