"""The facts about a group that only administrators see."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class GroupFacts(Row, alias="n"):
    """How much is in a group and the groups below it."""

    created_at: str
    subgroups: Annotated[int, "(SELECT count(*) FROM group_tree t WHERE t.ancestor_id = n.id AND t.group_id <> n.id)"]
    projects: Annotated[
        int,
        """(SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM group_tree t
            JOIN project_counts c ON c.namespace_id = t.group_id WHERE t.ancestor_id = n.id)""",
    ]
    members: Annotated[int, "(SELECT count(*) FROM members m WHERE m.source_kind = 'group' AND m.source_id = n.id)"]
    bytes: Annotated[
        int,
        """(SELECT CAST(coalesce(sum(s.repository_size + s.lfs_objects_size + s.job_artifacts_size), 0) AS bigint)
            FROM group_tree t
            JOIN projects p ON p.namespace_id = t.group_id AND p.deleted_at IS NULL
            JOIN project_statistics s ON s.project_id = p.id WHERE t.ancestor_id = n.id)""",
    ]


async def group_facts(tx: Tx, group_id: int) -> GroupFacts:
    [facts] = await tx.rows(GroupFacts, f"SELECT {GroupFacts.columns} FROM namespaces n WHERE n.id = :id", id=group_id)
    return facts
