"""Statements that read a page of a list, and the conditions of selections."""

import pytest

from mujina.kernel.db.sql.selection import Selection, Sql, ascending, descending
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.filters import flag
from mujina.kernel.lists.pages import PagePlan, plan_page

BY_A = "SELECT a FROM t ORDER BY a ASC"
PAGES = [
    (20, 0, f"SELECT * FROM ({BY_A} LIMIT 20) reached LIMIT :limit OFFSET :offset"),
    (7, 3, f"SELECT * FROM ({BY_A} LIMIT 20) reached LIMIT :limit OFFSET :offset"),
    (20, 80, f"SELECT * FROM ({BY_A} LIMIT 100) reached LIMIT :limit OFFSET :offset"),
    (
        100, 100,
        f"SELECT * FROM (SELECT * FROM ({BY_A} LIMIT 1000) reached LIMIT :limit OFFSET :offset) page LIMIT 101",
    ),
    (
        20, 10**12,
        f"SELECT * FROM (SELECT * FROM ({BY_A}) reached LIMIT :limit OFFSET :offset) page LIMIT 101",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "offset", "text"), PAGES)
def test_postgres_is_told_how_far_a_page_reaches(limit, offset, text):
    assert PagePlan(ascending("a"), limit, offset).text("postgres", "SELECT a FROM t") == text


def test_sqlite_needs_no_number_in_the_text():
    plan = PagePlan(ascending("a"), 20, 40)
    assert plan.text("sqlite", "SELECT a FROM t") == f"{BY_A} LIMIT :limit OFFSET :offset"
    assert plan.bound == {"limit": 20, "offset": 40}


def test_a_far_page_is_read_from_the_nearer_end():
    order, page = ascending("coalesce(a, 'DESC')") + descending("id"), Page(60, 20, {})
    assert plan_page(order, page) == PagePlan(order, 20, 1180)
    assert plan_page(order, page, 2_360) == PagePlan(order, 20, 1180)
    assert plan_page(order, page, 1_195) == PagePlan(order.reversed, 15, 0, backwards=True)
    assert order.reversed.text == "coalesce(a, 'DESC') DESC, id ASC"
    assert plan_page(order, page, 1_195).sorted([1, 2]) == [2, 1]


def test_an_or_in_a_condition_never_widens_a_selection():
    narrow = Selection("t", "t.a OR t.b").where("t.c").where(Sql("t.d OR t.e = :e", e=1))
    assert narrow.text == "FROM t WHERE (t.a OR t.b) AND t.c AND (t.d OR t.e = :e)"
    assert narrow.bound == {"e": 1}
    assert Selection("t", "t.a OR t.b").condition == "(t.a OR t.b)"
    assert (~Sql("t.a OR t.b")).text == "NOT (t.a OR t.b)"
    refused = flag("t.a OR t.b")("f", False)
    assert refused is not None
    assert refused.text == "NOT (t.a OR t.b)"
