"""The subject of a custom attribute. The routes admit administrators only."""

from mujina.accounts.users.rules import find_user
from mujina.instance.custom_attributes.rules import AttributeSubject
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.routing import Route
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import find_project


async def find_subject(tx: Tx, actor: Actor, route: Route, ref: Ref) -> AttributeSubject:
    """The user, group or project that the route names."""
    match route.segments[0]:
        case "groups":
            return AttributeSubject("group", (await find_group(tx, actor, ref)).id)
        case "projects":
            return AttributeSubject("project", (await find_project(tx, actor, ref)).id)
        case _:
            if ref.id is None:
                raise errors.not_found("User")
            return AttributeSubject("user", (await find_user(tx, ref.id)).id)
