"""The list of issues of one project: one statement finds the project, checks access and reads the page."""

from functools import cache
from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.rules import TRUE, Condition, Facts, admin, known_of
from mujina.planning.issues import filters, labeled_issues
from mujina.planning.issues.documents import DOCUMENTS
from mujina.planning.issues.entities import Issue
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.readable_projects import kept_count, own_confidential
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.document_lists import listed_in_project
from mujina.workspaces.projects.rules import READ_PROJECT

_reporter_here = Condition("reporter_here", "((SELECT p.level FROM p) >= 20)")
"""`reporter`, computed once instead of for each issue."""


class _Conditions(msgspec.Struct, frozen=True):
    """What a kind of actor may see of the project `p`, as SQL."""

    project_readable: LiteralString
    project: LiteralString
    """`= …`: the project; nothing if the actor may not read it, which takes no longer than a missing project."""
    issues: LiteralString
    count: LiteralString
    """The number of issues of `:state`, from kept counts."""
    count_of_label: LiteralString
    """The number of those with the label `:label_id`."""


@cache
def _conditions(kind: Kind) -> _Conditions:
    known = known_of(kind)
    readable, full = READ_PROJECT.given(known), (_reporter_here | admin).given(known)
    facts: Facts = {READ_PROJECT: True, issues_enabled: True, reporter: _reporter_here}
    project = f"= (SELECT p.id FROM p WHERE p.issues_enabled AND {readable.one})"
    own = "0" if full is TRUE else f"CASE WHEN {full.one} THEN 0 ELSE ({own_confidential(project)}) END"
    return _Conditions(
        project_readable=readable.one,
        project=project,
        issues=f"i.project_id {project} AND i.deleted_at IS NULL AND {READ_ISSUE.given(facts).given(known).many}",
        count=f"SELECT ({kept_count(project, full.one)}) + {own}",
        count_of_label=labeled_issues.count(project, full.one),
    )


async def listed(tx: Tx, actor: Actor, ref: Ref, query: ListIssues, page: Page) -> Paged[Issue]:
    """One page of the issues of the project that match the query, and their total."""
    conditions = _conditions(actor.kind)
    chosen = None
    if query.labels:
        chosen = await labeled_issues.chosen_by_one_label(tx, actor, ref, query, page, conditions.issues)
    if chosen is not None:
        count = conditions.count_of_label if "label_id" in chosen.bound else chosen.count
    else:
        chosen = Selection("issues i", conditions.issues, **ref.bound, **actor.bound)
        filters.in_state(chosen, query)
        count = conditions.count
        if filters.has_filters(query):
            filters.apply_filters(chosen, query, conditions.project)
            count = chosen.count
    rights, issues = await listed_in_project(
        DOCUMENTS, tx, chosen, filters.order(query), page,
        count=count, rights=conditions.project_readable,
    )  # fmt: skip
    if not any(rights):
        raise errors.not_found("Project")
    return issues
