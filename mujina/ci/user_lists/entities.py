"""Lists of users as responses show them."""

from typing import Final

import msgspec

from mujina.ci.user_lists.params import ListUserLists
from mujina.ci.user_lists.rules import UserListRow, user_lists_of
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.filters import Filters, apply_filters
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.text.folding import like


class UserList(msgspec.Struct):
    id: int
    iid: int
    project_id: int
    name: str
    user_xids: str
    created_at: str
    updated_at: str


_FILTERS: Final[Filters] = {
    "search": lambda name, words: Sql(f"lower(ul.name) LIKE lower(:{name}) ESCAPE '\\'", **{name: f"%{like(words)}%"}),
}


def to_user_list(row: UserListRow) -> UserList:
    return to_entity(UserList, row)


async def load_page(tx: Tx, project_id: int, query: ListUserLists, page: Page) -> Paged[UserList]:
    """One page of the lists of a project, oldest first."""
    selection = apply_filters(user_lists_of(project_id), query, _FILTERS)
    return (await load_rows(tx, UserListRow, selection, ascending("ul.iid"), page)).map(to_user_list)
