"""Creating, editing and deleting lists of users."""

from typing import Any, Final

from mujina.ci.user_lists.params import CreateUserList, EditUserList
from mujina.ci.user_lists.rules import UserListRow
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, insert_numbered, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

MAX_NAME_LENGTH: Final = 255
MAX_XID_LENGTH: Final = 256
MAX_XIDS_LENGTH: Final = 1_000_000
IN_USE: Final = "The list is used by a strategy of a feature flag"


async def create(tx: Tx, actor: Actor, project_id: int, change: CreateUserList) -> int:
    """A new list: its number in the project."""
    columns = _columns(change.sent_fields())
    with unique("name"):
        [list_id, iid] = await insert_numbered(
            tx, tuple[int, int], "user_lists", {"project_id": project_id, **columns, **timestamps()},
            iid="next_iid('project', :project_id, 'user_list')", returning="id, iid",
        )  # fmt: skip
    await record(
        tx, "user_list.created", actor, subject_id=list_id, project_id=project_id, changes={"name": (None, change.name)}
    )
    return iid


async def edit(tx: Tx, actor: Actor, user_list: UserListRow, change: EditUserList) -> None:
    columns = _columns(change.sent_fields())
    with unique("name"):
        await update(tx, "user_lists", {**columns, "updated_at": clock.now()}, id=user_list.id)
    changes = changed_columns(user_list, columns)
    await record(
        tx, "user_list.updated", actor, subject_id=user_list.id, project_id=user_list.project_id, changes=changes
    )


async def remove(tx: Tx, actor: Actor, user_list: UserListRow) -> None:
    """Delete the list; 409 while a strategy uses it."""
    deleted = await tx.run(
        """DELETE FROM user_lists WHERE id = :id
           AND NOT EXISTS (SELECT 1 FROM feature_flag_strategies st WHERE st.user_list_id = :id)""",
        id=user_list.id,
    )
    if not deleted:
        raise errors.conflict(IN_USE)
    changes = {"name": (user_list.name, None)}
    await record(
        tx, "user_list.deleted", actor, subject_id=user_list.id, project_id=user_list.project_id, changes=changes
    )


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    """The columns that the request gives, each id of a user once; 400 for what cannot be stored."""
    problems = Problems()
    if "name" in given:
        problems.require("name", given["name"], MAX_NAME_LENGTH)
    if "user_xids" in given:
        xids = list(dict.fromkeys(xid for each in given["user_xids"].split(",") if (xid := each.strip())))
        given["user_xids"] = ",".join(xids)
        problems.require("user_xids", given["user_xids"], MAX_XIDS_LENGTH)
        for xid in xids:
            problems.limit("user_xids", xid, MAX_XID_LENGTH)
    problems.refuse()
    return given
