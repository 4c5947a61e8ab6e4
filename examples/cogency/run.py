"""Run cogency's own tests on our core, and say which of them contradict the specification.

    python examples/cogency/run.py [FOLDER]

cogency 3.3.0, which is for Python 3.11 and 3.12, comes from the package index as its source
distribution, into FOLDER (`build/cogency`), with an environment of its own.  The core is copied
into it as any framework would do that, with `cogwire vendor add`, and `seams.py` puts it behind
cogency's functions.  All of cogency's tests then run, unchanged.  `contradictions.json` names those
that must fail, each with its reason and the clause: the exit code is 0 if these fail and no others,
and 1 otherwise.
"""

import json
import subprocess
import sys
import tarfile
import venv
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
RELEASE: Final = "cogency-3.3.0"


def main(folder: Path) -> int:
    """Set up what is not there yet, run the tests, and compare."""
    source = folder / RELEASE
    python = folder / "venv" / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"setting up {folder}")
        set_up(folder, python)
    copied = source / "src" / "cogency" / "_wire"
    run(sys.executable, "-m", "cogwire_kit", "vendor", "add", copied, "--only", "agent", "--force")

    report = folder / "report.xml"
    run(
        # Its own count would be taken for ours.
        *(python, "-m", "pytest", "-qq", "--no-header", "--tb=no", "-p", "seams"),
        *("-W", "ignore", f"--junitxml={report}", f"--rootdir={source}"),
        *("-o", f"pythonpath=src {HERE}", source / "tests"),
        into=source,
        may_fail=True,
    )
    return compare(report, json.loads((HERE / "contradictions.json").read_text("utf-8")))


def set_up(folder: Path, python: Path) -> None:
    """Bring cogency's source, and what its tests need."""
    folder.mkdir(parents=True, exist_ok=True)
    venv.create(python.parents[1], with_pip=True, clear=True)
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "--no-compile", "--requirement", HERE / "requirements.txt")
    name, version = RELEASE.split("-")
    run(
        *(*pip, "download", "--no-deps", "--no-build-isolation", "--no-binary", name),
        *("--dest", folder, f"{name}=={version}"),
    )
    with tarfile.open(folder / f"{RELEASE}.tar.gz") as archive:
        # Python before 3.11.4 has no filters, and does not look at this.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202 - filtered, where Python can
    (folder / "ready").touch()


def run(*command: object, into: Path = ROOT, may_fail: bool = False) -> None:
    """Run a command, and stop if it fails where it must not."""
    done = subprocess.run([str(part) for part in command], cwd=into, check=False)
    if done.returncode and not may_fail:
        raise SystemExit(f"{command[0]} failed with {done.returncode}")


def compare(report: Path, contradictions: dict[str, dict[str, str]]) -> int:
    """Say what failed and why it must, and return the exit code."""
    failed, passed = set(), 0
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 (pytest wrote it)
        name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}"
        if case.find("failure") is None and case.find("error") is None:
            passed += 1
        else:
            failed.add(name)
    for name, why in contradictions.items():
        print(f"{name}\n  {why['clause']}: {why['reason']}")
    for name in sorted(failed - contradictions.keys()):
        print(f"{name}\n  failed, and nothing says that it should")
    for name in sorted(contradictions.keys() - failed):
        print(f"{name}\n  passed: it contradicts the specification no longer")
    print(f"{passed} of {passed + len(failed)} tests of {RELEASE} pass on cogwire's core")
    return int(failed != contradictions.keys() or not passed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if sys.argv[1:] else ROOT / "build" / "cogency").resolve()))
