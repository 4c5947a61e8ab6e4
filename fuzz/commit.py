"""Of which commit a report speaks."""

import subprocess
from pathlib import Path


def commit() -> str:
    """Return the commit of this checkout, marked where a file is not as it was committed."""
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
