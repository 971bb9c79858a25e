"""Requests and background work about what may be deleted meanwhile: its rows and files go away under them."""

import errno
import re
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, LiteralString

from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Route
from mujina.kernel.jobs.tasks import Run
from mujina.kernel.services import Services

STILL_WRITTEN_TO = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.EBUSY})
"""How the removal of a folder fails into which another process writes at the same moment, or which a backup copies."""


def of_project(work: Callable[[Run, int], Awaitable[None]]) -> Callable[[Run, str], Awaitable[None]]:
    """A task whose key is the id of a project. A failure is ignored if the project is deleted by then."""

    @wraps(work)
    async def run_unless_deleted(run: Run, key: str) -> None:
        try:
            await work(run, int(key))
        except Exception:
            async with run.database.reading() as tx:
                if await tx.value("SELECT p.id FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=int(key)):
                    raise

    return run_unless_deleted


async def removed_meanwhile(services: Services, route: Route, arguments: dict[str, Any]) -> errors.ApiError | None:
    """The response to a request that failed unexpectedly, if the project or group that it names is gone by now."""
    ref, found = arguments.get("id"), _NOUN.match(route.path)
    if found is None or not isinstance(ref, Ref):
        return None
    async with services.database.reading() as tx:
        present = await tx.value(_PRESENT[found[1]], **ref.bound)
    return None if present else errors.not_found(found[1].capitalize())


_NOUN = re.compile("/(project|group)s/:id(?:/|$)")
_PRESENT: dict[str, LiteralString] = {
    "project": """SELECT 1 FROM projects p WHERE p.deleted_at IS NULL AND p.id = coalesce(
        CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path))""",
    "group": """SELECT 1 FROM namespaces n WHERE n.deleted_at IS NULL AND n.id = coalesce(
        CAST(:ref_id AS bigint), (SELECT r.namespace_id FROM routes r WHERE r.path_folded = :ref_path))""",
}
