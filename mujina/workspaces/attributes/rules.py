"""What can be noted about, and the only way to get it. The routes let administrators in, and nobody else."""

from typing import Literal

import msgspec

from mujina.accounts.users.rules import find_user
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.routing import Route
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import find_project

SubjectKind = Literal["user", "group", "project"]


class Subject(msgspec.Struct, frozen=True):
    """The person, group or project that is spoken of."""

    kind: SubjectKind
    id: int

    @property
    def bound(self) -> dict[str, int | str]:
        return {"subject_kind": self.kind, "subject_id": self.id}


async def find_subject(tx: Tx, actor: Actor, route: Route, ref: Ref) -> Subject:
    """Whatever the route speaks of."""
    match route.segments[0]:
        case "groups":
            return Subject("group", (await find_group(tx, actor, ref)).id)
        case "projects":
            return Subject("project", (await find_project(tx, actor, ref)).id)
        case _:
            if ref.id is None:
                raise errors.not_found("User")
            return Subject("user", (await find_user(tx, ref.id)).id)


async def find_value(tx: Tx, subject: Subject, key: str) -> str:
    """What is noted under this key."""
    value = await tx.value(
        """SELECT c.value FROM custom_attributes c
           WHERE c.subject_kind = :subject_kind AND c.subject_id = :subject_id AND c.key = :key""",
        key=key,
        **subject.bound,
    )
    if value is None:
        raise errors.not_found("Custom Attribute")
    return value
