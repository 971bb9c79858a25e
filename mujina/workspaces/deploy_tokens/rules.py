"""Who manages deploy tokens, the only way to find one, and the user as whom one acts."""

from typing import Annotated, Final, LiteralString

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import ADD_GROUP_PROJECT, ADMIN_GROUP
from mujina.workspaces.owners.rules import Owner, OwnerRule, belongs_to
from mujina.workspaces.projects.rules import ADMIN_PROJECT

READ_DEPLOY_TOKENS: Final[OwnerRule] = {"project": ADMIN_PROJECT, "group": ADD_GROUP_PROJECT}
WRITE_DEPLOY_TOKENS: Final[OwnerRule] = {"project": ADMIN_PROJECT, "group": ADMIN_GROUP}
USABLE: Final[LiteralString] = "(NOT d.revoked AND (d.expires_at IS NULL OR d.expires_at > :now))"
_USERNAME: Final[LiteralString] = "coalesce(d.username, 'gitlab+deploy-token-' || d.id)"


class DeployTokenRow(Row, alias="d"):
    id: int
    user_id: int
    name: str
    username: Annotated[str, _USERNAME]
    scopes: str
    expires_at: str | None
    revoked: bool
    updated_at: str


def deploy_tokens_of(owner: Owner) -> Selection:
    return Selection("deploy_tokens d", belongs_to("d"), **owner.ids)


async def find_deploy_token(tx: Tx, owner: Owner, token_id: int) -> DeployTokenRow:
    """The token of this project or group; 404 if there is none."""
    selection = deploy_tokens_of(owner).where("d.id = :id", id=token_id)
    return await find_row(tx, DeployTokenRow, selection, "Deploy Token")


class _DeployActorRow(ActorRow):
    scopes: Annotated[str, "d.scopes"]


async def find_deploy_actor(tx: Tx, token: str, username: str | None) -> Actor | None:
    """The bot as which a deploy token acts, limited to its scopes; None if the token, or the name with it, is not valid."""
    row = await tx.row(
        _DeployActorRow,
        f"""SELECT {_DeployActorRow.columns} FROM deploy_tokens d JOIN users u ON u.id = d.user_id
            WHERE d.digest = :digest AND {USABLE} AND u.state = 'active' AND u.deleted_at IS NULL
            AND (CAST(:username AS text) IS NULL OR {_USERNAME} = :username)""",
        digest=secrets.digest(token),
        now=clock.now(),
        username=username,
    )
    return None if row is None else row.actor(frozenset(row.scopes.split()))
