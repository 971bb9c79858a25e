"""Which code owners a merge request needs: found when its commits are checked, and stored until these change."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from mujina.adapters.git import refs
from mujina.adapters.git.reading import diffs
from mujina.code.code_owners.operations import owned
from mujina.code.code_owners.parsing import Owned
from mujina.code.protected_branches.rules import demands_owners
from mujina.kernel.db.rows import insert_each, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.text.folding import fold
from mujina.review.merge_requests.branches.merges import uncheck_all


async def find_owned(repo_path: Path, tip: str, head: str) -> list[Owned]:
    """The patterns of the target's file that own what the head changes since it left the target."""
    base = await refs.merge_base(repo_path, tip, head)

    def read() -> list[Owned]:
        return owned(repo_path, tip, None if base is None else diffs.changed_paths(repo_path, base, head))

    return await asyncio.to_thread(read)


async def store(tx: Tx, request_id: int, project_id: int, target_branch: str, found: Sequence[Owned]) -> None:
    """Replace the rules of the request; owners who do not exist are left out."""
    await tx.run("DELETE FROM code_owner_rules WHERE merge_request_id = :id", id=request_id)
    if not found:
        return
    demanded = await demands_owners(tx, project_id, target_branch)
    names = sorted({fold(owner.removeprefix("@")) for rule in found for owner in rule.owners})
    users = dict(
        await tx.rows(
            tuple[str, int],
            """SELECT '@' || u.username_folded, u.id FROM users u WHERE u.username_folded IN :names AND u.deleted_at IS NULL
               UNION ALL SELECT u.email_folded, u.id FROM users u WHERE u.email_folded IN :names
               AND u.deleted_at IS NULL""",
            names=names,
        )
    )
    groups = dict(
        await tx.rows(
            tuple[str, int],
            """SELECT '@' || r.path_folded, g.id FROM routes r JOIN groups g ON g.id = r.namespace_id
               WHERE r.path_folded IN :names""",
            names=names,
        )
    )
    for rule in found:
        rule_id: int = await insert_id(
            tx, "code_owner_rules", merge_request_id=request_id, section=rule.section, pattern=rule.pattern,
            approvals_required=rule.required if demanded else 0,
        )  # fmt: skip
        owners = [fold(owner) for owner in rule.owners]
        by_user = sorted({users[owner] for owner in owners if owner in users})
        by_group = sorted({groups[owner] for owner in owners if owner in groups})
        await insert_each(
            tx, "code_owner_rule_users", [{"code_owner_rule_id": rule_id, "user_id": id_} for id_ in by_user]
        )
        await insert_each(
            tx, "code_owner_rule_groups", [{"code_owner_rule_id": rule_id, "group_id": id_} for id_ in by_group]
        )


async def check_again(tx: Tx, event: Event) -> None:
    """A branch asks for owners now, or does so no more: the open requests of its project are checked once more."""
    if event.project_id is not None and (
        event.kind == "protected_branch.deleted" or "code_owner_approval_required" in event.changes
    ):
        await uncheck_all(tx, event.project_id)
