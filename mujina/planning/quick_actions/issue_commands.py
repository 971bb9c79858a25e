"""Commands about issues."""

from typing import Any

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import operations as issues
from mujina.planning.issues.declarations.noteable import noteable_of
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.params import EditIssue
from mujina.planning.issues.rules import UPDATE_ISSUE, IssueRow, find_issue
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.quick_actions.actions import ACTIONS
from mujina.planning.quick_actions.edits import EDITS
from mujina.planning.quick_actions.plan import CommandKind, Commands, Plan, Recorded, Step

_OF_ISSUES = Commands()


@_OF_ISSUES.command("confidential", at_creation=True)
async def confidential(plan: Plan, _: str) -> Step | str:
    # Newer than the other commands: templates of reports end with it, which would be public without it.
    if plan.target is not None and plan.target.confidential:
        return "This issue is confidential already."
    return Step("Made this issue confidential.", {"confidential": True}, {"confidential": True})


async def find(tx: Tx, actor: Actor, noteable: Noteable) -> IssueRow:
    return await find_issue(tx, actor, Ref.of(noteable.project_id or 0), noteable.iid or 0, to=UPDATE_ISSUE)


async def edit(tx: Tx, actor: Actor, issue: IssueRow, fields: dict[str, Any], _: Any) -> Recorded:
    return await issues.edit(tx, actor, issue, EditIssue(**fields))


ISSUE_COMMANDS = CommandKind(
    item=ISSUES, commands={**EDITS, **ACTIONS, **_OF_ISSUES}, find=find, edit=edit, noteable=noteable_of
)
