"""The version of the instance."""

from mujina.kernel import build
from mujina.kernel.http import Call, Response
from mujina.kernel.routing import get
from mujina.kernel.scopes import READ_USER


@get("/version", scopes=READ_USER)
async def show_version(call: Call) -> Response:
    # Compat: clients branch on the version of the API; our own version is in a header.
    body = {"version": call.services.settings.api_version_text, "revision": build.REVISION}
    return Response(body, headers={"X-Mujina-Version": build.VERSION})
