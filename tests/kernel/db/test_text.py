"""One SQL text, two engines."""

from typing import Any

import pytest

from mujina.kernel.db.errors import UnbindableValue
from mujina.kernel.db.sql import text

ON_POSTGRES = [
    ("SELECT :a, :b, :a", "SELECT $1, $2, $1"),
    ("WHERE i.id IN :ids", "WHERE i.id = ANY($1)"),
    ("WHERE i.id NOT IN :ids AND x = :x", "WHERE i.id <> ALL($1) AND x = $2"),
    ("where i.id not  in\n:ids", "where i.id <> ALL($1)"),
    ("i.project_id + 0 IN :mine", "i.project_id + 0 = ANY($1)"),
    ("x IN (:a, :b)", "x IN ($1, $2)"),
    ("x IN (SELECT id FROM t)", "x IN (SELECT id FROM t)"),
    ("SELECT ':a it''s :b', :c", "SELECT ':a it''s :b', $1"),
    ('SELECT ":a" FROM "x:y"', 'SELECT ":a" FROM "x:y"'),
    ("SELECT 1 -- :a IN :b\n, :c", "SELECT 1 , $1"),
    ("SELECT /* :a\n'*/ :b", "SELECT $1"),
    ("SELECT\n    1,  'two  --\n', \"three  /* */\"", "SELECT 1, 'two  --\n', \"three  /* */\""),
    ("x LIKE '%' || :a", "x LIKE '%' || $1"),
    ("SELECT 1 FOR UPDATE OF i SKIP LOCKED", "SELECT 1 FOR UPDATE OF i SKIP LOCKED"),
    ("MAIN :a", "MAIN $1"),
]

ON_SQLITE = [
    ("SELECT :a, :b, :a", "SELECT :a, :b, :a"),
    ("WHERE i.id IN :ids", "WHERE i.id IN (SELECT value FROM json_each(:ids))"),
    ("WHERE i.id NOT IN :ids", "WHERE i.id NOT IN (SELECT value FROM json_each(:ids))"),
    ("SELECT ':a IN :b', 'FOR UPDATE'", "SELECT ':a IN :b', 'FOR UPDATE'"),
    ("SELECT 1 FOR UPDATE", "SELECT 1 "),
    ("SELECT 1 FOR KEY SHARE", "SELECT 1 "),
    ("SELECT 1 for no key update of a, b nowait", "SELECT 1 "),
    ("(SELECT 1 FOR UPDATE OF j SKIP LOCKED)", "(SELECT 1 )"),
    (
        "json_agg(json_build_array(u.id, 'json_agg(') ORDER BY u.id)",
        "json_group_array(json_array(u.id, 'json_agg(') ORDER BY u.id)",
    ),
    ("ON CONFLICT (id) DO UPDATE SET n = :n", "ON CONFLICT (id) DO UPDATE SET n = :n"),
]


@pytest.mark.parametrize(("written", "spelled"), ON_POSTGRES)
def test_postgres_gets_numbers_and_arrays(written, spelled):
    assert text.postgres(written).text == spelled


@pytest.mark.parametrize(("written", "spelled"), ON_SQLITE)
def test_sqlite_gets_json_and_no_row_locks(written, spelled):
    assert text.sqlite(written).text == spelled


def test_values_are_bound_in_the_order_of_their_first_mention():
    statement = text.postgres("SELECT :b, :a, :b WHERE x IN :ids")
    assert statement.arguments({"a": 1, "b": "two", "ids": (3, 4)}) == ["two", 1, [3, 4]]


def test_sqlite_binds_a_list_as_json():
    assert text.sqlite("x IN :names").arguments({"names": ["a", 'ü"']}) == ['["a","ü\\""]']


def test_more_may_be_bound_than_a_text_asks_for():
    assert text.postgres("SELECT :a").arguments({"a": 1, "b": 2}) == [1]


def test_a_name_nothing_is_bound_to_is_refused():
    with pytest.raises(LookupError, match=":titel"):
        text.sqlite("SELECT :titel").arguments({"title": "x"})


def test_a_list_stands_only_behind_in():
    nested: Any = {"ids": [[1]]}
    with pytest.raises(TypeError, match=":ids"):
        text.sqlite("x = :ids").arguments({"ids": [1]})
    with pytest.raises(TypeError, match=":ids"):
        text.sqlite("x IN :ids").arguments({"ids": 1})
    with pytest.raises(TypeError, match=":ids"):
        text.sqlite("x IN :ids").arguments(nested)


def test_a_name_is_a_list_or_a_value_not_both():
    with pytest.raises(ValueError, match=":a"):
        text.postgres("x IN :a OR y = :a")


def test_the_cast_of_one_engine_alone_is_refused():
    with pytest.raises(ValueError, match="CAST"):
        text.postgres("SELECT :a::bigint")


@pytest.mark.parametrize("value", ["a\0b", 2**63, -(2**63) - 1])
def test_a_value_that_no_engine_takes_is_refused(value):
    with pytest.raises(UnbindableValue):
        text.postgres("SELECT :a").arguments({"a": value})
    with pytest.raises(UnbindableValue):
        text.sqlite("x IN :a").arguments({"a": [value]})
    with pytest.raises(UnbindableValue):
        text.postgres("x IN :a").arguments({"a": [1, value]})


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), True, None, 1.5, b"\0", ""])
def test_a_value_that_both_engines_take_is_bound_unchanged(value):
    assert text.postgres("SELECT :a").arguments({"a": value}) == [value]
