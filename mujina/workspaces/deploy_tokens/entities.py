"""Deploy tokens as responses show them."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.pages import load_rows
from mujina.workspaces.deploy_tokens.params import ListDeployTokens
from mujina.workspaces.deploy_tokens.rules import USABLE, DeployTokenRow


class DeployToken(msgspec.Struct):
    id: int
    name: str
    username: str
    expires_at: str | None
    revoked: bool
    expired: bool
    scopes: list[str]


class NewDeployToken(DeployToken):
    """A token as the response to its creation shows it, which is the only one with its value."""

    token: str


def to_deploy_token(row: DeployTokenRow) -> DeployToken:
    expired = row.expires_at is not None and row.expires_at <= clock.now()
    return to_entity(DeployToken, row, scopes=row.scopes.split(), expired=expired)


async def load_page(tx: Tx, selection: Selection, query: ListDeployTokens, page: Page) -> Paged[DeployToken]:
    """One page, oldest first."""
    if query.active is not UNSET:
        selection = selection.where(USABLE if query.active else f"NOT {USABLE}", now=clock.now())
    return (await load_rows(tx, DeployTokenRow, selection, ascending("d.id"), page)).map(to_deploy_token)
