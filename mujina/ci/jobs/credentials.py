"""The token of a running job as a credential: it reads what the user of the job may read, and changes nothing."""

from typing import Final

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import JOB

JOB_SCOPES: Final = frozenset({JOB, "read_repository"})


async def find_job_actor(tx: Tx, token: str) -> Actor | None:
    """The user of the running job that has this token; None if the job is over or the user is blocked.

    An administrator gets no more than their memberships give.
    """
    user = await tx.row(
        ActorRow,
        f"""SELECT {ActorRow.columns} FROM pipeline_jobs j JOIN users u ON u.id = j.user_id
            JOIN projects p ON p.id = j.project_id
            WHERE j.token_digest = :digest AND j.status = 'running' AND p.deleted_at IS NULL
            AND u.state = 'active' AND u.kind <> 'ghost' AND u.deleted_at IS NULL""",
        digest=secrets.digest(token),
    )
    return (
        None if user is None else msgspec.structs.replace(user.actor(JOB_SCOPES), admin=False, can_create_group=False)
    )
