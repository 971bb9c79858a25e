"""Scopes of tokens: the one check that every entry point makes (API, files, git, LFS, OpenID)."""

from collections.abc import Collection
from typing import Final

from mujina.kernel import errors
from mujina.kernel.permissions.actor import Actor

API: Final = ("api",)
READ_USER: Final = ("read_user", "api")
FETCH: Final = ("read_repository", "write_repository", "api")
"""A token needs one of these for git, LFS and single files."""
PUSH: Final = ("write_repository", "api")
ROTATE: Final = ("api", "self_rotate")
"""The scopes of routes by which a token replaces itself: one that was replaced before revokes those that followed it."""
READ_API: Final = "read_api"
"""The scope that opens what `api` reads."""
JOB: Final = "job_token"
"""The scope of the token of a running job, which no other token has."""
API_OR_JOB: Final = ("api", JOB)
"""The scopes of routes that also take the token of a job: its header and its parameter mean nothing elsewhere."""
READ_PACKAGES: Final = ("read_package_registry", "write_package_registry", *API_OR_JOB)
"""The scopes of routes that also take a deploy token and, with any token, HTTP Basic authentication."""
WRITE_PACKAGES: Final = ("write_package_registry", *API_OR_JOB)
PACKAGE_SCOPES: Final = frozenset({"read_package_registry", "write_package_registry"})
SUDO: Final = ("sudo",)
OPENID: Final = ("openid",)


def has_scope(actor: Actor, accepted: Collection[str]) -> bool:
    """Whether the actor's credential has one of these scopes; anonymous callers have none."""
    return not actor.scopes.isdisjoint(accepted)


def check_scope(actor: Actor, accepted: Collection[str], *, reads: bool = False) -> None:
    """403 for a token that has none of these scopes. Callers without a credential pass: they have no token to limit.

    `reads`: the request changes nothing, so `read_api` suffices where `api` does.
    """
    enough = (*accepted, READ_API) if reads and "api" in accepted else accepted
    if not actor.anonymous and not has_scope(actor, enough):
        raise errors.insufficient_scope(*accepted)
