"""Who manages the access tokens of a project or group, and the only way to find one."""

from typing import Annotated, Final, LiteralString

from mujina.accounts.credentials.rules import StoredToken
from mujina.kernel import errors, secrets
from mujina.kernel.db.rows import find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import OWNER
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.owners.rules import ADMIN_OWNER, Owner, belongs_to
from mujina.workspaces.projects.rules import find_project

ADMIN_ACCESS_TOKENS: Final = ADMIN_OWNER
ACCESS_TOKENS: Final[LiteralString] = """access_tokens t JOIN bots b ON b.user_id = t.user_id
    JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL
    LEFT JOIN members m ON m.user_id = t.user_id
        AND m.source_kind = CASE WHEN b.project_id IS NULL THEN 'group' ELSE 'project' END
        AND m.source_id = coalesce(b.project_id, b.group_id)"""


class AccessTokenRow(StoredToken):
    access_level: Annotated[int, "coalesce(m.level, 0)"]


class TokenOwner(Owner, frozen=True):
    """A project or group with the level of the actor, who manages its tokens."""

    level: int


async def find_token_owner(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref) -> TokenOwner:
    """The project or group, if the actor may manage its tokens; bots may not: their tokens would outlive them."""
    if kind == "group":
        group = await find_group(tx, actor, ref, to=ADMIN_ACCESS_TOKENS[kind])
        owner = TokenOwner(kind, group.id, group.id, OWNER)
    else:
        project = await find_project(tx, actor, ref, to=ADMIN_ACCESS_TOKENS[kind])
        level = OWNER if actor.admin else project.level
        owner = TokenOwner(kind, project.id, project.namespace_id, level)
    if await is_bot(tx, actor.id):
        raise errors.forbidden()
    return owner


async def is_bot(tx: Tx, user_id: int) -> bool:
    return bool(await tx.value("SELECT 1 FROM bots b WHERE b.user_id = :id", id=user_id))


def access_tokens_of(owner: Owner) -> Selection:
    return Selection(ACCESS_TOKENS, belongs_to("b"), **owner.ids)


async def find_access_token(tx: Tx, owner: Owner, token_id: int) -> AccessTokenRow:
    """The token of this project or group; 404 if there is none."""
    selection = access_tokens_of(owner).where("t.id = :id", id=token_id)
    return await find_row(tx, AccessTokenRow, selection, f"{owner.kind} Access Token")


async def find_own_access_token(tx: Tx, owner: Owner, token: str | None) -> AccessTokenRow:
    """The token of the request, if it belongs to this project or group; 405 for any other credential."""
    selection = access_tokens_of(owner).where("t.digest = :digest", digest=secrets.digest(token or ""))
    found = await tx.row(AccessTokenRow, f"SELECT {AccessTokenRow.columns} {selection.text}", **selection.bound)
    if found is None:
        raise errors.not_now()
    return found
