"""The projects that use deploy keys."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class KeyUse(Row, alias="d"):
    key_id: int
    can_push: bool
    full_path: Annotated[str, "r.path"]


async def uses_of(tx: Tx, key_ids: list[int]) -> dict[int, list[KeyUse]]:
    """The projects that use each key."""
    rows = await tx.rows(
        KeyUse,
        f"""SELECT {KeyUse.columns} FROM deploy_keys d JOIN projects p ON p.id = d.project_id AND p.deleted_at IS NULL
            JOIN routes r ON r.project_id = d.project_id WHERE d.key_id IN :ids ORDER BY r.path""",
        ids=key_ids,
    )
    return {key_id: [row for row in rows if row.key_id == key_id] for key_id in key_ids}
