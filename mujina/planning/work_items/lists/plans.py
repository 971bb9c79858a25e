"""From the query of a list to its page: of one project, or over projects that were looked up; with a search for words or without.

Matches of a search are counted in the narrow table of texts, and the page is read the cheaper of two ways. Kept counts give
the total of a list by one label. If many rows have the label, the list is walked in its order and each row on the way is asked
for it; if few have it, they are read and sorted.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, LiteralString, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from mujina.kernel import errors
from mujina.kernel.db.sql import search
from mujina.kernel.db.sql.pieces import Order, Sql
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
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
from mujina.planning.work_items.lists.nouns import ListedWorkItems
from mujina.planning.work_items.lists.projects import ListedProjects
from mujina.workspaces.projects.rules import PROJECT_AT, PROJECT_SEEN, READ_PROJECT

Entity = TypeVar("Entity", bound=msgspec.Struct)

FEW_TO_SEARCH = 20_000
"""Up to this many rows are searched faster one by one than through the index of all texts."""

MANY_TO_SORT = 20_000
"""More matches than this are not sorted for an early page: a walk along their order fills it after a few steps."""


class _InProject(NamedTuple):
    """What a kind of actor may see of the project `p`, as SQL."""

    project: LiteralString
    """`= …`: the project; nothing if the actor may not list it, which takes no longer than a missing project."""
    rows: LiteralString
    statement: ListOfProject
    total: Sql
    count_labeled: Sql


@cache
def _in_project(noun: ListedWorkItems[Any], kind: Kind) -> _InProject:
    known = known_of(kind)
    listable = noun.listable.given(known)
    project: LiteralString = f"= (SELECT p.id FROM p WHERE {(noun.enabled & noun.listable).given(known).for_row})"
    facts: Facts = {READ_PROJECT: True, noun.enabled: True, noun.right: noun.right_here}
    every = (noun.right_here | admin).given(known)
    own = "" if every is TRUE else f" + CASE WHEN {every.for_row} THEN 0 ELSE ({noun.own_count(project)}) END"
    rows: LiteralString = f"{noun.alias}.project_id {project} AND {noun.is_kept}"
    return _InProject(
        project,
        f"{rows} AND {noun.readable.given(facts).given(known).for_scan}",
        ListOfProject(
            PROJECT_AT,
            listable.for_row
            if noun.listable is READ_PROJECT
            else f"{READ_PROJECT.given(known).for_row}, {listable.for_row}",
        ),
        Sql(f"SELECT ({noun.count(project, every.for_row)}){noun.miscounted(project)}{own}"),
        Sql(_count_labeled(noun, project, every.for_row)),
    )


async def load_page_of_project(
    noun: ListedWorkItems[Entity], tx: Tx, actor: Actor, ref: Ref, query: Any, page: Page
) -> Paged[Entity]:
    """One page of the rows of the project that match the query, without a search for words, and their total.

    One statement finds the project, checks access and reads the page.
    """
    inside, bound = _in_project(noun, actor.kind), {**ref.bound, **actor.bound}
    selection = None
    if noun.labels_counted and query.labels:
        selection = await _select_labeled(noun, tx, bound, query, page, inside.rows)
        if selection is not None and "label_id" in selection.bound:
            selection = selection.counted(inside.count_labeled)
    if selection is None:
        selection = noun.select(Selection(f"{noun.kind}s {noun.alias}", inside.rows, **bound), query.state)
        filtered = noun.has_filters(query)
        selection = (
            noun.apply_filters(selection, query, inside.project) if filtered else selection.counted(inside.total)
        )
    rights, found = await load_documents_in(noun.documents, tx, selection, noun.order(query), page, inside.statement)
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
    order = order or noun.order(query)
    if query.search:
        return await search_page(tx, actor, projects, query, page, order)
    if total is not None and projects.known_count is not None:  # it decides how the page is reached
        projects = structs.replace(projects, known_count=total)
    selection = select(projects, actor, query)
    if total is not None or not noun.has_filters(query):
        selection = selection.counted(Sql(projects.count) if total is None else total)
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
    matches, total, ids = await _sorted(noun, tx, texts, query, order, page)
    if matches > MANY_TO_SORT:
        if noun.has_filters(query, ignoring=frozenset({"search"})):
            return await load_matches(noun.documents, tx, matching, order, page)
        total = await texts.total(tx)
        if query.order_by == "updated_at" or page.end * size < total * total:
            return await load_documents(noun.documents, tx, matching.counted(total), order, page)
        read = partial(load_documents_of, noun.documents, tx, order=order)
        return await load_by_ids(tx, f"{noun.alias}.id", texts.counted(total), order, page, read)
    return page.of(await load_documents_of(noun.documents, tx, ids, order), total)


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
) -> tuple[int, int, list[int]]:
    """How many texts match, how many of their rows match the query, and the ids of the page.

    If more than `MANY_TO_SORT` texts match, only the first number means anything: that there are more.
    """
    row = noun.alias
    matching = Selection(f"matches {row}", **texts.bound)
    matching = noun.apply_filters(matching, query, among="SELECT matches.id FROM matches")
    # A copy pays only if the query leaves some matches out: the rest is both counted and sorted.
    copied: LiteralString = "NOT MATERIALIZED" if matching.condition == "TRUE" else "MATERIALIZED"
    plan = plan_page(order.of("found"), page)
    rows = await tx.rows(
        tuple[int, int, int | None],
        f"""
        WITH matches AS MATERIALIZED (
            SELECT {row}.id, {row}.project_id, {row}.author_id, {row}.created_at{_more_columns(noun, query)} {texts.text}
            LIMIT :max_matches),
        found AS {copied} (SELECT {row}.id, {order.columns} {matching.text})
        SELECT totals.matches, totals.n, page.id
        FROM (SELECT (SELECT count(*) FROM matches) AS matches, (SELECT count(*) FROM found) AS n) totals
        LEFT JOIN ({plan.text(tx.engine, "SELECT found.id FROM found")}) page ON TRUE
        """,
        max_matches=MANY_TO_SORT + 1,
        **matching.bound,
        **plan.bound,
    )
    return *rows[0][:2], [id_ for _, _, id_ in rows if id_ is not None]


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


_KEYWORDS = {"No Label", "No+Label", "None", "Any"}


def _labels(noun: ListedWorkItems[Any]) -> LiteralString:
    """A statement for the labels of the title that rows of the project have, with the counts of `_Label`."""
    return f"""
        WITH {PROJECT_SEEN}, titled AS (
            SELECT l.id, p.id AS project_id FROM p JOIN labels l ON l.project_id = p.id AND l.title = :label_title
            UNION ALL
            SELECT l.id, p.id FROM p JOIN group_tree t ON t.group_id = p.namespace_id
            JOIN labels l ON l.group_id = t.ancestor_id AND l.title = :label_title)
        SELECT titled.id,
            CAST(sum(CASE WHEN {noun.unrestricted} AND (:state = 'all' OR c.state = :state) THEN c.n ELSE 0 END) AS bigint),
            (SELECT CAST(sum(other.n) AS bigint)
                FROM (SELECT e.n FROM {noun.kind}_label_counts e WHERE e.label_id = titled.id LIMIT 100) other),
            (SELECT CAST(sum(whole.n) AS bigint) FROM {noun.kind}_counts whole WHERE whole.project_id = titled.project_id)
        FROM titled JOIN {noun.kind}_label_counts c ON c.label_id = titled.id AND c.project_id = titled.project_id
        GROUP BY titled.id, titled.project_id HAVING sum(c.n) > 0"""


class _Label(msgspec.Struct, frozen=True):
    id: int
    shown: int
    """How many rows of the project and of the requested state have it that everybody sees."""
    everywhere: int
    """How many have it in all projects, or in the first of very many."""
    total: int
    """How many rows the project has."""

    def is_frequent(self, page: Page) -> bool:
        """Whether the page is likely to be reached in fewer steps than there are rows with the label."""
        skipped = min(page.start, max(0, self.shown - page.end)) if page.far else page.start
        return self.total * (skipped + page.size) <= self.everywhere * self.shown


async def _select_labeled(
    noun: ListedWorkItems[Any], tx: Tx, bound: Mapping[str, Value], query: Any, page: Page, readable: LiteralString
) -> Selection | None:
    """The `readable` rows of the project, if the query asks for one label and at most for a state besides.

    None if there is more to compare: other filters, keywords, or labels of a group and of the project with that title.
    `:label_id` is bound if there are any.
    """
    titles, row = query.labels, noun.alias
    if len(titles) != 1 or titles[0] in _KEYWORDS or noun.has_filters(query, ignoring=frozenset({"labels"})):
        return None
    rows = await tx.rows(tuple[Any, ...], _labels(noun), label_title=titles[0], state=query.state, **bound)
    if len(rows) > 1:
        return None
    source: LiteralString = f"{noun.kind}s {row}"
    if not rows:
        selection = Selection(source, "FALSE", **bound)
    elif noun.texts_suffice(query) and _Label(*rows[0]).is_frequent(page):
        # Not EXISTS: PostgreSQL would make a join of it, and read all rows of the label.
        labeled: LiteralString = f"SELECT TRUE FROM {noun.kind}_labels il WHERE il.{noun.kind}_id = {row}.id"
        selection = Selection(source, readable, **bound).where(
            f"({labeled} AND il.label_id = :label_id)", label_id=rows[0][0]
        )
    else:
        # SQLite starts with the first table of a CROSS JOIN.
        selection = Selection(f"{noun.kind}_labels labeled CROSS JOIN {source}", readable, **bound).where(
            f"labeled.label_id = :label_id AND {row}.id = labeled.{noun.kind}_id", label_id=rows[0][0]
        )
    return noun.select(selection, query.state)


def _count_labeled(noun: ListedWorkItems[Any], project: LiteralString, every: LiteralString) -> LiteralString:
    """A statement for their number, from kept counts; `every`: whether the actor sees all rows of the project."""
    return f"""SELECT (
            SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM {noun.kind}_label_counts c WHERE c.project_id {project}
            AND (:state = 'all' OR c.state = :state) AND ({noun.unrestricted} OR {every}) AND c.label_id = :label_id)
        + CASE WHEN {every} THEN 0 ELSE (SELECT count(*) FROM ({noun.own(project)}) own
            JOIN {noun.kind}_labels il ON il.{noun.kind}_id = own.id AND il.label_id = :label_id) END"""
