"""`cogwire vendor add`, `check` and `diff`, run as people and programs run them."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import cogwire
from cogwire_kit.vendoring import copies, rooms
from tests.kit.cli.running import CLI, cogwire_
from tests.processes import ran
from tests.rows import rows

ROOT = Path(__file__).parents[3]
CORE = Path(cogwire.__path__[0])


def vendor(*arguments):
    return cogwire_("vendor", *arguments)


def reading(*arguments):
    code, output, _ = vendor(*arguments, "--json")
    return code, json.loads(output)


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the parser, as it was written."""
    directory = tmp_path / "agent" / "_vendor" / "wire"
    copies.add(directory, "parse")
    return directory


@pytest.fixture
def older(copy):
    """Return a copy of an older version: one file reads otherwise, one is new now, one has gone."""
    data = json.loads((copy / copies.MANIFEST).read_text("utf-8"))
    data |= {"version": "0.0.9", "spec": "0.9.0"}
    data.pop("commit", None)  # older versions did not write it
    (copy / "parser" / "iterate.py").unlink()
    del data["sha256"]["parser/iterate.py"]
    for path, text in {"events.py": "OLD = 1\n", "gone/file.py": "GONE = 1"}.items():
        (copy / path).parent.mkdir(exist_ok=True)
        (copy / path).write_text(text, "utf-8")
        data["sha256"][path] = hashlib.sha256(text.encode()).hexdigest()
    (copy / copies.MANIFEST).write_text(json.dumps(data), "utf-8")
    return copy


