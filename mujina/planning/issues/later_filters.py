"""Filters that the family added to lists of issues later; clients rely on them to leave out rows."""

from calendar import monthrange
from datetime import date, timedelta
from typing import LiteralString

from mujina.instance.editions.rules import counts_as_assignee, has_feature
from mujina.kernel import clock
from mujina.kernel.db.selection import Selection
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold
from mujina.planning.issues.exceptions import leave_out
from mujina.planning.issues.params import ListIssues, QueryIssues

_COUNTS = counts_as_assignee("issue_assignees", "issue_id", "a")
_ASSIGNED: LiteralString = "SELECT a.issue_id FROM issue_assignees a"
_EXCEPTIONS: dict[str, LiteralString] = {
    "iids": "i.iid IN :not_iids",
    "author_id": "i.author_id = :not_author_id",
    "author_username": "i.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :not_author_username)",
    "assignee_id": f"EXISTS ({_ASSIGNED} WHERE a.issue_id = i.id AND a.user_id = :not_assignee_id AND {_COUNTS})",
    "assignee_username": f"""EXISTS ({_ASSIGNED} JOIN users u ON u.id = a.user_id
        WHERE a.issue_id = i.id AND u.username_folded IN :not_assignee_username AND {_COUNTS})""",
    "milestone": "EXISTS (SELECT 1 FROM milestones ms WHERE ms.id = i.milestone_id AND ms.title = :not_milestone)",
    "labels": """EXISTS (SELECT 1 FROM issue_labels il JOIN labels l ON l.id = il.label_id
        WHERE il.issue_id = i.id AND l.title IN :not_labels)""",
    "my_reaction_emoji": """i.id IN (SELECT award.subject_id FROM awards award
        WHERE award.user_id = :actor AND award.subject_kind = 'issue' AND award.name = :not_my_reaction_emoji)""",
}
_ADDED = frozenset(QueryIssues.__struct_fields__) - frozenset(ListIssues.__struct_fields__) - {"in_"}


def given(query: QueryIssues) -> bool:
    """Whether the query has one of these filters."""
    return any(getattr(query, name) is not UNSET for name in _ADDED)


def narrow(chosen: Selection, query: QueryIssues) -> None:
    """Apply these filters."""
    if query.updated_after:
        chosen.only("i.updated_at >= :updated_after", updated_after=query.updated_after)
    if query.updated_before:
        chosen.only("i.updated_at <= :updated_before", updated_before=query.updated_before)
    if isinstance(query.confidential, bool):
        chosen.only("i.confidential" if query.confidential else "NOT i.confidential")
    if query.issue_type and query.issue_type != "issue":
        chosen.only("FALSE")
    if query.non_archived:
        chosen.only("NOT EXISTS (SELECT 1 FROM projects home WHERE home.id = i.project_id AND home.archived)")
    if has_feature("issue_weights"):
        _by_weight(chosen, query)
    _by_username(chosen, query)
    if query.due_date:
        _by_due_date(chosen, query.due_date)
    if query.not_:
        leave_out(chosen, query.not_, _EXCEPTIONS)


def _by_weight(chosen: Selection, query: QueryIssues) -> None:
    if query.weight in ("none", "any"):
        chosen.only(f"i.weight IS {'' if query.weight == 'none' else 'NOT '}NULL")
    elif isinstance(query.weight, int):
        chosen.only("i.weight = :weight", weight=query.weight)
    if query.not_ and isinstance(query.not_.weight, int):
        chosen.only("(i.weight IS NULL OR i.weight <> :not_weight)", not_weight=query.not_.weight)


def _by_username(chosen: Selection, query: QueryIssues) -> None:
    if query.author_username:
        chosen.only(
            "i.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :author_username)",
            author_username=fold(query.author_username),
        )
    if query.assignee_username:
        names = sorted({fold(name) for name in query.assignee_username})
        chosen.only(
            f"""i.id IN ({_ASSIGNED} JOIN users u ON u.id = a.user_id
                WHERE u.username_folded IN :assignee_usernames AND {_COUNTS}
                GROUP BY a.issue_id HAVING count(*) = :assignee_count)""",
            assignee_usernames=names,
            assignee_count=len(names),
        )


def _by_due_date(chosen: Selection, when: str) -> None:
    today = date.fromisoformat(clock.today())
    match when:
        case "0":
            chosen.only("i.due_on IS NULL")
        case "any":
            chosen.only("i.due_on IS NOT NULL")
        case "overdue":
            chosen.only("i.due_on < :due_before", due_before=today.isoformat())
        case _:
            first, last = _days(when, today)
            chosen.only("i.due_on BETWEEN :due_from AND :due_to", due_from=first.isoformat(), due_to=last.isoformat())


def _days(when: str, today: date) -> tuple[date, date]:
    """The first and the last day that the word means; weeks begin on Monday."""
    match when:
        case "today":
            return today, today
        case "tomorrow":
            tomorrow = today + timedelta(days=1)
            return tomorrow, tomorrow
        case "week":
            monday = today - timedelta(days=today.weekday())
            return monday, monday + timedelta(days=6)
        case "month":
            return today.replace(day=1), _end_of_month(today)
        case _:
            return today - timedelta(weeks=2), _end_of_month(_end_of_month(today) + timedelta(days=1))


def _end_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
