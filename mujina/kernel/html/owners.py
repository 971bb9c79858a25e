"""Pages that projects and groups both have: `/{owner}/labels` is `/{project}/labels` and `/groups/{group}/-/labels`."""

from collections.abc import Mapping
from typing import Final, Literal

from mujina.kernel.permissions.rules import Rule

OwnerKind = Literal["project", "group"]
RuleOfOwner = Rule | Mapping[OwnerKind, Rule]
"""One rule, or one for a project and one for a group."""

_OWNER: Final = "/{owner}"
_ADDRESSES: Final[Mapping[OwnerKind, str]] = {"project": "/{project}", "group": "/groups/{group}/-"}


def kinds_of(path: str) -> tuple[OwnerKind, ...]:
    """The kinds of owners that have a page at this path; a page without an owner is one page as well."""
    return ("group", "project") if _OWNER in path else ("project",)


def address_of(path: str, kind: OwnerKind) -> str:
    """The path for owners of this kind."""
    return path.replace(_OWNER, _ADDRESSES[kind])


def rule_of(rule: RuleOfOwner | None, kind: OwnerKind) -> Rule | None:
    """The rule for owners of this kind."""
    return rule[kind] if isinstance(rule, Mapping) else rule


def rights_of(rights: Mapping[str, RuleOfOwner], kind: OwnerKind) -> tuple[tuple[str, Rule], ...]:
    """The rules that are asked about owners of this kind."""
    found = {name: rule.get(kind) if isinstance(rule, Mapping) else rule for name, rule in rights.items()}
    return tuple((name, rule) for name, rule in found.items() if rule is not None)
