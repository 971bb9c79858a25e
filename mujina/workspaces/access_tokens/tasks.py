"""Mails about tokens that expire soon."""

from datetime import timedelta
from typing import Final

from mujina.accounts.credentials.operations import mark_announced
from mujina.accounts.mails.operations import enqueue_mail
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.tasks import Run, task

NOTICE: Final = timedelta(days=7)
BATCH: Final = 100


@task("access_tokens.announce_expiry", every=timedelta(hours=6))
async def announce_expiry(run: Run, key: str) -> None:  # noqa: ARG001 - there is one set of tokens
    """Mail the owners of the tokens that expire within a week, once for each token."""
    announced = BATCH
    while announced == BATCH:
        async with run.database.transaction() as tx:
            announced = await _announce(tx)


async def _announce(tx: Tx) -> int:
    """Mail about a batch of tokens: to their users, about those of bots to who created them. How many."""
    found = await tx.rows(
        tuple[int, int, str, bool],
        """SELECT t.id, person.id, person.email, b.user_id IS NOT NULL
           FROM access_tokens t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL
           LEFT JOIN bots b ON b.user_id = t.user_id
           JOIN users person ON person.id = coalesce(b.created_by_id, t.user_id) AND person.kind = 'person'
               AND person.state = 'active' AND person.deleted_at IS NULL
           WHERE NOT t.revoked AND NOT t.impersonation AND NOT t.expiry_announced
           AND t.expires_on > :today AND t.expires_on <= :soon ORDER BY t.id LIMIT :batch""",
        today=clock.today(),
        soon=clock.later(NOTICE)[:10],
        batch=BATCH,
    )
    for token_id, user_id, address, of_bot in found:
        await mark_announced(tx, token_id)
        await enqueue_mail(tx, user_id, "bot_token_expiring" if of_bot else "token_expiring", address)
    return len(found)
