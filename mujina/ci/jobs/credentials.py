"""The token of a running job as a credential: it reads what the user of the job may read.

It publishes packages in the project of the job, and changes nothing else.
"""

from typing import Annotated, Final

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import JOB

JOB_SCOPES: Final = frozenset({JOB, "read_repository"})


class _JobActorRow(ActorRow):
    project_id: Annotated[int, "j.project_id"]


async def find_job_actor(tx: Tx, token: str) -> Actor | None:
    """The user of the running job that has this token; None if the job is over or the user is blocked.

    An administrator gets no more than their memberships give.
    """
    user = await tx.row(
        _JobActorRow,
        f"""SELECT {_JobActorRow.columns} FROM pipeline_jobs j JOIN users u ON u.id = j.user_id
            JOIN projects p ON p.id = j.project_id
            WHERE j.token_digest = :digest AND j.status = 'running' AND p.deleted_at IS NULL
            AND u.state = 'active' AND u.kind IN ('person', 'bot') AND u.deleted_at IS NULL""",
        digest=secrets.digest(token),
    )
    if user is None:
        return None
    actor = user.actor(JOB_SCOPES)
    return msgspec.structs.replace(actor, admin=False, can_create_group=False, job_project_id=user.project_id)
