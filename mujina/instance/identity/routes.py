"""The version of the instance."""

import msgspec

from mujina.kernel import build
from mujina.kernel.http import Call, JsonResponse
from mujina.kernel.routing import get
from mujina.kernel.scopes import READ_USER


class ApiVersion(msgspec.Struct):
    version: str
    revision: str


@get("/version", scopes=READ_USER)
async def show_version(call: Call) -> JsonResponse[ApiVersion]:
    """Show the version of the API."""
    # Compat: clients branch on the version of the API; our own version is in a header.
    body = ApiVersion(call.services.settings.api_version_text, build.REVISION)
    return JsonResponse(body, headers={"X-Mujina-Version": build.VERSION})
