"""The issues of epics."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.planning.epic_issues import entities, filters, operations
from mujina.planning.epic_issues.entities import EpicIssue, EpicIssueLink
from mujina.planning.epic_issues.params import MoveEpicIssue
from mujina.planning.epic_issues.rules import CHOOSE_EPIC_ISSUE, EpicIssueRow, find_epic_issue, find_issue_for
from mujina.planning.epics.rules import WRITE_EPIC, EpicRow, find_epic

UNKNOWN_LINK = "Epic issue not found for given params"


@get("/groups/:id/-/epics/:epic_iid/issues", "/groups/:id/epics/:epic_iid/issues")
async def list_epic_issues(call: Call, id: Ref, epic_iid: int, page: Page) -> Paged[EpicIssue]:
    async with call.reading() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid)
        return await _page(tx, call, epic, page)


@post("/groups/:id/-/epics/:epic_iid/issues/:issue_id", "/groups/:id/epics/:epic_iid/issues/:issue_id")
async def add_epic_issue(call: Call, id: Ref, epic_iid: int, issue_id: int) -> EpicIssueLink:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid, to=WRITE_EPIC, lock=True)
        issue = await find_issue_for(tx, call.actor, epic, issue_id)
        link_id = await operations.add(tx, call.actor, epic, issue)
        return await entities.load_one(tx, await _link(tx, call, epic, link_id))


# Compat: moving an issue responds with the list in its new order.
@put("/groups/:id/-/epics/:epic_iid/issues/:epic_issue_id", "/groups/:id/epics/:epic_iid/issues/:epic_issue_id")
async def move_epic_issue(
    call: Call, id: Ref, epic_iid: int, epic_issue_id: int, change: MoveEpicIssue, page: Page
) -> Paged[EpicIssue]:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid, to=WRITE_EPIC, lock=True)
        link = await _link(tx, call, epic, epic_issue_id)
        before = await _link(tx, call, epic, change.move_before_id) if change.move_before_id else None
        after = await _link(tx, call, epic, change.move_after_id) if change.move_after_id else None
        await operations.move(tx, epic, link, before, after)
        return await _page(tx, call, epic, page)


# Compat: removing an issue from an epic responds with 200 and the link.
@delete(
    "/groups/:id/-/epics/:epic_iid/issues/:epic_issue_id",
    "/groups/:id/epics/:epic_iid/issues/:epic_issue_id",
    status=200,
)
async def remove_epic_issue(call: Call, id: Ref, epic_iid: int, epic_issue_id: int) -> EpicIssueLink:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid, to=WRITE_EPIC, lock=True)
        link = await find_epic_issue(
            tx, call.actor, epic, epic_issue_id, to=CHOOSE_EPIC_ISSUE, missing="No Issue Link found"
        )
        shown = await entities.load_one(tx, link)
        await operations.remove(tx, call.actor, epic, link)
        return shown


async def _link(tx: Tx, call: Call, epic: EpicRow, link_id: int) -> EpicIssueRow:
    return await find_epic_issue(tx, call.actor, epic, link_id, missing=UNKNOWN_LINK)


async def _page(tx: Tx, call: Call, epic: EpicRow, page: Page) -> Paged[EpicIssue]:
    selection = await filters.readable_issues(tx, call.actor, epic.id)
    return await entities.load_page(tx, call.actor, selection, page)
