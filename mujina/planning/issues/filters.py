"""Lists of issues: their parameters as conditions."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.planning.awards.emoji import canonical
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.reach import Reach

_ORDERS: dict[str, LiteralString] = {"created_at": "i.created_at", "updated_at": "i.updated_at"}
_COUNTED = frozenset({"state", "order_by", "sort"})
"""Parameters that do not take a list beyond what the kept counts know."""


def chosen(reach: Reach, actor: Actor, query: ListIssues) -> Selection:
    """The issues within reach that the query asks for, apart from the words it searches for."""
    issues = reach.issues(actor)
    in_state(issues, query)
    narrow(issues, query)
    return issues


def narrowed(query: ListIssues, *, beside: frozenset[str] = frozenset()) -> bool:
    """Whether the list is only part of what is within reach, apart from the state and the parameters `beside`."""
    said = query.given()
    if said.get("scope") == "all":
        del said["scope"]
    return not said.keys() <= _COUNTED | beside


def in_state(chosen: Selection, query: ListIssues) -> None:
    """Keep what is in the state asked for."""
    chosen.bound["state"] = query.state
    if query.state != "all":
        chosen.only("i.state = :state")


def narrow(
    chosen: Selection, query: ListIssues, mine: LiteralString = "IN :mine", among: LiteralString | None = None
) -> None:
    """Keep what else the query asks for, apart from the words; the issues are of the projects that are `mine`.

    `among`: the ids of all of them, when they are few: their labels are looked up, instead of all that bear a label.
    """
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
    _by_assignee(chosen, query)
    _by_label(chosen, query, mine, f"AND il.issue_id IN ({among})" if among else "")
    _by_milestone(chosen, query, mine)
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


def _by_label(chosen: Selection, query: ListIssues, mine: LiteralString, among: LiteralString) -> None:
    """All the labels named, by exact title; `No Label` or `None` for issues without any, `Any` for those with some."""
    labelled: LiteralString = "EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id)"
    match query.labels or []:
        case []:
            return
        case ["No Label" | "No+Label", *_]:
            chosen.only(f"NOT {labelled}")
        case titles:
            asked = f"""i.id IN (SELECT il.issue_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
                WHERE l.title IN :label_titles AND (l.project_id IS NULL OR l.project_id {mine}) {among}
                GROUP BY il.issue_id HAVING count(DISTINCT l.title) = :label_count)"""
            if titles in (["None"], ["Any"]):
                known = f"labels l WHERE l.title IN :label_titles AND {_usable('l', mine)}"
                asked = _called_so(known, asked, labelled if titles == ["Any"] else f"NOT {labelled}")
            chosen.only(asked, label_titles=titles, label_count=len(titles))


def _by_milestone(chosen: Selection, query: ListIssues, mine: LiteralString) -> None:
    """The milestones of this title; `No Milestone` or `None` for issues without one, `Any` for those with one."""
    match query.milestone or "":
        case "":
            return
        case "No Milestone" | "No+Milestone":
            chosen.only("i.milestone_id IS NULL")
        case "Any Milestone":
            chosen.only("i.milestone_id IS NOT NULL")
        case "#upcoming":
            chosen.only(_UPCOMING)
        case "#started":
            chosen.only(
                """i.milestone_id IN (SELECT ms.id FROM milestones ms
                   WHERE ms.state = 'active' AND ms.start_on IS NOT NULL AND ms.start_on <= :today)"""
            )
        case title:
            asked = f"""i.milestone_id IN (SELECT ms.id FROM milestones ms
                WHERE ms.title = :milestone AND (ms.project_id IS NULL OR ms.project_id {mine}))"""
            if title in ("None", "Any"):
                known = f"milestones ms WHERE ms.title = :milestone AND {_usable('ms', mine)}"
                asked = _called_so(known, asked, f"i.milestone_id IS {'NOT ' if title == 'Any' else ''}NULL")
            chosen.only(asked, milestone=title)


def _called_so(known: LiteralString, asked: LiteralString, otherwise: LiteralString) -> LiteralString:
    """What is called so, where anything is; `otherwise` where nothing is."""
    # Compat: `None` and `Any` are words to newer clients, and yet names where a label or a milestone is called so.
    return f"CASE WHEN EXISTS (SELECT 1 FROM {known}) THEN {asked} ELSE {otherwise} END"


def _usable(it: LiteralString, mine: LiteralString) -> LiteralString:
    """Whether a label or a milestone is of a project that is `mine`, or of a group above one."""
    return f"""({it}.project_id {mine} OR {it}.group_id IN (
        SELECT t.ancestor_id FROM projects home JOIN group_tree t ON t.group_id = home.namespace_id
        WHERE home.id {mine}))"""


# The milestone next due of each project and each group.
_UPCOMING: LiteralString = """i.milestone_id IN (
    SELECT ms.id FROM milestones ms WHERE ms.state = 'active' AND ms.due_on > :today AND NOT EXISTS (
        SELECT 1 FROM milestones sooner WHERE sooner.state = 'active' AND sooner.due_on > :today
        AND sooner.due_on < ms.due_on AND sooner.project_id IS NOT DISTINCT FROM ms.project_id
        AND sooner.group_id IS NOT DISTINCT FROM ms.group_id))"""


def _by_reaction(chosen: Selection, query: ListIssues) -> None:
    """The emoji that the caller gave the issue, in any spelling; `None` where they gave it none, `Any` where some."""
    match query.my_reaction_emoji or "":
        case "":
            return
        case "None":
            chosen.only(f"i.id NOT IN ({_REACTED})")
        case "Any":
            chosen.only(f"i.id IN ({_REACTED})")
        case name:
            chosen.only(f"i.id IN ({_REACTED} AND award.name = :emoji)", emoji=canonical(name) or name)


_REACTED: LiteralString = """
    SELECT award.subject_id FROM awards award WHERE award.user_id = :actor AND award.subject_kind = 'issue'"""


def order(query: ListIssues) -> LiteralString:
    """As asked; ties are broken by id in the same direction."""
    turn: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    return f"{_ORDERS[query.order_by]} {turn}, i.id {turn}"
