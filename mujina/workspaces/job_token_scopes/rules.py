"""Whether a project lets in the jobs of another project: the one answer for every entry point that takes a job token."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ANONYMOUS, Actor

_ADMITS: LiteralString = """(p.id = :job_project_id
    OR NOT EXISTS (SELECT 1 FROM job_token_limits l WHERE l.project_id = p.id)
    OR EXISTS (SELECT 1 FROM job_token_allowlist a WHERE a.project_id = p.id AND a.allowed_project_id = :job_project_id)
    OR EXISTS (SELECT 1 FROM job_token_allowlist a JOIN group_tree t ON t.ancestor_id = a.allowed_group_id
               JOIN projects source ON source.namespace_id = t.group_id
               WHERE a.project_id = p.id AND source.id = :job_project_id))"""
"""Whether the project (`p`) lets in the jobs of the project `:job_project_id`."""


async def find_admitted_actor(tx: Tx, actor: Actor, ref: Ref) -> Actor:
    """The actor in the project: anonymous if the credential is the token of a job that the project does not let in."""
    if actor.job_project_id is None:
        return actor
    admitted = await tx.value(
        f"""SELECT {_ADMITS} FROM projects p WHERE p.id = coalesce(
            CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path))""",
        job_project_id=actor.job_project_id,
        **ref.bound,
    )
    return actor if admitted else ANONYMOUS


def where_admitted(selection: Selection, actor: Actor) -> Selection:
    """The rows whose projects (`p`) are public or let in the job, if the credential is the token of one; else all rows."""
    if actor.job_project_id is None:
        return selection
    return selection.where(f"(p.visibility = 'public' OR {_ADMITS})", job_project_id=actor.job_project_id)
