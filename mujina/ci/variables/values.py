"""A variable as a job gets it, and the forms of values that only parts of names may have."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from mujina.code.protected_branches.rules import wildcard

MAX_SLUG_LENGTH: Final = 63
"""The longest label of a host name."""
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]")


class JobVariable(msgspec.Struct, frozen=True):
    """A variable of a job, as the runner gets it."""

    key: str
    value: str
    public: bool = True
    """Whether it may be printed."""
    file: bool = False
    """The runner writes the value to a file; the variable is the path of that file."""
    masked: bool = False
    raw: bool = False
    """The runner does not expand variables in the value."""


def named(variables: Mapping[str, str | int | None]) -> list[JobVariable]:
    """Public variables; those without a value are left out."""
    return [JobVariable(key, str(value)) for key, value in variables.items() if value is not None]


def secret(variables: Mapping[str, str]) -> list[JobVariable]:
    """Variables with a credential in them."""
    return [JobVariable(key, value, public=False, masked=True) for key, value in variables.items()]


def effective(variables: Iterable[JobVariable]) -> dict[str, str]:
    """The value of each key: the last one counts."""
    return {variable.key: variable.value for variable in variables}


def masked_keys(variables: Iterable[JobVariable]) -> frozenset[str]:
    """The keys of variables whose values are hidden."""
    return frozenset(variable.key for variable in variables if variable.masked)


def ref_slug(name: str) -> str:
    """A name as part of a host name: lower case, everything else replaced, 63 characters."""
    return _NOT_IN_SLUGS.sub("-", name.lower())[:MAX_SLUG_LENGTH].strip("-")


def scope_rank(scope: str, environment: str | None) -> tuple[int, int] | None:
    """How closely a scope matches the environment of a job: `*`, then patterns, then the name itself; None if it does not."""
    if scope == "*":
        return 0, 0
    if environment is None:
        return None
    if scope == environment:
        return 2, 0
    return (1, len(scope)) if "*" in scope and wildcard(scope).fullmatch(environment) else None


def typed_text(value: str) -> str:
    """The value of a form as it was typed: browsers end lines in another way than programs do."""
    return value.replace("\r\n", "\n")
