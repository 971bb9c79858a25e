"""The links between a project and its topics, which follow `tag_list`."""

from collections.abc import Sequence

from mujina.kernel.db.rows import insert, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold


async def link_topics(tx: Tx, project_id: int, names: Sequence[str]) -> None:
    """The project has exactly these topics from now on; those that do not exist yet are created."""
    known = set(await tx.values("SELECT tp.name FROM topics tp WHERE tp.name IN :names", names=[*names]))
    for name in sorted(
        set(names) - known
    ):  # in one order everywhere: two that create the same ones never wait crosswise
        await insert(
            tx, "topics", "ON CONFLICT (name) DO NOTHING", name=name, name_folded=fold(name), title=name, **timestamps()
        )
    await tx.run(
        """DELETE FROM project_topics WHERE project_id = :id
           AND topic_id NOT IN (SELECT tp.id FROM topics tp WHERE tp.name IN :names)""",
        id=project_id,
        names=[*names],
    )
    await tx.run(
        """INSERT INTO project_topics (project_id, topic_id) SELECT CAST(:id AS bigint), tp.id FROM topics tp
           WHERE tp.name IN :names ON CONFLICT DO NOTHING""",
        id=project_id,
        names=[*names],
    )
