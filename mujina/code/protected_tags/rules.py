"""Protections of tags, who may create them all the same, and the only way to get a protection."""

from typing import Annotated, LiteralString

from mujina.code.protected_branches.rules import GRANTED, ProtectedName
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor

_GRANTED: LiteralString = f"EXISTS (SELECT 1 FROM protected_tag_grants a WHERE a.tag_id = b.id AND {GRANTED})"


class TagProtection(ProtectedName):
    """A protected name or pattern of tags, and whether the actor may create such tags."""

    may_create: Annotated[bool, _GRANTED]


async def tag_protections(tx: Tx, actor: Actor, project_id: int, level: int) -> list[TagProtection]:
    """The protections of the tags of a project, for an actor of this level."""
    bound = {name: value for name, value in actor.bound.items() if name != "actor_external"}
    return await tx.rows(
        TagProtection,
        f"SELECT {TagProtection.columns} FROM protected_tags b WHERE b.project_id = :project_id ORDER BY b.name",
        project_id=project_id,
        level=level,
        **bound,
    )


def may_create(known: list[TagProtection], tag: str) -> bool:
    """Whether the actor may create the tag, with the protections as they are for the actor."""
    # Compat: of several protections the most permissive one applies, as for branches.
    covering = [protection for protection in known if protection.covers(tag)]
    return not covering or any(protection.may_create for protection in covering)


def protected_tags_in(project_id: int) -> Selection:
    return Selection("protected_tags b", "b.project_id = :project_id", project_id=project_id)


class ProtectedTagRow(Row, alias="b"):
    id: int
    name: str
    updated_at: str


async def find_protected_tag(tx: Tx, project_id: int, name: str) -> ProtectedTagRow:
    """The protection of exactly this name or pattern; 404 if there is none."""
    selection = protected_tags_in(project_id).where("b.name = :name", name=name)
    return await find_row(tx, ProtectedTagRow, selection, "Protected Tag")
