"""The conditions that the parameters of lists of runners become."""

from typing import LiteralString

from mujina.ci.runners.params import ListRunners
from mujina.ci.runners.rules import MANAGE_RUNNER, ONLINE
from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.lists.filters import Filters, apply_filters, compared, flag
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.owners.rules import OwnerOrInstance

_STATES: dict[str, LiteralString] = {
    "active": "rn.active",
    "paused": "NOT rn.active",
    "online": "rn.contacted_at > :online_since",
    "offline": "rn.contacted_at <= :online_since",
    "not_connected": "rn.contacted_at IS NULL",
    "specific": "rn.runner_type <> 'instance_type'",
    "shared": "rn.runner_type = 'instance_type'",
}
_TAGS: tuple[LiteralString, ...] = ("tag1", "tag2", "tag3", "tag4", "tag5", "tag6", "tag7", "tag8")
"""Eight tags narrow any list enough; further tags are ignored."""


def _state(_: LiteralString, state: str) -> Sql:
    return Sql(f"({_STATES[state]})")


def _tagged(_: LiteralString, tags: list[str]) -> Sql:
    """Runners that have all these tags: the stored list has one to a line."""
    lines: LiteralString = "(:line || rn.tag_list || :line)"
    bound: dict[LiteralString, str] = {name: f"\n{tag}\n" for name, tag in zip(_TAGS, tags, strict=False)}
    conditions: list[LiteralString] = [f"replace({lines}, :{name}, :line) <> {lines}" for name in bound]
    return Sql(f"({' AND '.join(conditions)})", line="\n", **bound)


_FILTERS: Filters = {
    "scope": _state,
    "status": _state,
    "type": compared("rn.runner_type"),
    "paused": flag("NOT rn.active"),
    "tag_list": _tagged,
}

_OF_PROJECT: LiteralString = """(rn.runner_type = 'instance_type'
    OR rn.id IN (SELECT rp.runner_id FROM runner_projects rp WHERE rp.project_id = :project_id)
    OR rn.group_id IN (SELECT t.ancestor_id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
                       WHERE p.id = :project_id))"""
_OF_GROUP: LiteralString = """(rn.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :group_id))"""


def all_runners(query: ListRunners) -> Selection:
    selection = Selection("runners rn").bind(online_since=clock.later(-ONLINE))
    return apply_filters(selection, query, _FILTERS)


def managed_runners(actor: Actor, query: ListRunners) -> Selection:
    """The runners of projects of which the actor is a master, and of groups that they own."""
    return all_runners(query).where(Sql(MANAGE_RUNNER.for_scan, **actor.bound))


def runners_of(owner: OwnerOrInstance, query: ListRunners) -> Selection:
    """The runners that may take jobs of a project, or that the group and those above it have."""
    condition = _OF_GROUP if owner.group_id is not None else _OF_PROJECT
    return all_runners(query).where(Sql(condition, **owner.bound))


def assignable_runners(actor: Actor, project_id: int) -> Selection:
    """The runners of other projects that the actor may let take the jobs of this one as well."""
    known = ListRunners(type="project_type")
    selection = all_runners(known) if actor.admin else managed_runners(actor, known)
    return selection.where(
        """NOT rn.locked AND rn.id NOT IN (SELECT rp.runner_id FROM runner_projects rp
           WHERE rp.project_id = :project_id)""",
        project_id=project_id,
    )