# --- add ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("closure", rooms.CLOSURES)
def test_a_copy_has_the_files_as_they_are_with_license_version_revision_and_digests(
    tmp_path, closure
):
    directory = tmp_path / "wire"
    code, output, error = vendor("add", directory, "--only", closure)
    assert (code, error) == (0, "")
    data = json.loads((directory / copies.MANIFEST).read_text("utf-8"))
    assert f"{directory}: cogwire {cogwire.__version__} ({closure}, specification" in output
    assert data["name"] == "cogwire"
    assert data["version"] == cogwire.__version__
    assert data["only"] == closure
    revision = json.loads((ROOT / "conformance" / "corpus.json").read_text("utf-8"))["version"]
    assert data["spec"] == revision
    written = {path for path in rooms.files_in(directory) if path != copies.MANIFEST}
    assert written == set(data["sha256"])
    for path, digest in data["sha256"].items():
        assert hashlib.sha256((directory / path).read_bytes()).hexdigest() == digest
    chosen = set(rooms.files_of(CORE, closure))
    bridges = {f"bridges/{path}" for path in rooms.BRIDGES} if closure == "bridges" else set()
    assert written - chosen == {"LICENSE", ".gitattributes", *bridges}
    fitted = {
        path for path in chosen if (directory / path).read_bytes() != (CORE / path).read_bytes()
    }
    # It lists what the copy has.
    assert fitted == (set() if closure in ("all", "bridges") else {"__init__.py"})
    assert (directory / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_add_reports_what_it_wrote_as_json(tmp_path):
    code, data = reading("add", tmp_path / "wire", "--only", "parse")
    stored = json.loads((tmp_path / "wire" / copies.MANIFEST).read_text("utf-8"))
    assert (code, data) == (0, {"directory": str(tmp_path / "wire"), **stored})


def test_no_copy_hides_a_module_of_python(tmp_path):
    """A module in a package has the name of the package before its own."""
    code, output, problems = cogwire_("vendor", "add", tmp_path / "json")
    assert (code, output, [*tmp_path.iterdir()]) == (2, "", [])
    assert problems.startswith(f"cogwire: {tmp_path / 'json'}: the copy would hide Python's own")
    (tmp_path / "__init__.py").touch()
    assert cogwire_("vendor", "add", tmp_path / "json", "--only", "parse")[0] == 0


def test_without_only_a_new_copy_is_whole_and_an_old_one_keeps_its_parts(tmp_path, copy):
    assert reading("add", tmp_path / "new")[1]["only"] == "all"
    assert reading("add", copy)[1]["only"] == "parse"


def test_a_copy_of_an_earlier_version_is_read_under_the_new_name_of_its_parts(tmp_path):
    copies.add(tmp_path / "wire", "all")
    manifest = tmp_path / "wire" / copies.MANIFEST
    manifest.write_text(manifest.read_text("utf-8").replace('"only": "all"', '"only": "trained"'))
    assert reading("diff", tmp_path / "wire")[1]["copy"]["only"] == "all"
    assert reading("add", tmp_path / "wire")[1]["only"] == "all"


def test_a_copy_is_replaced_and_obsolete_files_are_removed(copy):
    assert vendor("add", copy, "--only", "all")[0] == 0
    assert (copy / "turns" / "batch.py").is_file()
    compiled = copy / "turns" / "__pycache__" / "batch.cpython-311.pyc"
    compiled.parent.mkdir()
    compiled.touch()
    assert vendor("add", copy, "--only", "parse")[0] == 0
    assert not (copy / "turns").exists()
    assert vendor("check", copy)[0] == 0


def test_a_newer_copy_is_kept_unless_force_is_given(copy):
    data = json.loads((copy / copies.MANIFEST).read_text("utf-8"))
    for version in ("0.10.0", "1.0"):
        (copy / copies.MANIFEST).write_text(json.dumps(data | {"version": version}), "utf-8")
        code, output, error = vendor("add", copy)
        assert (code, output) == (2, "")
        assert f"cogwire {version} (parse, specification " in error
        assert f"which is newer than what is installed, cogwire {cogwire.__version__} (" in error
    assert vendor("add", copy, "--force")[0] == 0
    assert reading("check", copy)[1]["version"] == cogwire.__version__


def test_a_copy_whose_manifest_was_merged_is_written_anew(copy):
    """The files may be of both sides, so that nothing of them can be kept."""
    manifest = copy / copies.MANIFEST
    first, rest = manifest.read_text("utf-8").split('"spec"', 1)
    sides = '<<<<<<< HEAD\n  "spec": "1",\n=======\n  "spec": "2",\n>>>>>>> main\n'
    manifest.write_text(f'{first}{sides}  "spec"{rest}', "utf-8")
    (copy / "events.py").write_text("<<<<<<< HEAD\n", "utf-8")
    for options in ([], ["--force"], ["--only", "parse"]):
        code, output, error = vendor("add", copy, *options)
        assert (code, output) == (2, "")
        assert "write the copy anew: `cogwire vendor add DIR --only … --force`" in error
    assert vendor("add", copy, "--only", "parse", "--force")[0] == vendor("check", copy)[0] == 0


@pytest.mark.parametrize("path", ["events.py", "mine.py"])
def test_changed_files_are_kept_unless_force_is_given(copy, path):
    (copy / path).write_text("MINE = 1\n", "utf-8")
    code, output, error = vendor("add", copy)
    assert (code, output) == (2, "")
    assert error == (
        f"cogwire: {copy} was changed since it was copied: {path}; "
        "--force replaces it, and these changes are lost\n"
    )
    assert (copy / path).read_text("utf-8") == "MINE = 1\n"
    assert vendor("add", copy, "--force")[0] == 0
    assert vendor("check", copy)[0] == 0


def test_a_folder_in_the_place_of_a_file_is_named(copy):
    file = copy / "events.py"
    file.unlink()
    file.mkdir()
    assert vendor("add", copy, "--force") == (2, "", f"cogwire: {file}: Is a directory\n")


def test_what_was_interrupted_is_continued_without_force(older, tmp_path):
    """Where the disk was full, files are whole or missing; an update may be half there."""
    assert vendor("add", tmp_path / "new", "--only", "parse")[0] == 0
    for path in ("events.py", "parser/parser.py"):
        (older / path).write_bytes((tmp_path / "new" / path).read_bytes())
    assert vendor("add", older)[0] == vendor("check", older)[0] == vendor("diff", older)[0] == 0
    assert reading("check", older)[1]["version"] == cogwire.__version__
    copy = tmp_path / "full"
    limited = ["sh", "-c", 'ulimit -f 10; exec "$@"', "sh", *CLI, "vendor", "add", copy]
    assert ran(*limited, "--only", "parse").returncode == 2
    assert json.loads((copy / copies.MANIFEST).read_bytes())["only"] == "parse"
    assert "added" not in vendor("check", copy)[1]
    assert vendor("add", copy)[0] == vendor("check", copy)[0] == 0


def test_a_folder_that_has_another_program_s_files_is_left_alone(tmp_path):
    directory = tmp_path / "wire"
    directory.mkdir()
    (directory / "notes.txt").write_text("mine", "utf-8")
    for options in ([], ["--force"]):
        code, output, error = vendor("add", directory, *options)
        assert (code, output) == (2, "")
        assert error == f"cogwire: {directory} is not empty, and is not a copy of cogwire\n"
    assert rooms.files_in(directory) == ["notes.txt"]


@pytest.mark.verify
def test_a_folder_is_named_by_its_kind(tmp_path):
    (tmp_path / "wire").mkdir()
    for command in ("add", "check"):
        subprocess.run([*CLI, "vendor", command, "."], cwd=tmp_path / "wire", check=True)


def test_a_file_in_the_place_of_the_folder_is_wrong_usage(tmp_path):
    (tmp_path / "wire").write_text("mine", "utf-8")
    assert vendor("add", tmp_path / "wire")[0] == 2
    assert (tmp_path / "wire").read_text("utf-8") == "mine"


# --- check --------------------------------------------------------------------------------------


def test_a_copy_that_is_as_it_was_written(copy):
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "events.cpython-311.pyc").touch()
    code, output, error = vendor("check", copy)
    assert (code, error) == (0, "")
    assert output.startswith(f"{copy}: cogwire {cogwire.__version__} (parse, specification ")
    assert output.endswith("files, as they were copied\n")


