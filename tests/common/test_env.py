import pytest
from django.core.exceptions import ImproperlyConfigured

from digitalworker.common import env


def test_a_missing_variable_is_named(monkeypatch):
    monkeypatch.delenv("DW_X", raising=False)
    with pytest.raises(ImproperlyConfigured, match=r"^DW_X is not set\."):
        env.text("DW_X")


@pytest.mark.parametrize(("raw", "expected"), [("1", True), ("Yes", True), ("off", False), ("", False), (None, True)])
def test_flags_are_read_in_words(monkeypatch, raw, expected):
    monkeypatch.delenv("DW_X", raising=False)
    if raw is not None:
        monkeypatch.setenv("DW_X", raw)
    assert env.flag("DW_X", True) is expected


def test_a_flag_that_is_neither_is_refused(monkeypatch):
    monkeypatch.setenv("DW_X", "maybe")
    with pytest.raises(ImproperlyConfigured, match="DW_X='maybe' is neither true nor false"):
        env.flag("DW_X", False)


def test_a_number_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("DW_X", "ten")
    with pytest.raises(ImproperlyConfigured, match="DW_X='ten' is not a whole number"):
        env.number("DW_X", 1)


def test_words_are_separated_by_commas(monkeypatch):
    monkeypatch.setenv("DW_X", " a, b ,,c")
    assert env.words("DW_X") == ["a", "b", "c"]


def test_a_database_address_is_taken_apart():
    found = env.database("postgresql://ada:p%40ss@db.example:5433/known")
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"], found["NAME"]) == (
        "ada",
        "p@ss",
        "db.example",
        "5433",
        "known",
    )


@pytest.mark.parametrize("address", ["mysql://localhost/x", "sqlite:///x.db", "postgresql://localhost/"])
def test_other_databases_are_refused(address):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        env.database(address)
