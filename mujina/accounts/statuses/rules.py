"""The only way to read the status of a user; everyone who sees the user may."""

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class UserStatusRow(Row, alias="s"):
    emoji: str
    message: str
    availability: str
    clear_at: str | None


async def find_status(tx: Tx, user_id: int) -> UserStatusRow | None:
    """The status that the user has now."""
    return await tx.row(
        UserStatusRow,
        f"""SELECT {UserStatusRow.columns} FROM user_statuses s
            WHERE s.user_id = :user_id AND (s.clear_at IS NULL OR s.clear_at > :now)""",
        user_id=user_id,
        now=clock.now(),
    )
