"""Which features this instance has. The setting `edition` decides it, and only here.

A lower edition hides what a higher one stored and deletes nothing: raising the edition shows it again.
"""

from typing import Final, Literal, LiteralString, TypeVar

from mujina.kernel import errors
from mujina.kernel.db.sql.text import register_switches
from mujina.kernel.http.dispatcher import Call, RouteCheck
from mujina.kernel.http.params import Ref
from mujina.settings import Edition

AnyAssignee = TypeVar("AnyAssignee")

Feature = Literal["epics", "push_rules", "issue_weights", "several_assignees", "ldap_groups", "replication"]

EDITIONS: Final[tuple[Edition, ...]] = ("core", "standard", "ultimate")
"""The editions from the lowest to the highest; each includes the features of those before it."""

LOWEST_EDITION: Final[dict[Feature, Edition]] = {
    "push_rules": "standard",
    "issue_weights": "standard",
    "several_assignees": "standard",
    "ldap_groups": "standard",
    "replication": "standard",
    "epics": "ultimate",
}
"""The lowest edition that has the feature."""

_edition: Edition = "ultimate"
_features: frozenset[Feature] = frozenset(LOWEST_EDITION)


def register_edition(edition: Edition) -> None:
    """Set the edition of this process; the composition root calls this once."""
    global _edition, _features
    included = EDITIONS[: EDITIONS.index(edition) + 1]
    _edition, _features = edition, frozenset(name for name, lowest in LOWEST_EDITION.items() if lowest in included)
    register_switches({"several_assignees": has_feature("several_assignees"), "epics_offered": has_feature("epics")})


def current_edition() -> Edition:
    return _edition


def has_feature(feature: Feature) -> bool:
    """Whether the edition includes the feature."""
    return feature in _features


def counted_assignees(assignees: list[AnyAssignee]) -> list[AnyAssignee]:
    """All of these assignees, or the first one where the edition knows only one."""
    return assignees if "several_assignees" in _features else assignees[:1]


def counts_as_assignee(table: LiteralString, parent: LiteralString, alias: LiteralString) -> LiteralString:
    """The condition that the row `alias` of this table of assignees counts; `parent` is the column of their subject."""
    return f"""(:several_assignees OR NOT EXISTS (SELECT 1 FROM {table} first
        WHERE first.{parent} = {alias}.{parent} AND first.user_id < {alias}.user_id))"""


def not_found_without(feature: Feature) -> RouteCheck:
    """The check of routes that do not exist unless the edition includes the feature."""

    async def check(_call: Call, _ref: Ref) -> None:
        check_route(feature)

    return check


def check_route(feature: Feature) -> None:
    """404 unless the edition includes the feature: its routes do not exist."""
    if not has_feature(feature):
        raise errors.not_found_with("404 Not Found")


register_edition(_edition)
