"""Creating an issue, with the commands in its description."""

from msgspec import structs

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import operations
from mujina.planning.issues.params import CreateIssue
from mujina.planning.issues.rules import find_issue
from mujina.planning.issues.views.issue import CreatedIssue
from mujina.planning.quick_actions.issue_commands import ISSUE_COMMANDS
from mujina.planning.quick_actions.operations import carry_out_actions, fields_at_creation, plan_steps
from mujina.planning.quick_actions.parsing import parse
from mujina.planning.quick_actions.plan import Plan
from mujina.workspaces.owners.rules import project_owner
from mujina.workspaces.projects.rules import ProjectRow


async def create(tx: Tx, actor: Actor, project: ProjectRow, change: CreateIssue, origin: Origin) -> CreatedIssue:
    """A new issue; commands in its description are carried out and removed from it."""
    parsed = parse(change.description or "", ISSUE_COMMANDS.commands)
    if not parsed.commands:
        return await operations.create(tx, actor, project, change, origin)
    owner = project_owner(project)
    plan = Plan(
        kind=ISSUE_COMMANDS, tx=tx, actor=actor, owner=owner, path=project.full_path, triager=project.triager,
        target=None, assignee_ids=list(change.assignee_ids or []),
    )  # fmt: skip
    await plan_steps(plan, parsed.commands)
    change = structs.replace(change, description=parsed.text, **fields_at_creation(plan, change.labels or []))
    created = await operations.create(tx, actor, project, change, origin)
    if not any(step.action for step in plan.steps):
        return created
    await carry_out_actions(tx, plan, await find_issue(tx, actor, Ref.of(project.id), created.row.iid))
    return structs.replace(created, acted_on=True)
