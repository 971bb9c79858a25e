"""The issues of an epic: the forms of its page."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, NotFound
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epic_issues import operations
from mujina.planning.epic_issues.params import AddEpicIssue, MoveEpicIssue
from mujina.planning.epic_issues.rules import (
    CHOOSE_EPIC_ISSUE,
    ChosenIssue,
    EpicIssueRow,
    find_epic_issue,
    find_issue_for,
)
from mujina.planning.epics.rules import WRITE_EPIC, EpicRow, find_epic
from mujina.planning.issues.rules import find_named_issue
from mujina.workspaces.groups.rules import GroupRow

_EPIC = "/groups/{group}/-/epics/{iid:int}"
_MISSING = "The epic does not have this issue"


@form(f"{_EPIC}/issues", to=WRITE_EPIC, again=_EPIC)
async def add_epic_issue(request: PageRequest, group: GroupRow, iid: int, fields: AddEpicIssue) -> Redirect:
    async with request.transaction() as tx:
        epic = await find_epic(tx, request.actor, Ref.of(group.id), iid, to=WRITE_EPIC, lock=True)
        await operations.add(tx, request.actor, epic, await _named(tx, request.actor, epic, fields.issue))
    return Redirect(_address(request, iid))


@form(f"{_EPIC}/issues/{{link_id:int}}/delete", to=WRITE_EPIC, again=_EPIC)
async def remove_epic_issue(request: PageRequest, group: GroupRow, iid: int, link_id: int) -> Redirect:
    async with request.transaction() as tx:
        epic = await find_epic(tx, request.actor, Ref.of(group.id), iid, to=WRITE_EPIC, lock=True)
        link = await find_epic_issue(tx, request.actor, epic, link_id, to=CHOOSE_EPIC_ISSUE, missing=_MISSING)
        await operations.remove(tx, request.actor, epic, link)
    return Redirect(_address(request, iid))


@form(f"{_EPIC}/issues/{{link_id:int}}/move", to=WRITE_EPIC, again=_EPIC)
async def move_epic_issue(
    request: PageRequest, group: GroupRow, iid: int, link_id: int, change: MoveEpicIssue
) -> Redirect:
    async with request.transaction() as tx:
        epic = await find_epic(tx, request.actor, Ref.of(group.id), iid, to=WRITE_EPIC, lock=True)
        link = await _link(tx, request.actor, epic, link_id)
        before = await _link(tx, request.actor, epic, change.move_before_id) if change.move_before_id else None
        after = await _link(tx, request.actor, epic, change.move_after_id) if change.move_after_id else None
        await operations.move(tx, epic, link, before, after)
    return Redirect(_address(request, iid))


def _address(request: PageRequest, iid: int) -> str:
    return f"{request.here}/epics/{iid}#issues"


async def _link(tx: Tx, actor: Actor, epic: EpicRow, link_id: int) -> EpicIssueRow:
    return await find_epic_issue(tx, actor, epic, link_id, missing=_MISSING)


async def _named(tx: Tx, actor: Actor, epic: EpicRow, text: str) -> ChosenIssue:
    """The issue of this reference or address; the complaint is the same for a missing and a hidden one."""
    issue = await find_named_issue(tx, actor, text)
    try:
        return await find_issue_for(tx, actor, epic, issue.id)
    except NotFound:
        raise errors.invalid({"issue": [INVALID]}) from None
