"""Scopes of tokens: the one check that every entry point makes (API, files, git, LFS, OpenID)."""

from collections.abc import Collection
from typing import Final

from mujina.kernel import errors
from mujina.kernel.permissions.actor import Actor

API: Final = ("api",)
READ_USER: Final = ("read_user", "api")
FETCH: Final = ("read_repository", "api")
"""A token needs one of these for git and LFS; to push it needs one of `API`."""
JOB: Final = "job_token"
"""The scope of the token of a running job, which no other token has."""
API_OR_JOB: Final = ("api", JOB)
"""The scopes of routes that also take the token of a job: its header and its parameter mean nothing elsewhere."""
SUDO: Final = ("sudo",)
OPENID: Final = ("openid",)


def has_scope(actor: Actor, accepted: Collection[str]) -> bool:
    """Whether the actor's credential has one of these scopes; anonymous callers have none."""
    return not actor.scopes.isdisjoint(accepted)


def check_scope(actor: Actor, accepted: Collection[str]) -> None:
    """403 for a token that has none of these scopes. Callers without a credential pass: they have no token to limit."""
    if not actor.anonymous and not has_scope(actor, accepted):
        raise errors.insufficient_scope(*accepted)
