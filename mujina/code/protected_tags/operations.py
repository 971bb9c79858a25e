"""Protecting and unprotecting tags."""

from collections.abc import Sequence
from typing import Final

import msgspec

from mujina.code.protected_branches.operations import MAX_LENGTH, Grant
from mujina.code.protected_tags.rules import ProtectedTagRow
from mujina.kernel import errors
from mujina.kernel.db.rows import delete_row, insert_each, insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

TAKEN: Final = ["Name has already been taken"]


async def protect(tx: Tx, actor: Actor, project_id: int, name: str, grants: Sequence[Grant]) -> None:
    """From the next push on only the grantees create such tags, and no one moves them; 422 if the name is protected."""
    problems = Problems()
    problems.require("name", name, MAX_LENGTH)
    problems.refuse()
    tag_id: int | None = await insert_id(
        tx, "protected_tags", "ON CONFLICT (project_id, name) DO NOTHING", project_id=project_id, name=name,
        **timestamps(),
    )  # fmt: skip
    if tag_id is None:
        raise errors.Unprocessable({"message": TAKEN})
    await insert_each(
        tx, "protected_tag_grants", [{"tag_id": tag_id, **msgspec.structs.asdict(grant)} for grant in grants]
    )
    changes = {"name": (None, name), "create_access_levels": (None, sorted(grant.grantee for grant in grants))}
    await record(tx, "protected_tag.created", actor, subject_id=tag_id, project_id=project_id, changes=changes)


async def unprotect(tx: Tx, actor: Actor, project_id: int, tag: ProtectedTagRow) -> None:
    """From the next push on, all who may push to the project may create such tags."""
    await delete_row(tx, "protected_tags", "Protected Tag", id=tag.id)
    await record(
        tx, "protected_tag.deleted", actor, subject_id=tag.id, project_id=project_id, changes={"name": (tag.name, None)}
    )


async def delete_user_grants(tx: Tx, user_id: int) -> None:
    """No protected tag lets a user who is removed through."""
    await tx.run("DELETE FROM protected_tag_grants WHERE user_id = :user_id", user_id=user_id)
