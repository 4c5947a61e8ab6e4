"""What a smaller copy of the core lacks is named when it is asked for, and listed nowhere."""

import importlib

import pytest

from tests import cogwire
from tests.core.helpers import bare

dialects = importlib.import_module(f"{cogwire.__name__}.wire.dialects")


@pytest.mark.parametrize(
    ("home", "only"),
    [("turns.sink", "agent"), ("conversion.sink", "protocol"), ("tools.sink", "protocol")],
)
def test_a_name_whose_room_was_not_copied(monkeypatch, home, only):
    monkeypatch.setitem(cogwire._HOMES, "Kitchen", home)
    assert not hasattr(cogwire, "Kitchen")
    with pytest.raises(AttributeError) as caught:
        cogwire.Kitchen  # noqa: B018 - it is imported when it is asked for
    assert str(caught.value) == (
        f"this copy of {cogwire.__name__} lacks Kitchen; "
        f"`cogwire vendor add DIR --only {only}` copies it"
    )


@pytest.mark.parametrize("home", ["kitchen", "kitchen.sink"])
def test_a_name_whose_room_was_not_copied_is_not_listed(monkeypatch, home):
    monkeypatch.setitem(cogwire._HOMES, "Kitchen", home)
    monkeypatch.delitem(vars(cogwire), "__all__", raising=False)
    assert "Kitchen" not in dir(cogwire)
    assert "Kitchen" not in cogwire.__all__
    assert "Parser" in cogwire.__all__


def test_a_dialect_that_was_not_copied(monkeypatch):
    monkeypatch.setitem(dialects.MODULES, "kitchen", "kitchen")
    with pytest.raises(ValueError, match="kitchen") as caught:
        cogwire.Parser("kitchen")
    assert str(caught.value) == (
        f"this copy of {cogwire.__name__} lacks the dialect kitchen; "
        "`cogwire vendor add DIR --only dialects` copies it"
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


def test_a_module_is_imported_when_it_is_first_used():
    vars(cogwire).pop("aio", None)
    assert "aio" in dir(cogwire)
    assert cogwire.aio is importlib.import_module(f"{cogwire.__name__}.aio")
    assert "aio" not in cogwire.__all__


def test_a_name_that_never_existed():
    with pytest.raises(AttributeError, match="has no attribute 'Kitchen'"):
        cogwire.Kitchen  # noqa: B018 - it is imported when it is asked for


def test_a_copy_that_has_everything_has_every_name():
    assert all(hasattr(cogwire, name) for name in cogwire.__all__)
    assert bare(cogwire.parse("a")) == [{"type": "respond", "content": "a"}]


def test_what_is_public_is_listed_before_it_is_loaded():
    assert set(cogwire.__all__) <= set(dir(cogwire))
