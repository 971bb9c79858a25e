"""Searches for words: matches are counted in the narrow table of texts, and the page is read the cheaper of two ways."""

from typing import LiteralString

from msgspec import structs

from mujina.kernel.db import search
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.pages import known_total, load_ids, plan_page
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import documents, filters
from mujina.planning.issues.params import ListIssues, QueryIssues
from mujina.planning.issues.readable_projects import ReadableProjects
from mujina.planning.issues.views import Issue

TEXTS = tuple(filters.ISSUES.texts.values())

FEW_TO_SEARCH = 20_000
"""Up to this many issues are searched faster one by one than through the index of all texts."""

MANY_TO_SORT = 20_000
"""More matches than this are not sorted for an early page: a walk along their order fills it after a few steps."""


async def found(
    tx: Tx, actor: Actor, projects: ReadableProjects, query: ListIssues, words: str, page: Page
) -> Paged[Issue]:
    """One page of the issues that match the query and have the words in title or description; the total is exact."""
    chosen, order, columns = filters.select_issues(projects, actor, query), filters.order(query), _columns(query)
    issues = chosen.matching(words, *columns)
    sorted_by = filters.sorted_by(query)
    size = await projects.size(tx, "all")
    if size <= FEW_TO_SEARCH:
        return await documents.found(tx, issues, sorted_by or order, page)
    texts = _texts(tx, actor, projects, words, columns)
    if sorted_by is not None or not filters.are_of_texts(query):
        return await documents.found(tx, chosen.among("i.id", "i.id", texts), sorted_by or order, page)
    texts = filters.in_state(texts, query)
    matches, total, ids = await _sorted(tx, texts, query, page)
    if matches > MANY_TO_SORT:
        if filters.has_filters(query, ignoring=frozenset({"search"})):
            return await documents.found(tx, issues, order, page)
        total = await texts.total(tx)
        if query.order_by == "updated_at" or page.end * size < total * total:
            return await documents.listed(tx, issues, order, page, known_total(total))
        ids = await load_ids(tx, "i.id", texts, order, page)
    return page.of(await documents.in_order(tx, ids, order), total)


async def count_by_state(
    tx: Tx, actor: Actor, projects: ReadableProjects, query: ListIssues, words: str
) -> dict[str, int]:
    """State, or `all` → how many issues match the rest of the query and have the words."""
    issues, columns = filters.select_issues(projects, actor, structs.replace(query, state="all")), _columns(query)
    if await projects.size(tx, "all") <= FEW_TO_SEARCH:
        return await filters.count_by_state(tx, issues.matching(words, *columns))
    texts = _texts(tx, actor, projects, words, columns)
    if not filters.has_filters(query, ignoring=frozenset({"search"})):
        return await filters.count_by_state(tx, texts)
    return await filters.count_by_state(tx, issues.among("i.id", "i.id", texts))


def _columns(query: ListIssues) -> tuple[LiteralString, ...]:
    """Where the words are searched for."""
    return filters.ISSUES.searched(query.in_ if isinstance(query, QueryIssues) else UNSET)


def _texts(
    tx: Tx, actor: Actor, projects: ReadableProjects, words: str, columns: tuple[LiteralString, ...] = TEXTS
) -> Selection:
    """The texts that have the words, found by the index."""
    texts = search.apply_index(projects.texts(actor), tx.engine, words, "issue_texts_grams", "i.id", *TEXTS)
    return texts.matching(words, *columns)


async def _sorted(tx: Tx, texts: Selection, query: ListIssues, page: Page) -> tuple[int, int, list[int]]:
    """How many texts match, how many of their issues match the query, and the ids of the page.

    If more than `MANY_TO_SORT` texts match, only the first number means anything: that there are more.
    """
    matching = Selection("matches i", **texts.bound)
    matching = filters.apply_filters(matching, query, among="SELECT matches.id FROM matches")
    # A copy pays only if the query leaves some matches out: the rest is both counted and sorted.
    copied: LiteralString = "NOT MATERIALIZED" if matching.condition == "TRUE" else "MATERIALIZED"
    column: LiteralString = "updated_at" if query.order_by == "updated_at" else "created_at"
    plan = plan_page(filters.order(query), page)
    rows = await tx.rows(
        tuple[int, int, int | None],
        f"""
        WITH matches AS MATERIALIZED (
            SELECT i.id, i.project_id, i.author_id, i.created_at{_more_columns(query)} {texts.text} LIMIT :max_matches),
        i AS {copied} (SELECT i.id, i.{column} {matching.text})
        SELECT totals.matches, totals.n, page.id
        FROM (SELECT (SELECT count(*) FROM matches) AS matches, (SELECT count(*) FROM i) AS n) totals
        LEFT JOIN ({plan.text(tx.engine, "SELECT i.id FROM i")}) page ON TRUE
        """,
        max_matches=MANY_TO_SORT + 1,
        **matching.bound,
        **plan.bound,
    )
    return *rows[0][:2], [id_ for _, _, id_ in rows if id_ is not None]


def _more_columns(query: ListIssues) -> LiteralString:
    """The columns that the query needs and the table of texts lacks: each note would have to update them there."""
    needed: dict[LiteralString, bool] = {
        "updated_at": query.order_by == "updated_at",
        "milestone_id": bool(query.milestone),
        "iid": bool(query.iids),
    }
    # Subqueries rather than a join: PostgreSQL would estimate the number of rows and read all issues if it seems high.
    return "".join(
        f", (SELECT issue.{column} FROM issues issue WHERE issue.id = i.id) AS {column}"
        for column, is_needed in needed.items()
        if is_needed
    )
