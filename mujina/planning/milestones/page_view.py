"""Milestones as their pages show them: how far they are, by the issues that the reader may see."""

from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.documents import decoded
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_documents_of
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.issues.views.issue import Issue
from mujina.planning.labels.entities import LabelChip
from mujina.planning.milestones import entities, filters
from mujina.planning.milestones.entities import Milestone
from mujina.planning.milestones.params import FilterMilestones
from mujina.planning.milestones.rules import MilestoneRow, milestones_of
from mujina.workspaces.owners.rules import Owner

STAGES = ("unstarted", "ongoing", "completed")
MOST_ISSUES = 20
"""The number of issues that are shown of each stage."""


class MilestoneOnPage(msgspec.Struct, frozen=True):
    milestone: Milestone
    open: int
    closed: int


class MilestonePage(msgspec.Struct, frozen=True):
    milestones: Paged[MilestoneOnPage]
    counts: dict[str, int]
    """How many there are, by state."""


async def read_milestones(
    tx: Tx, actor: Actor, owner: Owner, projects: ReadableProjects, query: FilterMilestones, page: Page
) -> MilestonePage:
    """One page, the next to be due first, and how many milestones each state has."""
    every = filters.apply_filters(milestones_of(owner), msgspec.structs.replace(query, state="all"))
    by_state = await tx.rows(
        tuple[str, int], f"SELECT ms.state, count(*) {every.text} GROUP BY ms.state", **every.bound
    )
    counts = {"active": 0, "closed": 0, **dict(by_state)}
    counts["all"] = sum(counts.values())
    selection = filters.apply_filters(milestones_of(owner), query).counted(counts[query.state])
    rows = await entities.load_page(tx, selection, page, entities.SOONEST_FIRST)
    issues = await count_issues(tx, projects.rows(actor), [row.id for row in rows.items])
    shown = rows.map(
        lambda row: MilestoneOnPage(row, issues.get((row.id, "opened"), 0), issues.get((row.id, "closed"), 0))
    )
    return MilestonePage(shown, counts)


async def count_issues(tx: Tx, issues: Selection, ids: list[int]) -> dict[tuple[int, str], int]:
    """How many of the issues each of these milestones has, by its id and their state."""
    rows = await tx.rows(
        tuple[int, str, int],
        f"""SELECT i.milestone_id, i.state, count(*) {issues.text} AND i.milestone_id IN :milestone_ids
            GROUP BY i.milestone_id, i.state""",
        milestone_ids=ids,
        **issues.bound,
    )
    return {(milestone_id, state): number for milestone_id, state, number in rows}


def issues_of(milestone: MilestoneRow, actor: Actor, projects: ReadableProjects) -> Selection:
    """The issues of the milestone that the actor may read."""
    return projects.rows(actor).where("i.milestone_id = :milestone_id", milestone_id=milestone.id)


class Stage(msgspec.Struct):
    """Issues that are equally far."""

    name: str
    total: int = 0
    issues: list[Issue] = []


_STAGE: LiteralString = """CASE WHEN i.state = 'closed' THEN 'completed'
    WHEN EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id) THEN 'ongoing' ELSE 'unstarted' END"""


async def read_stages(tx: Tx, issues: Selection) -> list[Stage]:
    """The newest issues of each stage, and how many there are: open without an assignee, open with one, closed."""
    rows = await tx.rows(
        tuple[int, str, int],
        f"""SELECT ranked.id, ranked.stage, ranked.total FROM (
                SELECT staged.id, staged.stage, count(*) OVER (PARTITION BY staged.stage) AS total,
                    row_number() OVER (PARTITION BY staged.stage ORDER BY staged.id DESC) AS position
                FROM (SELECT i.id, {_STAGE} AS stage {issues.text}) staged) ranked
            WHERE ranked.position <= :most ORDER BY ranked.id DESC""",
        most=MOST_ISSUES,
        **issues.bound,
    )
    shown = decoded(await load_documents_of(DOCUMENTS, tx, [id_ for id_, _, _ in rows], descending("i.id")), Issue)
    stages = {name: Stage(name) for name in STAGES}
    stage_of = {id_: name for id_, name, _ in rows}
    for _, name, total in rows:
        stages[name].total = total
    for issue in shown:
        stages[stage_of[issue.id]].issues.append(issue)
    return list(stages.values())


class _Used(Row, alias="l"):
    title: str
    color: str
    description: str | None
    number: Annotated[int, "count(*)"]


class LabelUse(msgspec.Struct, frozen=True):
    label: LabelChip
    number: int


async def read_labels_used(tx: Tx, issues: Selection) -> list[LabelUse]:
    """The labels of the issues, the most used first."""
    rows = await tx.rows(
        _Used,
        f"""SELECT {_Used.columns} FROM issue_labels il JOIN labels l ON l.id = il.label_id
            WHERE il.issue_id IN (SELECT i.id {issues.text})
            GROUP BY l.title, l.color, l.description ORDER BY count(*) DESC, l.title LIMIT 50""",
        **issues.bound,
    )
    return [LabelUse(LabelChip(row.title, row.color, row.description), row.number) for row in rows]


async def read_assignees(tx: Tx, issues: Selection) -> list[UserRef]:
    """The users to whom issues of the selection are assigned."""
    rows = await tx.rows(
        RefRow,
        f"""SELECT {REF} FROM users u WHERE u.id IN (
                SELECT a.user_id FROM issue_assignees a WHERE a.issue_id IN (SELECT i.id {issues.text})
                AND {counts_as_assignee("issue_assignees", "issue_id", "a")})
            ORDER BY u.id LIMIT 50""",
        **issues.bound,
    )
    return [row.shown() for row in rows]
