"""Numbers inside one project or group: 1, 2, 3 … without a gap from a crash and never twice."""

from typing import Literal, LiteralString

from mujina.kernel.db.transaction import Engine, Tx


async def next_iid(
    tx: Tx,
    noun: Literal["issue", "milestone", "merge_request", "epic"],
    owner: Literal["project", "group"],
    owner_id: int,
) -> int:
    """The next number; the counter's row stays locked until the transaction ends, so a rollback gives it back."""
    bound = {"owner": owner, "owner_id": owner_id, "noun": noun}
    return await tx.value(_NEXT[tx.engine], **bound) or await tx.value(_FIRST, **bound)


_UPDATE: LiteralString = "UPDATE iids SET last = last + 1"
_ROW: LiteralString = "WHERE owner_kind = :owner AND owner_id = :owner_id AND noun = :noun RETURNING last"
_NEXT: dict[Engine, LiteralString] = {
    "sqlite": f"{_UPDATE} {_ROW}",
    # In the order in which they came. Those who wait for a row are overtaken by whoever meets its newest version.
    "postgres": f"""
        WITH turn AS MATERIALIZED (
            SELECT pg_advisory_xact_lock(hashtextextended(:owner || :noun, CAST(:owner_id AS bigint))))
        {_UPDATE} FROM turn {_ROW}""",
}
_FIRST: LiteralString = """
    INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES (:owner, :owner_id, :noun, 1)
    ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1
    RETURNING last"""
