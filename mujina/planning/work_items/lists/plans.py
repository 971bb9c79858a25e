"""From the query of a list to its page: of one project, or over projects that were looked up; with a search for words or without.

Matches of a search are counted in the narrow table of texts, and the page is read the cheaper of two ways.
"""

from functools import cache, partial
from typing import Any, LiteralString, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from mujina.kernel import errors
from mujina.kernel.db.documents import DocumentRow
from mujina.kernel.db.sql import search
from mujina.kernel.db.sql.selection import Order, Selection, Sql
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.lists.pages import (
    ListOfProject,
    load_by_ids,
    load_documents,
    load_documents_in,
    load_documents_of,
    load_matches,
    plan_page,
)
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import TRUE, Facts, admin, known_of
from mujina.planning.work_items.lists.links import VisibleRows, select_linked
from mujina.planning.work_items.lists.nouns import ListedWorkItems
from mujina.planning.work_items.lists.projects import ListedProjects
from mujina.workspaces.projects.rules import PROJECT_AT, READ_PROJECT

Entity = TypeVar("Entity", bound=msgspec.Struct)

FEW_TO_SEARCH = 500
"""Up to this many rows are searched faster one by one than through the index of all texts."""

MANY_TO_SORT = 20_000
"""More matches than this are not sorted for an early page: a walk along their order fills it after a few steps."""


class _InProject(NamedTuple):
    """What a kind of actor may see of the project `p`, as SQL."""

    visible: VisibleRows
    """No rows if the actor may not list the project, which takes no longer than a missing project."""
    statement: ListOfProject
    total: Sql


@cache
def _in_project(noun: ListedWorkItems[Any], kind: Kind) -> _InProject:
    known = known_of(kind)
    listable = noun.listable.assuming(known)
    project: LiteralString = f"= (SELECT p.id FROM p WHERE {(noun.enabled & noun.listable).assuming(known).for_row})"
    facts: Facts = {READ_PROJECT: True, noun.enabled: True, noun.right: noun.right_here}
    every = (noun.right_here | admin).assuming(known)
    own = "" if every is TRUE else f" + CASE WHEN {every.for_row} THEN 0 ELSE ({noun.own_count(project)}) END"
    rows: LiteralString = f"{noun.alias}.project_id {project} AND {noun.is_kept}"
    return _InProject(
        VisibleRows(project, f"{rows} AND {noun.readable.assuming(facts).assuming(known).for_scan}", every.for_row),
        ListOfProject(
            PROJECT_AT,
            listable.for_row
            if noun.listable is READ_PROJECT
            else f"{READ_PROJECT.assuming(known).for_row}, {listable.for_row}",
        ),
        Sql(f"SELECT ({noun.count(project, every.for_row)}){noun.miscounted(project)}{own}"),
    )


async def load_page_of_project(
    noun: ListedWorkItems[Entity], tx: Tx, actor: Actor, ref: Ref, query: Any, page: Page
) -> Paged[Entity]:
    """One page of the rows of the project that match the query, without a search for words, and their total.

    One statement finds the project, checks access and reads the page.
    """
    inside, bound = _in_project(noun, actor.kind), {**ref.bound, **actor.bound}
    linked = await select_linked(noun, tx, bound, query, page, inside.visible)
    if linked is None:
        rows = Selection(f"{noun.kind}s {noun.alias}", inside.visible.condition, **bound)
        rows, project = noun.select(rows, query.state), inside.visible.project
        filtered = noun.has_filters(query)
        linked = noun.apply_filters(rows, query, project) if filtered else rows.counted(inside.total), noun.order(query)
    rights, found = await load_documents_in(noun.documents, tx, *linked, page, inside.statement)
    if not any(rights):
        raise errors.not_found("Project")
    if not all(rights):
        raise errors.forbidden()
    return found


