"""What a smaller copy of the core has not is named when it is asked for."""

import importlib

import pytest

from tests import cogwire
from tests.core.helpers import bare

dialects = importlib.import_module(f"{cogwire.__name__}.wire.dialects")


def test_a_name_whose_room_was_not_copied(monkeypatch):
    monkeypatch.setitem(cogwire._HOMES, "Kitchen", "kitchen.sink")
    with pytest.raises(ImportError) as caught:
        cogwire.Kitchen  # noqa: B018 - it is imported when it is asked for
    assert str(caught.value) == (
        f"this copy of {cogwire.__name__} has no kitchen, which Kitchen needs; "
        "`cogwire vendor add DIR --only all` copies everything"
    )


def test_a_dialect_that_was_not_copied(monkeypatch):
    monkeypatch.setitem(dialects.MODULES, "kitchen", "kitchen")
    with pytest.raises(ValueError, match="kitchen") as caught:
        cogwire.Parser("kitchen")
    assert str(caught.value) == (
        f"this copy of {cogwire.__name__} has no kitchen; "
        "`cogwire vendor add DIR --only dialects` copies every dialect"
    )


def test_an_import_error_inside_a_room_is_unchanged(monkeypatch, tmp_path):
    """Only a part of the package is a part that was not copied."""
    for folder in (cogwire, importlib.import_module(dialects.__package__)):
        monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    (tmp_path / "kitchen.py").write_text("import sink_that_is_nowhere\n", "utf-8")
    monkeypatch.setitem(cogwire._HOMES, "Kitchen", "kitchen")
    monkeypatch.setitem(dialects.MODULES, "kitchen", "kitchen")
    for ask in (lambda: cogwire.Kitchen, lambda: cogwire.Parser("kitchen")):
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
