"""The instance itself."""

from mujina.kernel import build
from mujina.kernel.http import Call, Json, Response
from mujina.kernel.routing import READ_USER, get


@get("/version", scopes=READ_USER)
async def show_version(call: Call) -> Json:
    # Compat: clients branch on the version of the API family; our own stands in a header.
    told = {"version": call.services.settings.api_version_text, "revision": build.REVISION}
    return Response(told, headers={"X-Mujina-Version": build.VERSION})
