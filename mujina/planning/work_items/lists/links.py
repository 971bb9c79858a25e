"""Lists of one project by label, milestone, assignee or author: kept counts give the total, and the page is read the shortest way.

In the order of creation, an index leads through what is linked to the label or person. In another order, the list is walked
and each row on the way is asked whether it matches, if many rows do; if few do, these are read and sorted. Of several such
filters the rarest is read; no planner has to guess which one that is.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, LiteralString, NamedTuple

from msgspec import structs

from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.db.transaction import Engine, Tx, Value
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.pages import REACHES
from mujina.planning.work_items.lists.nouns import CountedLink, ListedWorkItems
from mujina.workspaces.projects.rules import PROJECT_SEEN

_WHOLE_ROW = 20
"""Rows that an index of the project gives in the time in which one is looked up by its id."""


class VisibleRows(NamedTuple):
    """The rows of the project `p` that the actor sees, as SQL."""

    project: LiteralString
    """`= …`: the project."""
    condition: LiteralString
    every: LiteralString
    """Whether the actor sees all rows of the project."""


class _Linked(NamedTuple):
    """What a parameter names, and the kept counts of its rows."""

    link: CountedLink
    id: int
    shown: int
    """How many rows of the project, in the requested state, are linked to it and visible to all its readers."""
    here: int
    """How many rows of the project are linked to it."""
    rows: int
    """How many rows its index leads through: those of the project or, without a link table, of many projects."""
    whole: int
    """How many rows the project has."""

    @property
    def bound(self) -> dict[str, Value]:
        return {self.link.bound_id: self.id}


async def select_linked(
    noun: ListedWorkItems[Any], tx: Tx, bound: Mapping[str, Value], query: Any, page: Page, visible: VisibleRows
) -> tuple[Selection, Order] | None:
    """The rows of the project that match the query, with a statement for their total, and their order.

    None if no parameter names one label, milestone or person: keywords and several labels are left to conditions.
    """
    values = {link: value for link in noun.links if (value := link.named_by(query)) is not None}
    if not values:
        return None
    names = {link.param: value for link, value in values.items()}
    rows = await tx.rows(tuple[Any, ...], _counts(noun, tuple(values)), state=query.state, **names, **bound)
    found = [[_Linked(link, *counts) for param, *counts in rows if param == link.param] for link in values]
    if not all(found):
        nothing = Selection(f"{noun.kind}s {noun.alias}", "FALSE", **bound).bind(state=query.state)
        return nothing, noun.order(query)
    # Both a group and the project may have a label of that title.
    linked = sorted((each[0] for each in found if len(each) == 1), key=lambda each: each.rows)
    return _selection(noun, tx.engine, bound, query, page, visible, linked) if linked else None


def _selection(
    noun: ListedWorkItems[Any], engine: Engine, bound: Mapping[str, Value], query: Any, page: Page, visible: VisibleRows,
    linked: list[_Linked],
) -> tuple[Selection, Order]:  # fmt: skip
    rarest, order = linked[0], noun.order(query)
    rest = structs.replace(query, **{each.link.param: UNSET for each in linked})

    def selected(source: LiteralString, asked: Sequence[_Linked]) -> Selection:
        rows = Selection(source, visible.condition, **bound, **rarest.bound)
        for each in asked:
            rows = rows.where(_is_linked(noun, each.link), **each.bound)
        return noun.apply_filters(noun.select(rows, query.state), rest, visible.project)

    rows: LiteralString = f"{noun.kind}s {noun.alias}"
    # SQLite starts with the first table of a CROSS JOIN.
    read = selected(f"{_ids(noun, rarest, visible)} CROSS JOIN {rows}", linked[1:]).where(
        f"{noun.alias}.id = linked.id"
    )
    walked = selected(rows, linked)
    alone = len(linked) == 1 and not noun.has_filters(rest)
    is_rare = rarest.rows * _WHOLE_ROW <= rarest.whole
    if alone:
        total = Sql(_count(noun, rarest.link, visible))
    elif is_rare:
        total = read.count
    elif engine == "sqlite":  # it looks up a link in less time than it puts one into a set
        total = walked.count
    else:  # as conditions, each filter is one set to look into
        every = noun.select(Selection(rows, visible.condition, **bound), query.state)
        total = noun.apply_filters(every, query, visible.project).count
    if order in (noun.created, noun.created.reversed) and (is_rare or (alone and rarest.rows < rarest.whole)):
        source, condition, id = _in_order(noun, rarest.link, visible)
        read = selected(f"{source} CROSS JOIN {rows}", linked[1:]).where(f"{condition} AND {noun.alias}.id = {id}")
        order = ascending("linked.created_at", id).directed("asc" if order == noun.created else "desc")
        return read.counted(total), order
    is_walked = order in noun.indexed and (not is_rare or _steps(linked, page) <= rarest.rows)
    return (walked if is_walked else read).counted(total), order


def _steps(linked: list[_Linked], page: Page) -> float:
    """How many rows a walk along the order probably takes to reach the end of the page."""
    whole = linked[0].whole
    matches = float(whole)
    for each in linked:
        matches *= each.shown / whole
    skipped = min(page.start, max(0, matches - page.end)) if page.far else page.start
    return whole * min(1, (skipped + page.size) / matches) if matches else whole


@cache
def _counts(noun: ListedWorkItems[Any], links: tuple[CountedLink, ...]) -> LiteralString:
    """A statement for what the parameters name, as far as rows of the project are linked to it, with the counts of `_Linked`."""
    found: list[LiteralString] = []
    for link in links:
        everywhere: LiteralString = f"""(SELECT CAST(sum(other.n) AS bigint)
            FROM (SELECT e.n FROM {link.counts} e WHERE e.{link.column} = named.id LIMIT 100) other)"""
        found.append(f"""SELECT '{link.param}', named.id,
                CAST(sum(CASE WHEN {noun.unrestricted} AND (:state = 'all' OR c.state = :state) THEN c.n ELSE 0 END) AS bigint),
                CAST(sum(c.n) AS bigint), {"CAST(sum(c.n) AS bigint)" if link.table else everywhere},
                (SELECT CAST(sum(w.n) AS bigint) FROM {noun.kind}_counts w WHERE w.project_id = named.project_id)
            FROM ({link.named}) named
            JOIN {link.counts} c ON c.{link.column} = named.id AND c.project_id = named.project_id
            GROUP BY named.id, named.project_id HAVING sum(c.n) > 0""")
    return f"WITH {PROJECT_SEEN} {' UNION ALL '.join(found)}"


def _is_linked(noun: ListedWorkItems[Any], link: CountedLink) -> LiteralString:
    """Whether the row is linked to it; not EXISTS: PostgreSQL would make a join of it, and read all linked rows."""
    if link.table is None:
        return f"(SELECT {noun.alias}.{link.column} = :{link.bound_id})"
    return f"""(SELECT TRUE FROM {link.table} one
        WHERE one.{noun.kind}_id = {noun.alias}.id AND one.{link.column} = :{link.bound_id})"""


def _in_order(noun: ListedWorkItems[Any], link: CountedLink, visible: VisibleRows) -> tuple[LiteralString, ...]:
    """A source `linked` of what is linked to it in the project, its condition, and its column of ids; an index has its order."""
    found: LiteralString = f"linked.{link.column} = :{link.bound_id} AND linked.project_id"
    if link.table is not None:
        return f"{link.table} linked", f"{found} {visible.project}", f"linked.{noun.kind}_id"
    # The addition keeps planners from walking through the whole project.
    return f"{noun.kind}s linked", f"{found} + 0 {visible.project} AND linked.deleted_at IS NULL", "linked.id"


def _ids(noun: ListedWorkItems[Any], linked: _Linked, visible: VisibleRows) -> LiteralString:
    """A source `linked` of the ids of the linked rows of the project.

    The limit leaves none out: it tells PostgreSQL, which plans before the value is known, how many they are.
    """
    link = linked.link
    reach: LiteralString | None = next((text for reach, text in REACHES.items() if linked.here * 2 <= reach), None)
    found: LiteralString = f"x.{link.column} = :{link.bound_id} AND x.project_id"
    ids: LiteralString = (
        f"SELECT x.id FROM {noun.kind}s x WHERE {found} + 0 {visible.project} AND x.deleted_at IS NULL"
        if link.table is None
        else f"SELECT x.{noun.kind}_id AS id FROM {link.table} x WHERE {found} {visible.project}"
    )
    return f"({ids} LIMIT {reach}) linked" if reach else f"({ids}) linked"


def _count(noun: ListedWorkItems[Any], link: CountedLink, visible: VisibleRows) -> LiteralString:
    """A statement for how many rows are linked to it, from kept counts."""
    row, every = noun.alias, visible.every
    return f"""SELECT (
            SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM {link.counts} c WHERE c.project_id {visible.project}
            AND (:state = 'all' OR c.state = :state) AND ({noun.unrestricted} OR {every}) AND c.{link.column} = :{link.bound_id})
        + CASE WHEN {every} THEN 0 ELSE (SELECT count(*) FROM ({noun.own(visible.project)}) own
            JOIN {noun.kind}s {row} ON {row}.id = own.id WHERE {_is_linked(noun, link)}) END"""
