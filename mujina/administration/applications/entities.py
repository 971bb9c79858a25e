"""Every OAuth application, for administrators."""

from typing import Annotated

from mujina.accounts.oauth.rules import ApplicationRow
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class AnyApplicationView(Row, alias="o"):
    id: int
    name: str
    uid: str
    redirect_uris: str
    scopes: str
    confidential: bool
    trusted: bool
    created_at: str
    owner: Annotated[str | None, "u.username"]
    users: Annotated[
        int,
        "(SELECT count(DISTINCT t.user_id) FROM oauth_tokens t WHERE t.application_id = o.id AND NOT t.revoked)",
    ]


async def all_applications(tx: Tx, page: Page) -> Paged[AnyApplicationView]:
    """One page of all applications, those of the instance first."""
    selection = Selection("oauth_applications o LEFT JOIN users u ON u.id = o.owner_id")
    return await load_rows(tx, AnyApplicationView, selection, ascending("o.owner_id IS NOT NULL", "o.id"), page)


async def find_application(tx: Tx, id: int) -> ApplicationRow:
    """The application of this id, of any owner."""
    selection = Selection("oauth_applications o", "o.id = :id", id=id)
    return await find_row(tx, ApplicationRow, selection, "Application")
