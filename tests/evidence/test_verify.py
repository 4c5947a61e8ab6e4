"""`make verify` itself: what it misses, in which order its parts run, and on which Pythons."""

import shutil
import sys
from pathlib import Path

import pytest
from verify import __main__ as verify
from verify import needs, pythons

from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[2]


def program(folder, name, text):
    """Write a program that prints `text`."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{text}'\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the only folder in which programs are looked for, with all that is needed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for each in needs.PROGRAMS:
        program(tmp_path, each.name, "v99.1")
    return tmp_path


# --- What is missing ----------------------------------------------------------------------------


def test_nothing_is_missing_where_all_is_there(folder):
    assert needs.missing() == []


def test_everything_that_is_missing_is_named_at_once_with_its_line(folder):
    for each in needs.PROGRAMS:
        (folder / each.name).unlink()
    *lines, last = needs.missing()
    assert [line.split()[0] for line in lines] == [each.name for each in needs.PROGRAMS]
    assert all("is not installed; it " in line for line in lines)
    packages = " ".join(each.package for each in needs.PROGRAMS)
    assert last == f"On Debian: apt-get update && apt-get install {packages}"


@rows(
    "version, lacking",
    [
        ("v18.0.0", []),
        ("v17.9.1", ["node      is 17.9, and has to be 18 or newer"]),
        ("of a kind", ["node      does not say its version (it exits with 0)"]),
    ],
)
def test_a_program_that_is_too_old_is_missing(folder, version, lacking):
    program(folder, "node", version)
    found = needs.missing()
    assert [line.strip().partition(";")[0] for line in found[:-1]] == lacking
    assert found[-1:] == [
        f"On Debian: {line}" for line in ["apt-get update && apt-get install nodejs"] if lacking
    ]


@rows("target, lacking", [("site", ["npm"]), ("conformance", []), ("verify", ["npm", "chromium"])])
def test_a_target_names_only_what_it_needs_itself(folder, capsys, target, lacking):
    for name in ("npm", "chromium"):
        (folder / name).unlink(missing_ok=True)
    assert needs.main([target]) == (2 if lacking else 0)
    printed = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in printed[1:-1]] == lacking
    assert printed[-1:] == [
        f"On Debian: apt-get update && apt-get install {' '.join(lacking)}" for _ in lacking[:1]
    ]


@pytest.mark.parametrize("target", [name for name in needs.TARGETS if name != "verify"])
def test_a_target_says_what_is_missing_before_anything_of_it_runs(tmp_path, target):
    """Even where nothing is set up yet, and where several things are made at once."""
    for name in ("sh", "make", "expr"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = ran(
        *("make", "--jobs=4", target, f"PYTHON={sys.executable}", f"VENV={tmp_path}/venv"),
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
    )
    first, *lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert first == f"make {target} needs programs that are missing:"
    assert {line.split()[0] for line in lines[:-2]} == {*needs.TARGETS[target]}
    assert lines[-2].startswith("On Debian: apt-get update && apt-get install ")
    assert lines[-1].endswith("Nothing was run.  Stop.")
    assert not (tmp_path / "venv").exists()


def test_a_python_that_is_too_old_is_missing(folder, monkeypatch):
    monkeypatch.setattr(needs, "PYTHON", (99,))
    *_, line, last = needs.missing()
    assert line.split()[0] == "python3"
    assert last.endswith("install python3 python3-venv")


# --- Parts --------------------------------------------------------------------------------------


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Let each part do nothing, and `lint` fail; return what lists those that were made, in order."""
    recipe = "\t@echo $@ >>made; echo $@ says; echo 3 passed, 1 skipped in 1.2s; test $@ != lint\n"
    text = "".join(f"{name}:\n{recipe}" for name in verify.PARTS)
    (tmp_path / "Makefile").write_text(text, "utf-8")
    monkeypatch.setattr(verify.needs, "missing", list)
    monkeypatch.setattr(verify, "ROOT", tmp_path)
    monkeypatch.setattr(verify, "LOGS", tmp_path / "logs")
    return lambda: [line for file in tmp_path.glob("made") for line in file.read_text().split()]


