"""The algebra of permission: conditions joined with `&`, `|`, `~`, compiled to SQL.

A rule is written once. It is the `WHERE` of a list and a column of a single look-up, so the two cannot diverge.
Conditions never yield NULL, so `~` always means what it says.
"""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import LiteralString, Self, cast

from mujina.kernel.permissions.actor import Kind

_ACTOR = re.compile(r":actor\b|:actor_admin\b|:actor_external\b")
_SUBJECT = {":actor": "{}.id", ":actor_admin": "{}.admin", ":actor_external": "{}.external"}


@cache
def _about(rule: LiteralString, subject: LiteralString) -> LiteralString:
    return cast("LiteralString", _ACTOR.sub(lambda match: _SUBJECT[match[0]].format(subject), rule))


class Rule:
    """An expression over the fixed aliases (`p`, `i`, `g` …) and the actor's bound values."""

    one: LiteralString
    """As SQL for a row already found by its key."""
    many: LiteralString
    """As SQL for a scan: starts from the actor's own rows instead of asking for each row scanned."""
    whole: LiteralString
    """As SQL that needs no column prepared by a look-up (`p.level`): the form that can be bound to another subject."""

    def of(self, subject: LiteralString) -> LiteralString:
        """As SQL about the user `subject` (an alias of `users`) instead of the actor; `:today` must be bound."""
        return _about(self.whole, subject)

    def __and__(self, other: "Rule") -> "Rule":
        if isinstance(self, Known):
            return other if self.truth else self
        if isinstance(other, Known):
            return self if other.truth else other
        return _Both(self, other)

    def __or__(self, other: "Rule") -> "Rule":
        if isinstance(self, Known):
            return self if self.truth else other
        if isinstance(other, Known):
            return other if other.truth else self
        return _Either(self, other)

    def __invert__(self) -> "Rule":
        return _Not(self)

    def given(self, facts: "Facts") -> "Rule":
        """This rule with what is already known folded away; a fact is about any part of the rule."""
        if self not in facts:
            return self._fold(facts)
        known = facts[self]
        if isinstance(known, Rule):
            return known
        return TRUE if known else FALSE

    def _fold(self, _facts: "Facts") -> "Rule":
        return self


Facts = Mapping[Rule, bool | Rule]
"""Known parts of a rule: a truth value, or a cheaper equivalent that the list has prepared."""


class Condition(Rule):
    """A named question about one row. `many` may spell it differently for scans; both must agree on every row."""

    def __init__(
        self, name: str, one: LiteralString, *, many: LiteralString | None = None, whole: LiteralString | None = None
    ) -> None:
        self.name = name
        self.one = one
        self.many = many or one
        self.whole = whole or one

    def __repr__(self) -> str:
        return self.name


class Known(Rule):
    """A rule whose truth value is known."""

    def __init__(self, truth: bool) -> None:
        self.truth = truth
        self.one = self.many = self.whole = "TRUE" if truth else "FALSE"

    def __invert__(self) -> Self | "Known":
        return FALSE if self.truth else TRUE

    def __repr__(self) -> str:
        return str(self.truth)


class _Pair(Rule):
    def __init__(self, left: Rule, right: Rule) -> None:
        self.left = left
        self.right = right
        self._hash = hash((type(self), left, right))

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, _Pair)
            and (self.left, self.right) == (other.left, other.right)
        )

    def __hash__(self) -> int:
        return self._hash


class _Both(_Pair):
    @cached_property
    def one(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.one} AND {self.right.one})"

    @cached_property
    def many(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.many} AND {self.right.many})"

    @cached_property
    def whole(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.whole} AND {self.right.whole})"

    def _fold(self, facts: Facts) -> Rule:
        return self.left.given(facts) & self.right.given(facts)

    def __repr__(self) -> str:
        return f"({self.left!r} & {self.right!r})"


class _Either(_Pair):
    @cached_property
    def one(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.one} OR {self.right.one})"

    @cached_property
    def many(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.many} OR {self.right.many})"

    @cached_property
    def whole(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.whole} OR {self.right.whole})"

    def _fold(self, facts: Facts) -> Rule:
        return self.left.given(facts) | self.right.given(facts)

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"


class _Not(Rule):
    def __init__(self, inner: Rule) -> None:
        self.inner = inner

    @cached_property
    def one(self) -> LiteralString:  # type: ignore[override]
        return f"NOT {self.inner.one}"

    @cached_property
    def many(self) -> LiteralString:  # type: ignore[override]
        return f"NOT {self.inner.many}"

    @cached_property
    def whole(self) -> LiteralString:  # type: ignore[override]
        return f"NOT {self.inner.whole}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Not) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash((_Not, self.inner))

    def _fold(self, facts: Facts) -> Rule:
        return ~self.inner.given(facts)

    def __repr__(self) -> str:
        return f"~{self.inner!r}"


TRUE = Known(True)
FALSE = Known(False)

admin = Condition("admin", "CAST(:actor_admin AS boolean)")
signed_in = Condition("signed_in", "(:actor <> 0)")
external = Condition("external", "CAST(:actor_external AS boolean)")
asked = Condition("asked", "FALSE")
"""Placeholder for the rule that a look-up checks: `Row.columns_given({asked: to})` puts it there."""


@cache
def known_of(kind: Kind) -> Facts:
    """The facts that follow from `Actor.kind`; folding them leaves a shorter expression for the database."""
    is_admin, is_external, is_somebody = kind
    return {admin: is_admin, external: is_external, signed_in: is_somebody}
