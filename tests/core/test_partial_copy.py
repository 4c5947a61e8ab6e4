"""What a smaller copy of the core lacks is named when it is asked for, and listed nowhere."""

import importlib
import inspect
import sys

import pytest

from tests import cogwire
from tests.core.helpers import bare

dialects = importlib.import_module(f"{cogwire.__name__}.wire.dialects")


@pytest.fixture(autouse=True)
def _uncached(monkeypatch):
    """Let the catalogue and the dialects be imported anew, in place of what was found before."""
    for name in ("catalogue", "_protocol"):
        monkeypatch.setattr(dialects, name, inspect.unwrap(getattr(dialects, name)))


def without(monkeypatch, module):
    """Take a module away, so that importing it fails as if its file were missing."""
    package, _, name = f"{cogwire.__name__}.{module}".rpartition(".")
    monkeypatch.delattr(importlib.import_module(package), name, raising=False)
    monkeypatch.setitem(sys.modules, f"{package}.{name}", None)


def test_a_name_that_was_not_copied(monkeypatch):
    """A smaller copy lists what it lacks, and `tests/kit/vendoring` asks each for all of that."""
    monkeypatch.setattr(cogwire, "_LACKING", {"agent": ["Batch"], "protocol": ["aio", "convert"]})
    for name, only in (("Batch", "agent"), ("aio", "protocol"), ("convert", "protocol")):
        monkeypatch.delitem(vars(cogwire), name, raising=False)
        assert not hasattr(cogwire, name)
        with pytest.raises(AttributeError) as caught:
            getattr(cogwire, name)
        assert str(caught.value) == (
            f"this copy of {cogwire.__name__} lacks {name}; "
            f"`cogwire vendor add DIR --only {only}` copies it"
        )
    assert cogwire.Limits


@pytest.mark.parametrize("name", ["aio", "events", "tooling"])
def test_a_public_module_is_imported_when_it_is_first_used(monkeypatch, name):
    monkeypatch.delattr(cogwire, name, raising=False)
    assert name in dir(cogwire)
    assert name not in cogwire.__all__
    assert getattr(cogwire, name) is importlib.import_module(f"{cogwire.__name__}.{name}")


@pytest.mark.parametrize(
    ("name", "module", "only"),
    [("delimiter", "delimiter", "dialects"), ("xml-elements", "xml_elements", "dialects")],
)
def test_a_dialect_that_was_not_copied(monkeypatch, name, module, only):
    without(monkeypatch, f"wire.{module}")
    with pytest.raises(ValueError, match="lacks") as caught:
        cogwire.Parser(name)
    assert str(caught.value) == (
        f"this copy of {cogwire.__name__} lacks the dialect {name}; "
        f"`cogwire vendor add DIR --only {only}` copies it"
    )


def test_the_formats_of_models_were_not_copied(monkeypatch):
    assert cogwire.Toolset  # which is imported before a module that it needs is taken away
    without(monkeypatch, "wire.trained.catalogue")
    without(monkeypatch, "wire.xml_elements")
    assert dialects.format_names() == ()
    with pytest.raises(ValueError, match="unknown") as caught:
        cogwire.Parser("hermes")
    assert str(caught.value) == (
        "unknown dialect 'hermes'; known: xml-json, delimiter, delimiter-upper; this "
        f"copy of {cogwire.__name__} lacks the catalogue of formats; `cogwire vendor add DIR --only "
        "all` copies it"
    )


def test_the_copy_with_the_formats_has_what_this_one_has(monkeypatch):
    """One without a Toolset needs none."""
    without(monkeypatch, "wire.trained.catalogue")
    monkeypatch.setattr(cogwire, "_LACKING", {"all": ["Toolset"]})
    monkeypatch.delitem(vars(cogwire), "Toolset", raising=False)
    with pytest.raises(ValueError, match=r"--only formats` copies it$"):
        cogwire.Parser("hermes")


def test_an_import_error_inside_a_module_is_unchanged(monkeypatch, tmp_path):
    """Only a part of the package is a part that was not copied."""
    for module in ("aio", "wire.trained.catalogue"):
        package, _, file = f"{cogwire.__name__}.{module}".rpartition(".")
        folder = importlib.import_module(package)
        monkeypatch.delattr(folder, file, raising=False)
        monkeypatch.delitem(sys.modules, f"{package}.{file}", raising=False)
        monkeypatch.setattr(folder, "__path__", [str(tmp_path), *folder.__path__])
        (tmp_path / f"{file}.py").write_text("import sink_that_is_nowhere\n", "utf-8")
    for ask in (lambda: cogwire.aio, lambda: cogwire.Parser("mistral")):
        with pytest.raises(ModuleNotFoundError, match="sink_that_is_nowhere"):
            ask()


def test_a_name_that_never_existed():
    with pytest.raises(AttributeError, match="has no attribute 'Kitchen'"):
        cogwire.Kitchen  # noqa: B018 - it is imported when it is asked for


def test_a_copy_that_has_everything_has_every_name():
    assert all(hasattr(cogwire, name) for name in cogwire.__all__)
    assert bare(cogwire.parse("a")) == [{"type": "respond", "content": "a"}]


def test_what_is_public_is_listed_before_it_is_loaded():
    assert set(cogwire.__all__) <= set(dir(cogwire))
