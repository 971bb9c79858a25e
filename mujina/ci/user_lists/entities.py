"""Lists of users as responses show them."""

import msgspec

from mujina.ci.user_lists.filters import selected
from mujina.ci.user_lists.params import ListUserLists
from mujina.ci.user_lists.rules import UserListRow
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class UserList(msgspec.Struct):
    id: int
    iid: int
    project_id: int
    name: str
    user_xids: str
    created_at: str
    updated_at: str


def to_user_list(row: UserListRow) -> UserList:
    return to_entity(UserList, row)


async def load_page(tx: Tx, project_id: int, query: ListUserLists, page: Page) -> Paged[UserList]:
    """One page of the lists of a project, oldest first."""
    rows = await load_rows(tx, UserListRow, selected(project_id, query), ascending("ul.iid"), page)
    return rows.map(to_user_list)
