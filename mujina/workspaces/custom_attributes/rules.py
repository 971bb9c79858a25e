"""The subject of a custom attribute. The routes admit administrators only."""

from mujina.accounts.users.rules import find_user
from mujina.instance.custom_attributes.rules import AttributeSubject, SubjectKind
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import find_project


async def find_subject(tx: Tx, actor: Actor, kind: SubjectKind, ref: Ref) -> AttributeSubject:
    """The user, group or project of this id or path; a user has no path."""
    match kind:
        case "group":
            return AttributeSubject(kind, (await find_group(tx, actor, ref)).id)
        case "project":
            return AttributeSubject(kind, (await find_project(tx, actor, ref)).id)
        case "user":
            if ref.id is None:
                raise errors.not_found("User")
            return AttributeSubject(kind, (await find_user(tx, ref.id)).id)
