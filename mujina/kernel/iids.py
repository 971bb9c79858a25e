"""Numbers inside one project or group: 1, 2, 3 … without a gap from a crash and never twice."""

from typing import Literal

from mujina.kernel.db.transaction import Tx


async def next_iid(
    tx: Tx,
    noun: Literal["issue", "milestone", "merge_request", "epic"],
    owner: Literal["project", "group"],
    owner_id: int,
) -> int:
    """The next number; the counter's row stays locked until the transaction ends, so a rollback gives it back."""
    return await tx.value(
        """
        INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES (:owner, :owner_id, :noun, 1)
        ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1
        RETURNING last
        """,
        owner=owner, owner_id=owner_id, noun=noun,
    )  # fmt: skip
