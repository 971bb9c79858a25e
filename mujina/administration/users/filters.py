"""The tabs of the list of users."""

from typing import Annotated, LiteralString

from mujina.accounts.users import filters
from mujina.administration.users.params import ListAccounts
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor

_CONDITIONS: dict[str, LiteralString] = {
    "admins": "u.admin",
    "two_factor_enabled": "u.two_factor_enabled",
    "two_factor_disabled": "NOT u.two_factor_enabled",
    "external": "u.external",
    "blocked": "u.state NOT IN ('active', 'blocked_pending_approval')",
    "pending": "u.state = 'blocked_pending_approval'",
}


class AccountCounts(Row, alias="u"):
    """How many users each tab has."""

    all: Annotated[int, "count(*)"]
    admins: Annotated[int, "count(CASE WHEN u.admin THEN 1 END)"]
    two_factor_enabled: Annotated[int, "count(CASE WHEN u.two_factor_enabled THEN 1 END)"]
    two_factor_disabled: Annotated[int, "count(CASE WHEN u.two_factor_enabled THEN NULL ELSE 1 END)"]
    external: Annotated[int, "count(CASE WHEN u.external THEN 1 END)"]
    blocked: Annotated[int, "count(CASE WHEN u.state NOT IN ('active', 'blocked_pending_approval') THEN 1 END)"]
    pending: Annotated[int, "count(CASE WHEN u.state = 'blocked_pending_approval' THEN 1 END)"]


def chosen(actor: Actor, query: ListAccounts) -> Selection:
    """The users of one tab that match the filters."""
    found = filters.listed_users(actor, query).where("u.kind = 'person'")
    return found.where(_CONDITIONS[query.filter]) if query.filter else found


async def counts(tx: Tx) -> AccountCounts:
    [found] = await tx.rows(
        AccountCounts,
        f"SELECT {AccountCounts.columns} FROM users u WHERE u.kind = 'person' AND u.deleted_at IS NULL",
    )
    return found
