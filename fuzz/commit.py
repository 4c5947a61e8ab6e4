"""The commit that a report describes."""

import subprocess
from pathlib import Path


def commit() -> str:
    """Return the commit of this checkout, with a mark if a file has been changed since."""
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
