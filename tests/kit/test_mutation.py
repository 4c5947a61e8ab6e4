"""The list of mutants that no test sees: what it must say, and what a change of the core asks for."""

import subprocess

import pytest
from mutation import changes, survivors, workshop
from mutation.survivors import Record, Survivor
from mutation.workshop import MODULES, Mutant, Outcome

MUTANT = Mutant("Batch.take", "return []", "return None")


def outcome(*found):
    return Outcome("_batch", 10, 4, 3, 3 - len(found), found)


def listed(**changed):
    """Return a list in which every module is as it should be, but for `changed`."""
    records = {name: Record(workshop.digest(name), 1, 0, 1, 0, ()) for name in MODULES}
    return records | changed


def test_the_tests_of_the_second_round_are_there():
    for module in MODULES:
        assert (workshop.CORE / f"{module}.py").is_file()
        for path in workshop.tests_of(module):
            assert (workshop.ROOT / path).is_file(), path


def test_the_list_is_of_these_sources_and_every_survivor_has_a_reason():
    """Renew it with `python -m mutation run MODULE`."""
    assert survivors.faults(survivors.load()) == []


def test_a_survivor_stands_in_its_function():
    """An entry that outlived what it tells of is left out."""
    for module, record in survivors.load().items():
        text = " ".join((workshop.CORE / f"{module}.py").read_text("utf-8").split())
        for survivor in record.survivors:
            name = survivor.mutant.function.rpartition(".")[2]
            assert f"def {name}(" in text, survivor
            assert " ".join(survivor.mutant.was.split()) in text, survivor


def test_a_source_that_has_changed_is_a_fault():
    """The list would speak of another one."""
    old = Record("0" * 64, 1, 0, 1, 0, ())
    (fault,) = survivors.faults(listed(_batch=old))
    assert fault == ("_batch: changed since its mutants were tested; python -m mutation run _batch")


def test_a_module_that_is_not_listed_is_a_fault():
    """A new module has to be looked at."""
    records = listed()
    del records["_shapes"]
    assert survivors.faults(records) == ["_shapes: not in the list; python -m mutation run _shapes"]


def test_a_survivor_without_a_reason_is_a_fault():
    """A mutant that lives is a missing test until someone says why not."""
    record = survivors.renewed(outcome(MUTANT), None)
    (fault,) = survivors.faults(listed(_batch=record))
    assert fault == "_batch: a survivor without a reason: Batch.take: return [] -> return None"


def test_a_reason_is_kept_when_a_module_is_run_again():
    """As long as the mutant is the same; where it is killed now, it goes."""
    other = Mutant("Batch.close", "a", "b")
    before = Record("", 1, 0, 0, 0, (Survivor(MUTANT, "why"), Survivor(other, "gone")))
    record = survivors.renewed(outcome(MUTANT, MUTANT), before)
    assert record.survivors == (Survivor(MUTANT, "why"), Survivor(MUTANT, "why"))
    assert record.source == workshop.digest("_batch")


def test_the_list_reads_as_it_was_written(tmp_path, monkeypatch):
    """Nothing of it is lost."""
    monkeypatch.setattr(survivors, "FILE", tmp_path / "survivors.json")
    assert survivors.load() == {}
    records = listed(_batch=survivors.renewed(outcome(MUTANT), None))
    survivors.save(records)
    assert survivors.load() == records


@pytest.fixture
def history(tmp_path, monkeypatch):
    """Make a repository with one module, in which a method and a function have changed."""
    module = tmp_path / "src" / "cogwire" / "_batch.py"
    module.parent.mkdir(parents=True)

    def git(*arguments):
        name = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *name, *arguments], cwd=tmp_path, check=True, capture_output=True)

    module.write_text("class A:\n    def b(self): return 1\n    def c(self): return 2\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    module.write_text(
        "# more\nclass A:\n    def b(self):\n        return 1\n    def c(self): return 3\n"
        "async def d(): pass\n"
    )
    monkeypatch.setattr(changes, "ROOT", tmp_path)
    monkeypatch.setattr(changes, "MODULES", ("_batch",))


@pytest.mark.usefixtures("history")
def test_a_change_touches_the_functions_whose_code_is_another():
    """Neither comments nor lines are code; what is new has changed too."""
    assert changes.functions("HEAD") == {"_batch": ["A.c", "d"]}


@pytest.mark.usefixtures("history")
def test_without_the_revision_nothing_is_known_to_have_changed():
    """So it is in an archive, or in a clone without its history."""
    assert changes.functions("no-such-revision") == {}


def test_some_of_many_functions_are_the_same_ones_each_time():
    """A failure must come again."""
    names = [f"f{number}" for number in range(20)]
    chosen = changes.some(names, 5)
    assert chosen == changes.some(names, 5) == sorted(set(chosen) & set(names))
    assert len(chosen) == 5
    assert changes.some(names, 20) == names


def test_a_method_of_a_class_is_found_by_its_mutants_name():
    """As mutmut mangles it, both ways."""
    assert workshop.pattern("_batch", "Batch.take") == "cogwire._batch.xǁBatchǁtake__mutmut_*"
    assert workshop.function("cogwire._batch.xǁBatchǁtake__mutmut_3") == "Batch.take"
    assert workshop.pattern("_batch", "_call") == "cogwire._batch.x__call__mutmut_*"
    assert workshop.function("cogwire._batch.x__call__mutmut_12") == "_call"


def test_where_mutmut_cannot_place_an_error_of_types_it_goes_without_them(tmp_path, monkeypatch):
    """And where it cannot run at all, the command says where its log is."""
    tried = []

    class Fails(workshop.Round):
        def __init__(self, _place, _module, _tests, *, has_types):
            tried.append(has_types)

        def run(self, _children, _names=()):
            raise workshop.MutmutError("see log.txt")

    monkeypatch.setattr(workshop, "Round", Fails)
    with pytest.raises(workshop.MutmutError):
        workshop.mutate("_batch", tmp_path, 1)
    assert tried == [True, False]
