"""Searches: what matches is counted in the narrow table of texts, and the page is found by the shorter of two ways."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db import search
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.planning.issues import entities, filters
from mujina.planning.issues.entities import Issue
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.reach import Reach

TEXTS: tuple[LiteralString, ...] = ("i.title_folded", "i.description_folded")

FEW_TO_SEARCH = 20_000
"""So many issues are searched faster one by one than through the index of all issues."""

MANY_TO_SORT = 20_000
"""So many matches are no longer sorted for a page at the front: along their order, it is full after a few steps."""


async def found(tx: Tx, actor: Actor, reach: Reach, query: ListIssues, words: str, page: Page) -> Paged[Issue]:
    """One page of the issues asked for in whose title or description the words occur, and their exact total."""
    issues, order = filters.chosen(reach, actor, query), filters.order(query)
    issues.matching(words, *TEXTS)
    size = await reach.size(tx, "all")
    if size <= FEW_TO_SEARCH:
        return await entities.found(tx, issues, order, page)
    texts = reach.texts(actor)
    search.narrow(texts, tx.engine, words, "issue_texts_grams", "i.id", *TEXTS)
    texts.matching(words, *TEXTS)
    filters.in_state(texts, query)
    matches, total, ids = await _sorted(tx, texts, query, page)
    if matches > MANY_TO_SORT:
        if filters.narrowed(query, beside=frozenset({"search"})):
            return await entities.found(tx, issues, order, page)
        total = await texts.total(tx)
        if query.order_by == "updated_at" or page.end * size < total * total:
            issues.bound["total"] = total
            return await entities.listed(tx, issues, order, page, entities.KNOWN_TOTAL)
        ids = await tx.values(
            f"SELECT i.id {texts.text} ORDER BY {order} LIMIT :limit OFFSET :offset", **texts.bound, **page.bound
        )
    return page.of(await entities.these(tx, ids, order), total)


async def _sorted(tx: Tx, texts: Selection, query: ListIssues, page: Page) -> tuple[int, int, list[int]]:
    """How many texts match, how many of their issues are asked for, and the ids of the page.

    Matches above `MANY_TO_SORT` only say that there are more, and the rest nothing.
    """
    asked = Selection("matches i", "TRUE", **texts.bound)
    filters.narrow(asked, query, among="SELECT matches.id FROM matches")
    # Only where some matches are left out is it worth copying the others: they are counted and sorted.
    once: LiteralString = "NOT MATERIALIZED" if asked.where == "TRUE" else "MATERIALIZED"
    rows = await tx.rows(
        tuple[int, int, int | None],
        f"""
        WITH matches AS MATERIALIZED (
            SELECT i.id, i.project_id, i.author_id, i.created_at{_beyond(query)} {texts.text} LIMIT :most),
        i AS {once} (SELECT i.id, i.{query.order_by} {asked.text})
        SELECT all_in_all.matches, all_in_all.n, page.id
        FROM (SELECT (SELECT count(*) FROM matches) AS matches, (SELECT count(*) FROM i) AS n) all_in_all
        LEFT JOIN (SELECT i.id FROM i ORDER BY {filters.order(query)} LIMIT :limit OFFSET :offset) page ON TRUE
        """,
        most=MANY_TO_SORT + 1,
        **asked.bound,
        **page.bound,
    )
    return *rows[0][:2], [id_ for _, _, id_ in rows if id_ is not None]


def _beyond(query: ListIssues) -> LiteralString:
    """The columns asked for that are not kept with the texts, or these would be written again with every note."""
    asked: dict[LiteralString, bool] = {
        "updated_at": query.order_by == "updated_at",
        "milestone_id": bool(query.milestone),
        "iid": bool(query.iids),
    }
    # One by one: for a join, PostgreSQL would guess how many there are, and read all issues if that seems many.
    return "".join(
        f", (SELECT issue.{column} FROM issues issue WHERE issue.id = i.id) AS {column}"
        for column, wanted in asked.items()
        if wanted
    )