async def load_page(
    tx: Tx, actor: Actor, projects: ListedProjects, query: Any, page: Page, total: int | None = None,
    order: Order | None = None,
) -> Paged[Any]:  # fmt: skip
    """One page of the rows of these projects that match the query, and their total, unless that is known.

    `order`: instead of the order that the query names.
    """
    noun = projects.noun
    if total == 0:
        return page.of([], 0)
    order = order or noun.order(query)
    if query.search:
        return await search_page(tx, actor, projects, query, page, order)
    if total is not None and projects.known_count is not None:  # it decides how the page is reached
        projects = structs.replace(projects, known_count=total)
    selection = select(projects, actor, query)
    if total is not None or not noun.has_filters(query):
        selection = selection.counted(Sql(projects.count) if total is None else total)
    elif (kept := _kept_of_actor(noun, query)) is not None:
        count: LiteralString = f"{kept} AND (:state = 'all' OR c.state = :state)"
        selection = selection.counted(Sql(f"SELECT CAST(coalesce(sum(c.n), 0) AS bigint) {count}"))
    return await load_documents(noun.documents, tx, selection, order, page)


def select(projects: ListedProjects, actor: Actor, query: Any) -> Selection:
    """The rows of these projects that match the query; the search for words is not applied."""
    return projects.noun.apply_filters(projects.noun.select(projects.rows(actor), query.state), query)


async def count_by_state(tx: Tx, actor: Actor, projects: ListedProjects, query: Any) -> dict[str, int]:
    """State, or `all` → how many rows match the rest of the query."""
    noun = projects.noun
    query = structs.replace(query, state="all")
    if not noun.has_filters(query):
        return await projects.count_by_state(tx, actor)
    if (kept := _kept_of_actor(noun, query)) is not None:
        counted: LiteralString = f"SELECT c.state, CAST(sum(c.n) AS bigint) {kept} GROUP BY c.state"
        return projects.sum_states(await tx.rows(tuple[str, int], counted, **projects.bound, **actor.bound))
    if query.search and await projects.size(tx) > FEW_TO_SEARCH:
        rows = _texts(tx, actor, projects, query)
        if not noun.texts_suffice(query) or noun.has_filters(query, ignoring=frozenset({"search"})):
            rows = select(projects, actor, query).among(f"{noun.alias}.id", f"{noun.alias}.id", rows)
    else:
        if projects.known_count is not None:  # nothing is sorted: the index of projects may be used
            projects = structs.replace(projects, known_count=0)
        rows = select(projects, actor, query)
        rows = rows.matching(query.search, *_columns(noun, query)) if query.search else rows
    counted = f"SELECT {noun.state}, count(*) {rows.text} GROUP BY 1"
    return projects.sum_states(await tx.rows(tuple[str, int], counted, **rows.bound))


_OF_ACTOR = {"assigned-to-me": "assignee_id", "created-by-me": "author_id"}
"""The scope of a list → the link that it follows."""


def _kept_of_actor(noun: ListedWorkItems[Any], query: Any) -> LiteralString | None:
    """`FROM … WHERE …`: the kept counts `c` of what the actor is assigned to or wrote, if the query asks for that alone.

    The actor sees all of it in projects that they may read.
    """
    param = _OF_ACTOR.get(query.scope)
    if param is None or noun.has_filters(query, ignoring=frozenset({"scope"})):
        return None
    link = next((link for link in noun.links if link.param == param and link.is_counted()), None)
    return link and f"FROM {link.counts} c WHERE c.{link.column} = :actor AND c.project_id {noun.projects}"


