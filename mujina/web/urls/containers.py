"""The project or group at the start of an address: one statement finds it with the rights and counts that its pages show."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, LiteralString

from mujina.accounts.paths.names import TITLE
from mujina.code.snippets.rules import snippets_enabled
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import LEVELS, ROLES
from mujina.kernel.permissions.rules import FALSE, Rule, admin, external, signed_in
from mujina.planning.issues.filters import LISTED_ISSUES
from mujina.planning.issues.rules import issues_enabled
from mujina.review.merge_requests.filters import LISTED_REQUESTS
from mujina.review.merge_requests.rules import merge_requests_enabled
from mujina.workspaces.groups.rules import READ_GROUP, find_group_with
from mujina.workspaces.members.access import (
    developer,
    group_developer,
    group_guest,
    group_master,
    group_owner,
    group_reporter,
    guest,
    master,
    owner,
    reporter,
)
from mujina.workspaces.projects.rules import READ_PROJECT, TRIAGE_ISSUES, find_project_with, jobs_enabled, wiki_enabled

_PROJECT_COLUMNS: LiteralString = f"""p.avatar, (SELECT up.path FROM routes up WHERE up.namespace_id = n.id), {TITLE},
    CASE WHEN p.issues_enabled THEN ({LISTED_ISSUES.count("= p.id", TRIAGE_ISSUES.for_row)})
        + CASE WHEN {TRIAGE_ISSUES.for_row} THEN 0 ELSE ({LISTED_ISSUES.own_count("= p.id")}) END ELSE 0 END,
    ({LISTED_REQUESTS.count("= p.id", "TRUE")})"""
_GROUP_COLUMNS: LiteralString = """g.avatar,
    (SELECT up.path FROM routes up WHERE up.namespace_id = g.parent_id),
    (SELECT above.full_name FROM namespaces above WHERE above.id = g.parent_id)"""


async def find_container(
    tx: Tx,
    actor: Actor,
    kind: Literal["project", "group"],
    id: int,
    rights: Mapping[str, Rule],
    *,
    to: Rule | None = None,
) -> Container:
    """The project or group, if the actor may do this with it (read it, by default): 404 and 403 as in the API."""
    if kind == "project":
        return await _project(tx, actor, Ref.of(id), rights, to or READ_PROJECT)
    return await _group(tx, actor, Ref.of(id), rights, to or READ_GROUP)


async def _project(tx: Tx, actor: Actor, ref: Ref, asked: Mapping[str, Rule], to: Rule) -> Container:
    project, further, answers = await find_project_with(
        tx, actor, ref, _PROJECT_COLUMNS, tuple(asked.values()), to=to, state="opened"
    )
    avatar, parent_path, parent_name, issues, merge_requests = further
    return Container(
        kind="project", row=project,
        avatar=f"/uploads/-/system/project/avatar/{project.id}/{avatar}" if avatar else "", parent_path=parent_path,
        parent_name=parent_name, rights=dict(zip(asked, answers, strict=True)),
        counts={"issues": issues, "merge_requests": merge_requests},
    )  # fmt: skip


async def _group(tx: Tx, actor: Actor, ref: Ref, asked: Mapping[str, Rule], to: Rule) -> Container:
    group, further, answers = await find_group_with(tx, actor, ref, _GROUP_COLUMNS, tuple(asked.values()), to=to)
    avatar, parent_path, parent_name = further
    return Container(
        kind="group", row=group, avatar=f"/uploads/-/system/group/avatar/{group.id}/{avatar}" if avatar else "",
        parent_path=parent_path or "", parent_name=parent_name or "", rights=dict(zip(asked, answers, strict=True)),
        counts={},
    )  # fmt: skip


@cache
def role_for(rule: Rule) -> str | None:
    """The lowest role that the rule may allow, for the page that refuses; None if no role is enough."""
    steps = (
        (guest, group_guest), (reporter, group_reporter), (developer, group_developer), (master, group_master),
        (owner, group_owner),
    )  # fmt: skip
    for level in LEVELS:
        facts: dict[Rule, bool] = {admin: False, external: False, signed_in: True}
        facts |= {each: level >= least for least, pair in zip(LEVELS, steps, strict=True) for each in pair}
        if rule.assuming(facts) is not FALSE:
            return ROLES[level]
    return None


@cache
def features_of(rule: Rule) -> dict[str, Rule]:
    """The features of a project without which the rule allows nothing to anyone; a page without its feature does not exist."""
    features = (issues_enabled, jobs_enabled, merge_requests_enabled, snippets_enabled, wiki_enabled)
    return {each.name: each for each in features if rule.assuming({each: False}) is FALSE}
