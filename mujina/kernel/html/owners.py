"""Pages that projects and groups both have: `/{owner}/labels` is `/{project}/labels` and `/groups/{group}/-/labels`."""

from collections.abc import Mapping
from typing import Final, Literal

from mujina.kernel.permissions.rules import Rule

OwnerKind = Literal["project", "group"]
RuleOfOwner = Rule | Mapping[OwnerKind, Rule]
"""One rule, or one for a project and one for a group."""

OWNER: Final = "/{owner}"
_ADDRESSES: Final[Mapping[OwnerKind | None, str]] = {"project": "/{project}", "group": "/groups/{group}/-"}


def address_of(path: str, kind: OwnerKind | None) -> str:
    """The path for owners of this kind; None: it has no owner."""
    return path if kind is None else path.replace(OWNER, _ADDRESSES[kind])


def rule_of(rule: RuleOfOwner, kind: OwnerKind | None) -> Rule:
    """The rule for owners of this kind."""
    if isinstance(rule, Rule):
        return rule
    if kind is None:
        raise TypeError("rules for projects and groups are those of a page of both")
    return rule[kind]


def rights_of(rights: Mapping[str, RuleOfOwner], kind: OwnerKind | None) -> tuple[tuple[str, Rule], ...]:
    """The rules that are asked about owners of this kind."""
    asked = {name: rule for name, rule in rights.items() if isinstance(rule, Rule) or kind in rule}
    return tuple((name, rule_of(rule, kind)) for name, rule in asked.items())
