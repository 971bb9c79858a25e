"""The list of users: its parameters as SQL conditions."""

from calendar import monthrange
from datetime import date
from typing import LiteralString

from mujina.accounts.users.params import ListUsers
from mujina.accounts.users.sign_in.identities import stored_uid
from mujina.instance.custom_attributes.filters import with_attributes
from mujina.kernel import clock, errors
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.filters import Filters, apply_filters, compared, only_if
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold

_ORDERS = {
    "id": ascending("u.id"),
    "name": ascending("u.name_folded", "u.id"),
    "username": ascending("u.username_folded", "u.id"),
    "created_at": ascending("u.created_at", "u.id"),
    "updated_at": ascending("u.updated_at", "u.id"),
}
BEST_MATCHES = ascending(
    """CASE WHEN u.name_folded = :phrase THEN 0 WHEN u.username_folded = :phrase THEN 1
       WHEN u.email_folded = :phrase THEN 2 ELSE 3 END""",
    "u.name_folded",
    "u.id",
)


def listed_users(actor: Actor, query: ListUsers) -> Selection:
    """The users whom this caller may list. Filters for administrators are refused or ignored for other callers."""
    selection = apply_filters(Selection("users u", "u.deleted_at IS NULL AND u.kind <> 'imported'"), query, _FILTERS)
    if query.search:
        # Anonymous callers must not learn whose address it is.
        email_column: LiteralString | None = None if actor.anonymous else "u.email_folded"
        selection = selection.matching(query.search, "u.name_folded", "u.username_folded", equals=email_column)
    return _apply_admin_filters(selection, actor, query)


_WITHOUT_PROJECTS: LiteralString = """
    NOT EXISTS (SELECT 1 FROM members m WHERE m.user_id = u.id AND m.source_kind = 'project')
    AND NOT EXISTS (SELECT 1 FROM namespaces o JOIN projects p ON p.namespace_id = o.id WHERE o.owner_id = u.id)"""
"""Whether the user is a member of no project, and has none of their own."""
_NOT_OF_DIRECTORY: LiteralString = """NOT EXISTS (SELECT 1 FROM identities identity
    WHERE identity.user_id = u.id AND identity.provider LIKE 'ldap%')"""
_FILTERS: Filters = {
    "active": only_if("u.state = 'active'"),
    "blocked": only_if("u.state IN ('blocked', 'ldap_blocked')"),
    "username": lambda name, username: Sql(f"u.username_folded = :{name}", **{name: fold(username)}),
    "skip_ldap": only_if(_NOT_OF_DIRECTORY),
    "exclude_external": only_if("NOT u.external"),
    "exclude_internal": only_if("u.kind <> 'ghost'"),
    "without_project_bots": only_if("u.kind <> 'bot'"),
    "humans": only_if("u.kind = 'person'"),
}
_ADMIN_FILTERS: Filters = {
    "external": only_if("u.external"),
    "admins": only_if("u.admin"),
    "two_factor": lambda _, state: Sql(f"{'' if state == 'enabled' else 'NOT '}u.two_factor_enabled"),
    "without_projects": only_if(_WITHOUT_PROJECTS),
    "created_after": compared("u.created_at", ">="),
    "created_before": compared("u.created_at", "<="),
}


def _apply_admin_filters(selection: Selection, actor: Actor, query: ListUsers) -> Selection:
    if not actor.admin:
        if query.external or query.extern_uid is not UNSET:
            raise errors.forbidden()
        return selection.where("NOT u.external")
    selection = apply_filters(selection, query, _ADMIN_FILTERS)
    if query.extern_uid:
        selection = selection.where(
            """u.id IN (SELECT identity.user_id FROM identities identity
               WHERE identity.provider = :provider AND identity.extern_uid_folded = :extern_uid)""",
            provider=query.provider or "",
            extern_uid=fold(stored_uid(query.provider or "", query.extern_uid)),
        )
    return with_attributes(selection, actor, "user", query.custom_attributes or {})


def order(actor: Actor, query: ListUsers) -> Order:
    """The order that an administrator chose; by default best matches first for a search, else newest first."""
    chosen = actor.admin and (query.order_by is not UNSET or query.sort is not UNSET)
    if query.search and not chosen:
        return BEST_MATCHES
    return _ORDERS[query.order_by or "id"].directed(query.sort) if chosen else _ORDERS["id"].reversed


def active_since(day: str) -> Selection:
    """The users who signed in or used git on this day or later."""
    return Selection("users u", "u.deleted_at IS NULL AND u.last_activity_on >= :day", day=day)


def six_months_ago() -> str:
    """Returns this day of the month six months ago, or the last day of a shorter month."""
    today = date.fromisoformat(clock.today())
    year, month = divmod(today.year * 12 + today.month - 7, 12)
    return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1])).isoformat()
