"""From where things were created, as administrators are shown it."""

import msgspec

from mujina.kernel import errors


class Origin(msgspec.Struct, array_like=True, frozen=True):
    """With which program, and from which address, something was created; nothing is known of what we made ourselves."""

    user_agent: str | None
    ip_address: str | None


class UserAgentDetail(msgspec.Struct):
    """An origin, as administrators are shown it."""

    user_agent: str
    ip_address: str
    akismet_submitted: bool = False


def detail_of(origin: Origin | None) -> UserAgentDetail:
    """404 where nothing is known."""
    if origin is None or not origin.user_agent:
        raise errors.not_found("UserAgentDetail")
    return UserAgentDetail(origin.user_agent, origin.ip_address or "")
