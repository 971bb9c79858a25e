"""The client from which a session, an issue or a snippet was created."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.http.bodies import AnyRequest

_MAX_USER_AGENT_LENGTH = 255


class Origin(msgspec.Struct, array_like=True, frozen=True):
    """User agent and address of the client that created something; empty for what the instance created itself."""

    user_agent: str | None
    ip_address: str | None


def origin_of_browser(request: AnyRequest) -> Origin:
    """The origin of what a page creates."""
    user_agent = request.get_header("User-Agent") or ""
    return Origin(user_agent.replace("\0", "")[:_MAX_USER_AGENT_LENGTH], request.remote_addr)


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
