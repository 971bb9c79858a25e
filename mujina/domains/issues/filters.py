"""Lists of issues: their parameters as conditions, and exact totals that do not count rows one by one."""

from typing import LiteralString

from mujina.domains.issues.params import ListIssues
from mujina.domains.issues.rules import READ_ISSUE, issues_enabled
from mujina.domains.members.access import reporter
from mujina.domains.projects.rules import READ_PROJECT, ProjectRow
from mujina.kernel.access import REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import admin

_ORDERS: dict[str, LiteralString] = {"created_at": "i.created_at", "updated_at": "i.updated_at"}
_COUNTED = frozenset({"state", "order_by", "sort"})
"""Parameters that do not take a list beyond what `issue_counts` knows."""


def of_project(actor: Actor, project: ProjectRow, query: ListIssues) -> Selection:
    """The issues of one project; what is known of the project is folded out of the rule."""
    facts = {
        READ_PROJECT: True,
        issues_enabled: project.issues_enabled,
        reporter: project.level >= REPORTER,
        admin: actor.admin,
    }
    chosen = Selection(
        "issues i",
        f"i.project_id = :project_id AND i.deleted_at IS NULL AND {READ_ISSUE.given(facts).many}",
        project_id=project.id,
        **actor.bound,
    )
    narrow(chosen, query)
    return chosen


def narrow(chosen: Selection, query: ListIssues) -> None:
    """Keep what the query asks for."""
    if query.state != "all":
        chosen.only("i.state = :state", state=query.state)
    if query.scope == "created-by-me":
        chosen.only("i.author_id = :actor")
    elif query.scope == "assigned-to-me":
        chosen.only("i.id IN (SELECT a.issue_id FROM issue_assignees a WHERE a.user_id = :actor)")
    if isinstance(query.author_id, int):
        chosen.only("i.author_id = :author_id", author_id=query.author_id)
    if query.iids:
        chosen.only("i.iid IN :iids", iids=query.iids)
    if query.created_after:
        chosen.only("i.created_at >= :created_after", created_after=query.created_after)
    if query.created_before:
        chosen.only("i.created_at <= :created_before", created_before=query.created_before)
    if query.search:
        chosen.matching(query.search, "i.title_folded", "i.description_folded")
    _by_assignee(chosen, query)
    _by_label(chosen, query)
    _by_milestone(chosen, query)
    _by_reaction(chosen, query)


def _by_assignee(chosen: Selection, query: ListIssues) -> None:
    if query.assignee_id == "none":
        chosen.only("NOT EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id)")
    elif query.assignee_id == "any":
        chosen.only("EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id)")
    elif isinstance(query.assignee_id, int):
        chosen.only(
            "i.id IN (SELECT a.issue_id FROM issue_assignees a WHERE a.user_id = :assignee_id)",
            assignee_id=query.assignee_id,
        )


def _by_label(chosen: Selection, query: ListIssues) -> None:
    """All the labels named, by exact title; `No Label` for issues without any."""
    if not query.labels:
        return
    if query.labels[0] in ("No Label", "No+Label"):
        chosen.only("NOT EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)")
        return
    chosen.only(
        """i.id IN (SELECT il.issue_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
           WHERE l.title IN :label_titles GROUP BY il.issue_id HAVING count(DISTINCT l.title) = :label_count)""",
        label_titles=query.labels,
        label_count=len(query.labels),
    )


def _by_milestone(chosen: Selection, query: ListIssues) -> None:
    match query.milestone or "":
        case "":
            return
        case "No Milestone" | "None":
            chosen.only("i.milestone_id IS NULL")
        case "Any Milestone" | "Any":
            chosen.only("i.milestone_id IS NOT NULL")
        case "#upcoming":
            chosen.only(_UPCOMING)
        case "#started":
            chosen.only(
                """i.milestone_id IN (SELECT ms.id FROM milestones ms
                   WHERE ms.state = 'active' AND ms.start_on IS NOT NULL AND ms.start_on <= :today)"""
            )
        case title:
            chosen.only(
                "i.milestone_id IN (SELECT ms.id FROM milestones ms WHERE ms.title = :milestone)", milestone=title
            )


# The milestone next due of each project and each group.
_UPCOMING: LiteralString = """i.milestone_id IN (
    SELECT ms.id FROM milestones ms WHERE ms.state = 'active' AND ms.due_on > :today AND NOT EXISTS (
        SELECT 1 FROM milestones sooner WHERE sooner.state = 'active' AND sooner.due_on > :today
        AND sooner.due_on < ms.due_on AND sooner.project_id IS NOT DISTINCT FROM ms.project_id
        AND sooner.group_id IS NOT DISTINCT FROM ms.group_id))"""


def _by_reaction(chosen: Selection, query: ListIssues) -> None:
    if query.my_reaction_emoji:
        chosen.only(
            """i.id IN (SELECT award.subject_id FROM awards award
               WHERE award.user_id = :actor AND award.subject_kind = 'issue' AND award.name = :emoji)""",
            emoji=query.my_reaction_emoji,
        )


def order(query: ListIssues) -> LiteralString:
    """As asked; ties are broken by id in the same direction."""
    turn: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    return f"{_ORDERS[query.order_by]} {turn}, i.id {turn}"


async def total_of_project(tx: Tx, actor: Actor, project: ProjectRow, query: ListIssues, chosen: Selection) -> int:
    """How many issues the list holds: read from the kept counts unless a filter asks for more than they know."""
    if _narrowed(query) or not project.issues_enabled:
        return await chosen.total(tx)
    if actor.admin or project.level >= REPORTER:
        return await tx.value(
            """SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM issue_counts c
               WHERE c.project_id = :project_id AND (:state = 'all' OR c.state = :state)""",
            project_id=project.id, state=query.state,
        )  # fmt: skip
    return await tx.value(_COUNT_BELOW_REPORTER, project_id=project.id, state=query.state, **actor.bound)


def _narrowed(query: ListIssues) -> bool:
    return not query.given().keys() <= _COUNTED


# The open part from the counts; the confidential ones they wrote or are assigned, by index.
_COUNT_BELOW_REPORTER: LiteralString = """
    SELECT CAST(coalesce((SELECT sum(c.n) FROM issue_counts c WHERE c.project_id = :project_id AND c.confidential = 0
                          AND (:state = 'all' OR c.state = :state)), 0)
              + (SELECT count(*) FROM issues i WHERE i.project_id = :project_id AND i.confidential
                 AND i.deleted_at IS NULL AND (:state = 'all' OR i.state = :state)
                 AND (i.author_id = :actor OR EXISTS (SELECT 1 FROM issue_assignees a
                      WHERE a.issue_id = i.id AND a.user_id = :actor))) AS bigint)"""
