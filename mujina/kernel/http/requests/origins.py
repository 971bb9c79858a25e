"""The client from which something was created, for administrators."""

import msgspec

from mujina.kernel import errors


class Origin(msgspec.Struct, array_like=True, frozen=True):
    """User agent and address of the client that created something; empty for what the instance created itself."""

    user_agent: str | None
    ip_address: str | None


class UserAgentDetail(msgspec.Struct):
    """An origin as the API shows it."""

    user_agent: str
    ip_address: str
    akismet_submitted: bool = False


def detail_of(origin: Origin | None) -> UserAgentDetail:
    """404 without a recorded origin."""
    if origin is None or not origin.user_agent:
        raise errors.not_found("UserAgentDetail")
    return UserAgentDetail(origin.user_agent, origin.ip_address or "")