def test_a_part_is_a_target_and_comes_after_what_it_needs():
    targets = (ROOT / "Makefile").read_text("utf-8")
    names = list(verify.PARTS)
    for name, before in verify.PARTS.items():
        assert f"\n{name}:" in targets
        assert all(names.index(each) < names.index(name) for each in before)


def test_a_part_runs_with_what_it_needs_and_after_it(made, capsys):
    assert verify.main(["rest"]) == 0
    assert made() == ["setup", "conformance", "site", "rest"]
    printed = capsys.readouterr().out
    assert "12 passed, 0 failed" in printed
    assert "pythons" not in printed


def test_a_failed_part_is_named_and_parts_that_need_it_are_not_run(made, monkeypatch, capsys):
    monkeypatch.setattr(verify, "PARTS", {"setup": (), "lint": ("setup",), "site": ("lint",)})
    assert verify.main([]) == 1
    assert made() == ["setup", "lint"]
    printed = capsys.readouterr().out
    assert "== lint: failed (2)" in printed
    assert "not run: what it needs has failed" in printed
    assert "failed: lint, site; what they wrote is in logs" in printed
    assert "lint says\n" in (verify.LOGS / "lint.log").read_text("utf-8")


def test_nothing_runs_where_something_is_missing_or_unknown(made, monkeypatch, capsys):
    assert verify.main(["lint", "cake"]) == 2
    assert "no part is called cake" in capsys.readouterr().out
    monkeypatch.setattr(verify.needs, "missing", lambda: ["  node is not here", "On Debian: …"])
    assert verify.main([]) == 2
    assert "  node is not here\nOn Debian: …\n" in capsys.readouterr().out
    assert made() == []


# --- Pythons ------------------------------------------------------------------------------------


def test_the_newest_of_each_minor_version_is_used(monkeypatch):
    """Neither one of this minor version, nor what is too old or no Python."""
    this = tuple(sys.version_info[:3])
    versions = {
        pythons.SYSTEM: (3, 97, 1),
        "old": (3, 9, 9),
        "none": (),
        "this": this,
        "as this": (*this[:2], this[2] + 1),
        "one": (3, 98, 2),
        "newer": (3, 98, 4),
        "last": (3, 99, 0),
    }
    monkeypatch.setattr(pythons, "_candidates", lambda: versions)
    monkeypatch.setattr(pythons, "_version", versions.__getitem__)
    assert [each.path for each in pythons.found()] == [pythons.SYSTEM, "newer", "last"]


def test_a_program_that_is_not_python_has_no_version(folder):
    assert pythons._version(sys.executable) == tuple(sys.version_info[:3])
    assert pythons._version(folder / "node") == ()
    assert pythons._version(folder / "nowhere") == ()


def test_one_that_fails_is_named(monkeypatch, capsys):
    monkeypatch.setattr(pythons, "_version", lambda name: tuple(map(int, name.split("."))))
    monkeypatch.setattr(pythons, "_passes", lambda python, **_: python.name != "3.12.1")
    assert pythons.main(["3.10.1", "3.12.1"]) == 1
    assert capsys.readouterr().out == "versions: 3.10.1 3.12.1\nfailing: 3.12.1\n"
    assert pythons.main(["3.10.1"]) == 0


def test_the_oldest_and_the_newest_run_the_tests(monkeypatch):
    found = [pythons.Python(Path(name), (3, at)) for at, name in enumerate("abc")]
    monkeypatch.setattr(pythons, "found", lambda: iter(found))
    monkeypatch.setattr(pythons, "_conforms", lambda *_: True)
    seen = {}
    monkeypatch.setattr(
        pythons, "_passes", lambda python, is_tested: seen.update({python.name: is_tested}) or True
    )
    assert pythons.main([]) == 0
    assert seen == {"3.0": True, "3.1": False, "3.2": True}
