"""Moving a card of a board: the issue gets the label of its new list, or is closed."""

import re

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import MAX_INTEGER, UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.boards.entities import BoardList
from mujina.planning.issues import operations
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.issues.params import EditIssue
from mujina.planning.issues.rules import ADMIN_ISSUE, IssueRow, find_issue

_CARD = re.compile(r"([0-9]{1,18}):([0-9]{1,18}):(open|closed|[0-9]{1,18}):(open|closed|[0-9]{1,18})")


async def move(tx: Tx, actor: Actor, lists: list[BoardList], projects: ReadableProjects, card: str) -> None:
    """Move the card `project:issue:from:to` of a board with these lists over these projects."""
    match = _CARD.fullmatch(card)
    if match is None or int(match[1]) not in projects.ids:
        raise errors.not_found("Issue")
    labels = {str(each.id): each.label.name for each in lists} | {"open": "", "closed": ""}
    if match[4] not in labels:
        raise errors.not_found("List")
    issue = await find_issue(tx, actor, Ref.of(int(match[1])), min(int(match[2]), MAX_INTEGER), to=ADMIN_ISSUE)
    change = _change(issue, labels, source=match[3], target=match[4])
    if change.sent_fields():
        await operations.edit(tx, actor, issue, change)


def _change(issue: IssueRow, labels: dict[str, str], *, source: str, target: str) -> EditIssue:
    """A list replaces the label of the list before; open and closed issues have no list of this board."""
    added = labels[target]
    removed = [labels.get(source, "")] if added else list(labels.values())
    closes = target == "closed"
    return EditIssue(
        state_event=("close" if closes else "reopen") if closes == (issue.state == "opened") else UNSET,
        add_labels=[added] if added else UNSET,
        remove_labels=[title for title in removed if title and title != added] or UNSET,
    )
