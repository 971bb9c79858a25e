"""Networks of forks."""

from mujina.kernel.db.transaction import Tx


async def related(tx: Tx, one: int, other: int) -> bool:
    """Whether two projects are the same or descend from one project, though projects between them were removed."""
    if one == other:
        return True
    return bool(
        await tx.value(
            """SELECT count(*) = 2 AND min(coalesce(p.network_id, p.id)) = max(coalesce(p.network_id, p.id))
               FROM projects p WHERE p.id IN :ids""",
            ids=[one, other],
        )
    )
