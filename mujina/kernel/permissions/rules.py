"""The algebra of permission: conditions joined with `&`, `|`, `~`, compiled to SQL.

A rule is written once. It is the `WHERE` of a list and a column of a single look-up, so the two cannot diverge.
Conditions never yield NULL, so `~` always means what it says.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import ClassVar, LiteralString, NamedTuple, Self

from mujina.kernel.permissions.actor import Kind


class Subject(NamedTuple):
    """The user whom a rule is about, as SQL."""

    id: LiteralString
    admin: LiteralString
    external: LiteralString
    level: LiteralString = ""
    """The column with their level in the project `p`; empty: it is computed."""


ACTOR = Subject(":actor", ":actor_admin", ":actor_external")
Text = LiteralString | Callable[[Subject], LiteralString]
"""SQL about a row; a function of the subject if it is about a user too and is bound to others than the actor."""


class Rule(ABC):
    """An expression over the fixed aliases (`p`, `i`, `g` …) and the subject, by default the actor."""

    for_row: LiteralString
    """The SQL for a row already found by its key."""
    for_scan: LiteralString
    """The SQL for a scan: it starts from the actor's own rows instead of asking for each row scanned."""

    @abstractmethod
    def about(self, subject: Subject) -> LiteralString:
        """The SQL that needs no column prepared by a look-up (`p.level`), about this subject."""

    @cached_property
    def standalone(self) -> LiteralString:
        """The SQL about the actor that needs no column prepared by a look-up."""
        return self.about(ACTOR)

    def of(self, user: LiteralString, *, leveled: bool = False) -> LiteralString:
        """The SQL about this user, an alias of `users`, instead of the actor; `:today` must be bound.

        `leveled`: its rows have the user's level in the project `p` as `level`.
        """
        level: LiteralString = f"{user}.level" if leveled else ""
        return self.about(Subject(f"{user}.id", f"{user}.admin", f"{user}.external", level))

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

    def assuming(self, facts: "Facts") -> "Rule":
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
    """A named question about one row. `for_scan` may spell it differently; both must agree on every row."""

    def __init__(
        self, name: str, for_row: Text, *, for_scan: LiteralString | None = None, standalone: Text | None = None
    ) -> None:
        self.name = name
        self._text: Text = for_row if standalone is None else standalone
        self.for_row = _render(for_row, ACTOR)
        self.for_scan = for_scan or self.for_row

    def about(self, subject: Subject) -> LiteralString:
        text = _render(self._text, subject)
        if subject is not ACTOR and ":actor" in text:
            raise TypeError(f"{self.name} is written about the actor alone")
        return text

    def __repr__(self) -> str:
        return self.name


def _render(text: Text, subject: Subject) -> LiteralString:
    return text(subject) if callable(text) else text


class Known(Rule):
    """A rule whose truth value is known."""

    def __init__(self, truth: bool) -> None:
        self.truth = truth
        self.for_row = self.for_scan = "TRUE" if truth else "FALSE"

    def about(self, subject: Subject) -> LiteralString:  # noqa: ARG002 - what is known holds for every subject
        return self.for_row

    def __invert__(self) -> Self | "Known":
        return FALSE if self.truth else TRUE

    def __repr__(self) -> str:
        return str(self.truth)


class _Pair(Rule):
    word: ClassVar[LiteralString]
    sign: ClassVar[str]

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

    @cached_property
    def for_row(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.for_row} {self.word} {self.right.for_row})"

    @cached_property
    def for_scan(self) -> LiteralString:  # type: ignore[override]
        return f"({self.left.for_scan} {self.word} {self.right.for_scan})"

    def about(self, subject: Subject) -> LiteralString:
        return f"({self.left.about(subject)} {self.word} {self.right.about(subject)})"

    def __repr__(self) -> str:
        return f"({self.left!r} {self.sign} {self.right!r})"


class _Both(_Pair):
    word, sign = "AND", "&"

    def _fold(self, facts: Facts) -> Rule:
        return self.left.assuming(facts) & self.right.assuming(facts)


class _Either(_Pair):
    word, sign = "OR", "|"

    def _fold(self, facts: Facts) -> Rule:
        return self.left.assuming(facts) | self.right.assuming(facts)


class _Not(Rule):
    def __init__(self, inner: Rule) -> None:
        self.inner = inner

    @cached_property
    def for_row(self) -> LiteralString:  # type: ignore[override]
        return f"NOT {self.inner.for_row}"

    @cached_property
    def for_scan(self) -> LiteralString:  # type: ignore[override]
        return f"NOT {self.inner.for_scan}"

    def about(self, subject: Subject) -> LiteralString:
        return f"NOT {self.inner.about(subject)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Not) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash((_Not, self.inner))

    def _fold(self, facts: Facts) -> Rule:
        return ~self.inner.assuming(facts)

    def __repr__(self) -> str:
        return f"~{self.inner!r}"


TRUE = Known(True)
FALSE = Known(False)

admin = Condition("admin", lambda who: f"CAST({who.admin} AS boolean)")
signed_in = Condition("signed_in", lambda who: f"({who.id} <> 0)")
external = Condition("external", lambda who: f"CAST({who.external} AS boolean)")
REQUESTED = Condition("REQUESTED", "FALSE")
"""Placeholder for the rule that a look-up checks: `Row.columns_assuming({REQUESTED: to})` puts it there."""


@cache
def known_of(kind: Kind) -> Facts:
    """The facts that follow from `Actor.kind`; folding them leaves a shorter expression for the database."""
    is_admin, is_external, is_somebody = kind
    return {admin: is_admin, external: is_external, signed_in: is_somebody}