async def search_page(
    tx: Tx, actor: Actor, projects: ListedProjects, query: Any, page: Page, order: Order
) -> Paged[Any]:
    """One page of the rows that match the query and have its words in title or description; the total is exact."""
    noun = projects.noun
    selection, size = select(projects, actor, query), await projects.size(tx)
    matching = selection.matching(query.search, *_columns(noun, query))
    if size <= FEW_TO_SEARCH:
        return await load_matches(noun.documents, tx, matching, order, page)
    texts = _texts(tx, actor, projects, query)
    if not noun.texts_suffice(query):
        found = selection.among(f"{noun.alias}.id", f"{noun.alias}.id", texts)
        return await load_matches(noun.documents, tx, found, order, page)
    texts = noun.select(texts, query.state)
    matches, total, rows = await _sorted(noun, tx, texts, query, order, page)
    if matches > MANY_TO_SORT:
        if noun.has_filters(query, ignoring=frozenset({"search"})):
            return await load_matches(noun.documents, tx, matching, order, page)
        total = await texts.total(tx)
        if query.order_by == "updated_at" or page.end * size < total * total:
            return await load_documents(noun.documents, tx, matching.counted(total), order, page)
        read = partial(load_documents_of, noun.documents, tx, order=order)
        return await load_by_ids(tx, f"{noun.alias}.id", texts.counted(total), order, page, read)
    return page.of(await noun.documents.page(tx, rows), total)


def _columns(noun: ListedWorkItems[Any], query: Any) -> tuple[LiteralString, ...]:
    """The columns in which the words are searched for."""
    return noun.searched(getattr(query, "in_", UNSET))


def _texts(tx: Tx, actor: Actor, projects: ListedProjects, query: Any) -> Selection:
    """The texts that have the words, found by the index."""
    noun, words = projects.noun, query.search
    texts = projects.texts(actor)
    index: LiteralString = f"{noun.kind}_texts_grams"
    texts = search.apply_index(texts, tx.engine, words, index, f"{noun.alias}.id", *noun.texts.values())
    return texts.matching(words, *_columns(noun, query))


async def _sorted(
    noun: ListedWorkItems[Any], tx: Tx, texts: Selection, query: Any, order: Order, page: Page
) -> tuple[int, int, list[DocumentRow]]:
    """How many texts match, how many of their rows match the query, and the documents of the page.

    If more than `MANY_TO_SORT` texts match, only the first number means anything: that there are more.
    """
    row = noun.alias
    matching = Selection(f"matches {row}", **texts.bound)
    matching = noun.apply_filters(matching, query, few=True)
    # A copy pays only if the query leaves some matches out: the rest is both counted and sorted.
    copied: LiteralString = "NOT MATERIALIZED" if matching.condition == "TRUE" else "MATERIALIZED"
    plan = plan_page(order.of("found"), page)
    rows = await tx.rows(
        tuple[Any, ...],
        f"""
        WITH matches AS MATERIALIZED (
            SELECT {row}.id, {row}.project_id, {row}.author_id, {row}.created_at{_more_columns(noun, query)} {texts.text}
            LIMIT :max_matches),
        found AS {copied} (SELECT {row}.id, {row}.project_id, {order.columns} {matching.text})
        SELECT totals.matches, totals.n, {row}.id, d.body, r.path
        FROM (SELECT (SELECT count(*) FROM matches) AS matches, (SELECT count(*) FROM found) AS n) totals
        LEFT JOIN ({plan.text(tx.engine, "SELECT * FROM found")}) {row} ON TRUE
        LEFT JOIN routes r ON r.project_id = {row}.project_id {noun.documents.joined} ORDER BY {order.of(row).text}
        """,
        max_matches=MANY_TO_SORT + 1,
        **matching.bound,
        **plan.bound,
        **noun.documents.bound(tx),
    )
    return *rows[0][:2], [row[2:] for row in rows if row[2] is not None]


def _more_columns(noun: ListedWorkItems[Any], query: Any) -> LiteralString:
    """The columns that the query needs and the table of texts lacks: each note would have to update them there."""
    needed: dict[LiteralString, bool] = {
        "updated_at": query.order_by == "updated_at",
        "milestone_id": bool(query.milestone),
        "iid": bool(query.iids),
    }
    # Subqueries rather than a join: PostgreSQL would estimate the number of rows and read all rows if it seems high.
    return "".join(
        f", (SELECT whole.{column} FROM {noun.kind}s whole WHERE whole.id = {noun.alias}.id) AS {column}"
        for column, is_needed in needed.items()
        if is_needed
    )