def test_changed_files_are_named(copy):
    (copy / "events.py").write_bytes((CORE / "events.py").read_bytes() + b"\n")
    (copy / "parser" / "mine.py").touch()
    (copy / "LICENSE").unlink()
    code, output, _ = vendor("check", copy)
    assert code == 1
    assert output.splitlines()[:3] == [
        "modified  events.py",
        "missing   LICENSE",
        "added     parser/mine.py",
    ]
    code, data = reading("check", copy)
    assert code == 1
    assert data["modified"] == ["events.py"]
    assert data["missing"] == ["LICENSE"]
    assert data["added"] == ["parser/mine.py"]
    assert data["only"] == "parse"


def test_a_module_that_has_no_source_is_named(copy):
    """Python imports it as it is."""
    (copy / "parser" / "spy.pyc").touch()
    code, output, _ = vendor("check", copy)
    assert (code, output.splitlines()[0]) == (1, "added     parser/spy.pyc")
    assert vendor("add", copy, "--force")[0] == 0
    assert not (copy / "parser" / "spy.pyc").exists()


def test_a_link_is_a_change_that_add_does_not_write_through(copy, tmp_path):
    """What is where it leads is not the copy's, and would be lost; only a file may be elsewhere."""
    for name in ("events.py", "text"):
        (copy / name).rename(tmp_path / name)
        (copy / name).symlink_to(tmp_path / name)
    (tmp_path / "text" / "decoding.py").write_text("MINE = 1\n", "utf-8")
    (copy / "py.typed").unlink()
    (copy / "py.typed").symlink_to("nowhere")
    data = reading("check", copy)[1]
    assert (data["modified"], data["added"]) == (["py.typed"], ["text"])
    assert "text/decoding.py" in data["missing"]
    assert vendor("diff", copy)[1].count("\n-nowhere\n") == 1
    assert vendor("add", copy)[0] == 2
    (tmp_path / "events.py").chmod(0o400)
    assert vendor("add", copy, "--force")[0] == vendor("check", copy)[0] == 0
    assert not any(each.is_symlink() for each in copy.rglob("*"))
    assert (tmp_path / "text" / "decoding.py").read_text("utf-8") == "MINE = 1\n"


def test_an_older_copy_is_checked_by_its_own_digests(older):
    code, data = reading("check", older)
    assert (code, data["version"], data["spec"]) == (0, "0.0.9", "0.9.0")


@rows("command", ["check", "diff"])
def test_where_no_copy_is(tmp_path, command):
    for directory in (tmp_path, tmp_path / "nowhere"):
        code, output, error = vendor(command, directory)
        assert (code, output) == (2, "")
        assert error == (
            f"cogwire: {directory} is not a copy of cogwire: it has no {copies.MANIFEST}; "
            "`cogwire vendor add` writes one\n"
        )


DIGEST = "0" * 64


@rows(
    "member, wrong",
    [
        ("sha256", {"../outside.py": DIGEST}),
        ("sha256", {"/etc/outside": DIGEST}),
        ("sha256", {"a/../../outside.py": DIGEST}),
        ("sha256", {"a//b.py": DIGEST}),
        ("sha256", {"a\\b.py": DIGEST}),
        ("sha256", {copies.MANIFEST: DIGEST}),
        ("sha256", {"events.py": "none"}),
        ("sha256", {"events.py": 1}),
        ("sha256", ["events.py"]),
        ("version", "0.3.0\x1b[31m"),
        ("commit", "\ud800"),
    ],
)
def test_an_invalid_member_of_a_manifest_is_refused(copy, member, wrong):
    data = json.loads((copy / copies.MANIFEST).read_text("utf-8")) | {member: wrong}
    (copy / copies.MANIFEST).write_text(json.dumps(data), "utf-8")
    before = rooms.files_in(copy)
    for command in ("check", "diff", "add"):
        code, output, error = vendor(command, copy)
        assert (code, output) == (2, "")
        assert "is not what `cogwire vendor add` writes; after a merge, write" in error
    assert rooms.files_in(copy) == before


