"""The facts about a user that only administrators see."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class AccountUsage(Row, alias="u"):
    """How much belongs to a user."""

    projects: Annotated[
        int,
        """(SELECT count(*) FROM projects p JOIN namespaces n ON n.id = p.namespace_id
            WHERE n.owner_id = u.id AND p.deleted_at IS NULL)""",
    ]
    memberships: Annotated[int, "(SELECT count(*) FROM members m WHERE m.user_id = u.id)"]
    keys: Annotated[int, "(SELECT count(*) FROM ssh_keys k WHERE k.user_id = u.id)"]
    tokens: Annotated[int, "(SELECT count(*) FROM access_tokens t WHERE t.user_id = u.id AND NOT t.impersonation)"]
    password_set: Annotated[bool, "u.password_hash IS NOT NULL"]
    unconfirmed_email: str | None
    note: str | None


async def usage_of(tx: Tx, user_id: int) -> AccountUsage:
    [found] = await tx.rows(AccountUsage, f"SELECT {AccountUsage.columns} FROM users u WHERE u.id = :id", id=user_id)
    return found
