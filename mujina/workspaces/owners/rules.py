"""The owner of labels, milestones and boards: a project or a group, in one type, so that no operation is written twice."""

from typing import Any, Final, Literal, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.groups.rules import ADMIN_GROUP, READ_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_PROJECT, ProjectRow, find_project

OwnerRule = dict[OwnerKind, Rule]
"""The rule for a project and the rule for a group."""

READ_OWNER: Final[OwnerRule] = {"project": READ_PROJECT, "group": READ_GROUP}
ADMIN_OWNER: Final[OwnerRule] = {"project": ADMIN_PROJECT, "group": ADMIN_GROUP}


def owner_ids(kind: str, id: int) -> dict[str, Any]:
    """The columns `project_id` and `group_id` of rows and events; both are null for anything but a project or group."""
    return {"project_id": id if kind == "project" else None, "group_id": id if kind == "group" else None}


class Owner(msgspec.Struct, frozen=True):
    """The project or group that something belongs to."""

    kind: OwnerKind
    id: int
    namespace_id: int
    """The namespace of the project, or the group itself."""

    @property
    def project_id(self) -> int | None:
        return self.id if self.kind == "project" else None

    @property
    def group_id(self) -> int | None:
        return self.id if self.kind == "group" else None

    @property
    def ids(self) -> dict[str, Any]:
        return owner_ids(self.kind, self.id)

    @property
    def bound(self) -> dict[str, int | None]:
        """The parameters `:project_id`, `:group_id` (one of them is null) and `:namespace_id`."""
        return {**self.ids, "namespace_id": self.namespace_id}


def project_owner(project: ProjectRow) -> Owner:
    return Owner("project", project.id, project.namespace_id)


def owner_paths(suffix: str) -> dict[str, str]:
    """The paths with this suffix below a project and below a group, as the decorators of routes take them."""
    return {"project": f"/projects/:id{suffix}", "group": f"/groups/:id{suffix}"}


async def find_owner(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER) -> Owner:
    """The project or group, if the actor may do this with it."""
    if kind == "group":
        group = await find_group(tx, actor, ref, to=to[kind])
        return Owner(kind, group.id, group.id)
    return project_owner(await find_project(tx, actor, ref, to=to[kind]))


async def check_in_group(tx: Tx, project: Owner) -> None:
    """400 unless the project is in a group, in which something of it can be promoted."""
    if not await tx.value("SELECT 1 FROM groups g WHERE g.id = :id", id=project.namespace_id):
        raise errors.bad_request("The project does not belong to a group")


def check_typed(field: str, typed: str, full_path: str, reason: str = "is not the path") -> None:
    """Refuse a form that does harm unless the path of what it is about was typed into this field."""
    if typed.strip() != full_path:
        raise errors.invalid({field: [reason]})


class OwnerOrInstance(msgspec.Struct, frozen=True):
    """The project or group that something belongs to; neither: it belongs to the instance."""

    project_id: int | None = None
    group_id: int | None = None

    @property
    def kind(self) -> Literal["project", "group", "instance"]:
        return "project" if self.project_id else "group" if self.group_id else "instance"

    @property
    def bound(self) -> dict[str, Any]:
        """The parameters of `belongs_to`."""
        return {"project_id": self.project_id, "group_id": self.group_id}


INSTANCE: Final = OwnerOrInstance()


def belongs_to(alias: LiteralString) -> LiteralString:
    """Whether the row belongs to the owner that is bound."""
    return f"""{alias}.project_id IS NOT DISTINCT FROM CAST(:project_id AS bigint)
        AND {alias}.group_id IS NOT DISTINCT FROM CAST(:group_id AS bigint)"""


def inherited(alias: LiteralString) -> LiteralString:
    """Whether the row belongs to the `Owner` that is bound, or to a group above it."""
    return f"""({alias}.project_id = :project_id OR {alias}.group_id IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))"""


async def find_administered(
    tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = ADMIN_OWNER
) -> OwnerOrInstance:
    """The project or group, if the actor may administrate what belongs to it; 403 or 404 otherwise."""
    owner = await find_owner(tx, actor, kind, ref, to=to)
    return OwnerOrInstance(owner.project_id, owner.group_id)


async def find_page_owner(tx: Tx, request: PageRequest, *, to: OwnerRule = ADMIN_OWNER) -> OwnerOrInstance:
    """The project or group of the address; the instance, if it has none."""
    if request.container is None:
        return INSTANCE
    return await find_administered(tx, request.actor, request.container.kind, Ref.of(request.container.row.id), to=to)