@rows(
    "text",
    [
        *("", "[]", "{", '{"name": "other"}', "[" * 99999),
        "\ud800".encode("utf-16-le", "surrogatepass"),
    ],
)
def test_an_invalid_manifest_is_refused(copy, text):
    data = text if isinstance(text, bytes) else text.encode()
    (copy / copies.MANIFEST).write_bytes(data)
    code, output, error = vendor("check", copy)
    assert (code, output) == (2, "")
    assert error.startswith(f"cogwire: {copy / copies.MANIFEST}")


# --- diff ---------------------------------------------------------------------------------------


def test_the_same_version_does_not_differ(copy):
    code, output, error = vendor("diff", copy)
    assert (code, output) == (0, "")
    assert error.endswith(": the same files\n")
    code, data = reading("diff", copy)
    assert (code, data["files"]) == (0, [])
    assert data["copy"] == data["installed"]


@pytest.mark.verify  # it needs git
def test_updates_are_shown_as_a_patch(older):
    """Applied to the copy by another program, it gives the files of the installed version."""
    code, output, error = vendor("diff", older)
    assert code == 1
    assert "cogwire 0.0.9 (parse, specification 0.9.0); installed: " in error
    assert error.endswith(": 3 files differ\n")
    patched = ran(
        *("git", "apply", "--whitespace=nowarn", "-"),
        input=output,
        cwd=older,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(older.parent)},
    )
    assert patched.returncode == 0, patched.stderr
    new = copies.installed("parse")
    there = [path for path in rooms.files_in(older) if path != copies.MANIFEST]
    assert {path: (older / path).read_bytes() for path in there} == new


def test_updates_are_reported_as_json(older):
    code, data = reading("diff", older)
    assert code == 1
    assert data["copy"] == {"version": "0.0.9", "spec": "0.9.0", "only": "parse"}
    assert data["installed"]["version"] == cogwire.__version__
    assert [(each["path"], each["change"]) for each in data["files"]] == [
        ("events.py", "modified"),
        ("gone/file.py", "removed"),
        ("parser/iterate.py", "added"),
    ]
    assert "-OLD = 1\n" in data["files"][0]["diff"]
    assert data["files"][1]["diff"] == (
        "--- a/gone/file.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-GONE = 1\n\\ No newline at end of file\n"
    )


def test_an_empty_file_that_is_missing_shows(copy):
    (copy / "py.typed").unlink()
    assert vendor("diff", copy)[:2] == (1, "--- /dev/null\n+++ b/py.typed\n")


def test_a_copy_of_an_unknown_version_can_be_checked_but_not_compared(copy):
    data = json.loads((copy / copies.MANIFEST).read_text("utf-8")) | {"only": "future"}
    (copy / copies.MANIFEST).write_text(json.dumps(data), "utf-8")
    assert vendor("check", copy)[0] == 0
    code, _, error = vendor("diff", copy)
    assert code == 2
    assert error == f"cogwire: {copy} is a copy of 'future', which is not known here\n"


# --- The commit -----------------------------------------------------------------------------------


def git(folder, *arguments):
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", folder, *settings, *arguments]
    return ran(*command, check=True).stdout.strip()


@pytest.mark.verify  # needs git
def test_a_copy_names_the_commit_that_it_is_of(tmp_path, monkeypatch):
    package = tmp_path / "src" / "cogwire"
    shutil.copytree(CORE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "All.")
    commit = git(tmp_path, "rev-parse", "HEAD")
    monkeypatch.setattr(cogwire, "__path__", [str(package)])
    manifest = copies.add(tmp_path / "copy", "parse")
    assert manifest.commit == commit
    assert f"commit {commit[:12]})" in str(manifest)
    assert copies.read(tmp_path / "copy") == manifest
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "Later.")
    copies.add(tmp_path / "copy", "parse")
    git(tmp_path, "checkout", "--quiet", commit)
    with pytest.raises(copies.VendorError, match=f"newer than .*, commit {commit[:12]}"):
        copies.add(tmp_path / "copy")
    (package / "events.py").write_text("CHANGED = 1", "utf-8")
    assert copies.add(tmp_path / "other", "parse").commit == f"{commit}+"


def test_without_a_repository_no_commit_is_named(tmp_path, monkeypatch):
    package = tmp_path / "src" / "cogwire"
    shutil.copytree(CORE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cogwire, "__path__", [str(package)])
    manifest = copies.add(tmp_path / "copy", "parse")
    assert manifest.commit == ""
    assert "commit" not in manifest.as_json()
