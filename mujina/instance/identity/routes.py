"""The version of the instance."""

import msgspec

from mujina.kernel import build
from mujina.kernel.http.dispatcher import Call, JsonResponse
from mujina.kernel.http.routing import get
from mujina.kernel.permissions.scopes import READ_USER


class ApiVersion(msgspec.Struct):
    version: str
    revision: str


class AgentServer(
    msgspec.Struct, rename={"external_url": "externalUrl", "external_k8s_proxy_url": "externalK8sProxyUrl"}
):
    """The server for agents in clusters, which this instance does not have."""

    enabled: bool = False
    external_url: str | None = None
    external_k8s_proxy_url: str | None = None
    version: str | None = None


class Metadata(ApiVersion):
    kas: AgentServer
    enterprise: bool


@get("/version", scopes=READ_USER)
async def show_version(call: Call) -> JsonResponse[ApiVersion]:
    """Show the version of the API."""
    # Compat: clients branch on the version of the API; our own version is in a header.
    body = ApiVersion(call.services.settings.api_version_text, build.REVISION)
    return JsonResponse(body, headers={"X-Mujina-Version": build.VERSION})


@get("/metadata", scopes=READ_USER)
async def show_metadata(call: Call) -> Metadata:
    """Show the version of the API, as clients of newer API versions ask for it."""
    version = call.services.settings.api_version_text
    return Metadata(version, build.REVISION, AgentServer(), version.endswith("-ee"))
