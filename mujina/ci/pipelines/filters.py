"""The conditions and orders of lists of pipelines."""

from collections.abc import Sequence
from typing import Final

from mujina.ci.pipelines.params import ListPipelines
from mujina.code.pipelines.entities import in_project
from mujina.code.pipelines.statuses import FINISHED
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.lists.filters import Filters, apply_filters, compared, flag


def selected(project_id: int, query: ListPipelines, refs: Sequence[str] | None) -> Selection:
    """The pipelines of the project that match. `refs`: the branches or tags that exist, for the newest of each."""
    selection = in_project(project_id)
    if query.scope in ("running", "pending"):
        selection = selection.where(Sql("pl.status = :scope", scope=str(query.scope)))
    elif query.scope == "finished":
        selection = selection.where(Sql("pl.status IN :finished", finished=list(FINISHED)))
    elif query.scope in ("branches", "tags"):
        newest = """pl.id IN (SELECT max(each.id) FROM pipelines each WHERE each.project_id = :project_id
            AND each.tag = :tag AND each.ref IN :refs GROUP BY each.ref)"""
        selection = selection.where(Sql(newest, tag=query.scope == "tags", refs=list(refs or [])))
    return apply_filters(selection, query, _FILTERS)


_FILTERS: Filters = {
    "status": compared("pl.status"),
    "source": compared("pl.source"),
    "ref": compared("pl.ref"),
    "sha": compared("pl.sha"),
    "yaml_errors": flag("(pl.yaml_errors IS NOT NULL)"),
    "name": lambda name, value: Sql(
        f"pl.user_id IN (SELECT u.id FROM users u WHERE u.name = :{name})", **{name: value}
    ),
    "username": lambda name, value: Sql(
        f"pl.user_id IN (SELECT u.id FROM users u WHERE u.username = :{name})", **{name: value}
    ),
    "updated_after": compared("pl.updated_at", ">="),
    "updated_before": compared("pl.updated_at", "<="),
    "created_after": compared("pl.created_at", ">="),
    "created_before": compared("pl.created_at", "<="),
}

_ORDERS: Final[dict[str, Order]] = {
    "id": ascending("pl.id"),
    "status": ascending("pl.status", "pl.id"),
    "ref": ascending("pl.ref", "pl.id"),
    "updated_at": ascending("pl.updated_at", "pl.id"),
    "user_id": ascending("pl.user_id", "pl.id"),
}


def order(query: ListPipelines) -> Order:
    """The order that the query asks for."""
    return _ORDERS[query.order_by].directed(query.sort)
