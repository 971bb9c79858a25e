"""Creating a merge request: its branches, its first version, and the commands in its description."""

import msgspec

from mujina.kernel.concurrency.repository_slots import repository_slot
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.quick_actions.operations import carry_out_actions, fields_at_creation, plan_steps
from mujina.planning.quick_actions.parsing import parse
from mujina.planning.quick_actions.plan import Plan
from mujina.review.merge_requests import operations
from mujina.review.merge_requests.branches.pairs import Pair, find_pair, retargeted
from mujina.review.merge_requests.params import CreateMergeRequest
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.quick_actions.operations import MERGE_REQUEST_COMMANDS, PreparedCommands, named_branch
from mujina.review.versions import operations as versions
from mujina.workspaces.owners.rules import project_owner
from mujina.workspaces.projects.rules import ProjectRow


async def create(services: Services, actor: Actor, ref: Ref, change: CreateMergeRequest) -> tuple[ProjectRow, int]:
    """A new request; commands in its description are carried out and removed from it. Its target project and its iid."""
    async with services.database.reading() as tx:
        pair = await find_pair(tx, actor, ref, change)
    change, plan = await _plan_creation(services, actor, pair, change)
    async with repository_slot(pair.target.id):
        version = await versions.prepare(services, retargeted(pair.branches, change))
        async with services.database.transaction() as tx:
            pair = await find_pair(tx, actor, ref, change)
            iid = await operations.create(tx, actor, pair, change, version)
            if plan is not None and any(step.action for step in plan.steps):
                await carry_out_actions(tx, plan, await find_merge_request(tx, actor, Ref.of(pair.target.id), iid))
        await versions.publish_head(services, pair.branches.target, iid, version.head_sha)
    return pair.target, iid


async def _plan_creation(
    services: Services, actor: Actor, pair: Pair, change: CreateMergeRequest
) -> tuple[CreateMergeRequest, Plan | None]:
    """The new request without the commands of its description, and with what they set."""
    parsed = parse(change.description or "", MERGE_REQUEST_COMMANDS.commands)
    if not parsed.commands:
        return change, None
    named = named_branch(parsed.commands)
    if named is not None and versions.tip(await pair.branches.target.repo_path(services), named) is None:
        named = None
    owner = project_owner(pair.target)
    async with services.database.reading() as tx:
        plan = Plan(
            kind=MERGE_REQUEST_COMMANDS, tx=tx, actor=actor, owner=owner, path=pair.target.full_path,
            triager=pair.triager, target=None, assignee_ids=list(change.assignee_ids or []),
            prepared=PreparedCommands(None, named),
        )  # fmt: skip
        await plan_steps(plan, parsed.commands)
    fields = fields_at_creation(plan, change.labels or [])
    return msgspec.structs.replace(change, description=parsed.text, **fields), plan
