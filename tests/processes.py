"""Programs that tests run."""

import subprocess


def ran(*command, text=True, check=False, timeout=900, **options):
    """Run a program to its end, and return how it ended and what it wrote."""
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=text,
        check=check,
        timeout=timeout,
        **options,
    )
