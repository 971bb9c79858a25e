"""Lists of projects: their parameters as conditions."""

from functools import cache
from typing import LiteralString

from msgspec import structs

from mujina.instance.custom_attributes.filters import with_attributes
from mujina.kernel.db.sql import search
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending, matching
from mujina.kernel.db.transaction import Engine, Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, compared, only_if
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import TRUE, admin
from mujina.workspaces.members.access import LEVEL_RULES, guest
from mujina.workspaces.projects.figures import counts
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.rules import READ_PROJECT, visible_to_all

_ORDERS = {
    "name": ascending("p.name_folded", "p.id"),
    "path": ascending("p.path_folded", "p.id"),
    "created_at": ascending("p.created_at", "p.id"),
    "similarity": ascending("p.created_at", "p.id"),
    "updated_at": ascending("p.updated_at", "p.id"),
    "last_activity_at": ascending("p.last_activity_at", "p.id"),
    "star_count": ascending("p.star_count", "p.id"),
}
_BY_ID = ascending("p.id")
MOST_STARS = _ORDERS["star_count"].reversed


def readable(actor: Actor, query: ListProjects = ListProjects()) -> Selection:
    """Every project this caller may see; `membership` and `owned` need no rule: they imply it."""
    return Selection("projects p", _readable(actor.admin, bool(query.membership or query.owned)), **actor.bound)


@cache
def _readable(by_admin: bool, implied: bool) -> LiteralString:
    rule = TRUE if implied else READ_PROJECT.assuming({admin: by_admin})
    return f"p.deleted_at IS NULL AND {rule.for_scan}"


def visible_to_everyone(actor: Actor) -> Selection:
    """The projects that the actor sees without being a member: public ones, and internal ones for most users."""
    return Selection(
        "projects p", f"p.deleted_at IS NULL AND NOT p.archived AND {visible_to_all.for_scan}", **actor.bound
    ).counted(counts.VISIBLE_TO_EVERYONE)


def of_user(actor: Actor, query: ListProjects, user_id: int) -> Selection:
    """The projects in a user's own namespace that this caller may see."""
    return readable(actor, query).where(
        "p.namespace_id IN (SELECT o.id FROM namespaces o WHERE o.owner_id = :user_id)", user_id=user_id
    )


def starred_by(actor: Actor, query: ListProjects, user_id: int) -> Selection:
    """The projects that a user has starred and this caller may see."""
    return readable(actor, query).where(
        "p.id IN (SELECT star.project_id FROM stars star WHERE star.user_id = :starrer_id)", starrer_id=user_id
    )


def forks_of(actor: Actor, query: ListProjects, project_id: int) -> Selection:
    """The direct forks of a project that this caller may see."""
    return readable(actor, query).where("p.forked_from_id = :source_id", source_id=project_id)


def found(tx: Tx, actor: Actor, query: ListProjects) -> Selection:
    """The projects that `GET /projects` lists for this query; words are found through the index of all texts."""
    if query.search:
        selection = among_all(readable(actor, query), tx.engine, query.search)
        return apply_filters(selection, actor, structs.replace(query, search=UNSET)).collected("p")
    selection = apply_filters(readable(actor, query), actor, query)
    return selection.counted(counts.count(actor, query)) if counts.known(query) else selection


def apply_filters(selection: Selection, actor: Actor, query: ListProjects) -> Selection:
    """Apply the filters of the query."""
    selection = filters.apply_filters(counts.apply_filters(selection, query), query, _FILTERS)
    return with_attributes(selection, actor, "project", query.custom_attributes or {})


def by_topics(_: LiteralString, topics: list[str]) -> Sql:
    """Projects that have all these topics."""
    return Sql(
        """p.id IN (SELECT pt.project_id FROM project_topics pt JOIN topics tp ON tp.id = pt.topic_id
            WHERE tp.name IN :topics GROUP BY pt.project_id HAVING count(*) = :topic_count)""",
        topics=topics,
        topic_count=len(set(topics)),
    )


_OWNED: LiteralString = """p.namespace_id IN (
    SELECT o.id FROM namespaces o WHERE o.owner_id = :actor
    UNION ALL
    SELECT m.source_id FROM members m
    WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.level >= 50 AND m.expires_on > :today)"""
_FILTERS: Filters = {
    "search": lambda _, words: matching(words, "p.name_folded", "p.path_folded", "p.description_folded"),
    "membership": only_if(guest.for_scan),
    "owned": only_if(_OWNED),
    "starred": only_if("p.id IN (SELECT star.project_id FROM stars star WHERE star.user_id = :actor)"),
    "with_issues_enabled": only_if("p.issues_enabled"),
    "with_merge_requests_enabled": only_if("p.merge_requests_enabled"),
    "min_access_level": lambda _, level: Sql(LEVEL_RULES[level].for_scan) if level else None,
    "id_after": compared("p.id", ">"),
    "id_before": compared("p.id", "<"),
    "last_activity_after": compared("p.last_activity_at", ">="),
    "last_activity_before": compared("p.last_activity_at", "<="),
    "updated_after": compared("p.updated_at", ">="),
    "updated_before": compared("p.updated_at", "<="),
    "topic": by_topics,
    "topic_id": lambda name, value: Sql(
        f"p.id IN (SELECT pt.project_id FROM project_topics pt WHERE pt.topic_id = :{name})", **{name: value}
    ),
}


def among_all(selection: Selection, engine: Engine, words: str) -> Selection:
    """Keep the projects whose texts contain the words, found through the index of the table of texts."""
    columns: tuple[LiteralString, ...] = ("t.name_folded", "t.path_folded", "t.description_folded")
    texts = search.apply_index(Selection("project_texts t"), engine, words, "project_texts_grams", "t.id", *columns)
    return selection.among("p.id", "t.id", texts.matching(words, *columns))


def order(query: ListProjects) -> Order:
    """The order that the query asks for; ties are broken by id in the same direction."""
    # The sizes of repositories are not kept in an order.
    return _ORDERS.get(query.order_by, _BY_ID).directed(query.sort)
