"""The conditions and orders of lists of tokens."""

from typing import Final, LiteralString

from mujina.accounts.credentials.params import ListPersonalTokens, TokenSort
from mujina.accounts.credentials.rules import PERSONAL
from mujina.kernel import clock, errors
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.filters import Filters, apply_filters, compared, containing, flag
from mujina.kernel.permissions.actor import Actor

_ACTIVE: LiteralString = "(NOT t.revoked AND t.expires_on > :today)"
TOKEN_FILTERS: Filters = {
    "revoked": flag("t.revoked"),
    "state": lambda _, state: Sql(_ACTIVE if state == "active" else f"NOT {_ACTIVE}"),
    "search": containing("t.name"),
    "created_after": compared("t.created_at", ">="),
    "created_before": compared("t.created_at", "<="),
    "last_used_after": compared("t.last_used_at", ">="),
    "last_used_before": compared("t.last_used_at", "<="),
    "expires_after": compared("t.expires_on", ">="),
    "expires_before": compared("t.expires_on", "<="),
}
_ORDERS: Final[dict[str, Order]] = {
    "created": ascending("t.id"),
    "expires": ascending("t.expires_on", "t.id"),
    "last_used": ascending("coalesce(t.last_used_at, '')", "t.id"),
    "name": ascending("lower(t.name)", "t.id"),
}


def order_tokens(sort: TokenSort) -> Order:
    """The order of a list of tokens; a token that never expires comes after the others, one that was never used before them."""
    column, _, direction = sort.rpartition("_")
    return _ORDERS[column or "created"].directed(direction)


def chosen_tokens(actor: Actor, query: ListPersonalTokens) -> Selection:
    """The tokens that the query asks for: one's own, and for administrators those of all users. 401 for those of others."""
    selection = Selection("access_tokens t", PERSONAL, today=clock.today())
    if not actor.admin and query.user_id not in (UNSET, actor.id):
        raise errors.unauthorized()
    if not actor.admin or query.user_id is not UNSET:
        selection = selection.where(
            "t.user_id = :user_id", user_id=actor.id if query.user_id is UNSET else query.user_id
        )
    return apply_filters(selection, query, TOKEN_FILTERS)
