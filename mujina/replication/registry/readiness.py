"""Whether this secondary has a current copy of what a request reads from a repository."""

from typing import Final
from urllib.parse import unquote

from mujina.kernel.db.transaction import Database
from mujina.kernel.http.params import Ref
from mujina.kernel.services import Services
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.replication.log.rules import LogKind, has_unapplied
from mujina.replication.registry.cursor import read_cursor, read_gaps
from mujina.replication.registry.rules import RepositoryKind, is_current

MAX_DEPTH: Final = 25
"""Groups within groups, and the project."""
_CHANGES: Final[dict[RepositoryKind, list[LogKind]]] = {
    "repository": ["repository_created", "repository_updated", "repository_renamed"],
    "wiki": ["repository_created", "repository_renamed", "wiki_updated"],
}
_GIT: Final = deferred_pattern(r"/(?P<ref>.+?)(?P<wiki>\.wiki)?(?:\.git)?/(?:info/refs|git-upload-pack)")
_API: Final = deferred_pattern(r"/api/v4/projects/(?P<ref>[^/]+)/(?P<part>repository|merge_requests|wikis)(?:/.*)?")


async def has_copy(services: Services, registry: Database, path: str) -> bool:
    """Whether a request for this path can be answered from the copies; true if it reads no repository."""
    if found := _GIT.fullmatch(path) or _API.fullmatch(path):
        named = Ref(unquote(found["ref"]))
        wiki = found.groupdict().get("wiki") or found.groupdict().get("part") == "wikis"
        async with services.database.reading() as tx:
            project_id = await tx.value(
                "SELECT r.project_id FROM routes r WHERE r.project_id = :ref_id OR r.path_folded = :ref_path",
                **named.bound,
            )
        if project_id is None:  # a path from before a rename, or none at all: the primary knows
            return False
    elif path.startswith("/api/"):
        return True
    else:
        project_id, wiki = await _project_of_page(services, path), "/wikis" in path
        if project_id is None:
            return True
    return await _is_current(services, registry, project_id, "wiki" if wiki else "repository")


async def _is_current(services: Services, registry: Database, project_id: int, kind: RepositoryKind) -> bool:
    """Whether the copy has all changes that the replica knows of, though the registry may not be writable any more."""
    async with registry.reading() as tx:
        # First: what is applied later is seen in the registry.
        cursor, gaps = await read_cursor(tx), await read_gaps(tx)
        if not await is_current(tx, project_id, kind):
            return False
    async with services.database.reading() as tx:
        return not await has_unapplied(tx, cursor.event_id if cursor else 0, gaps, project_id, _CHANGES[kind])


async def _project_of_page(services: Services, path: str) -> int | None:
    """The project below whose address a page is."""
    parts = unquote(path).casefold().strip("/").split("/")
    above = ["/".join(parts[:length]) for length in range(2, min(len(parts), MAX_DEPTH) + 1)]
    if not above or "\0" in path:
        return None
    async with services.database.reading() as tx:
        return await tx.value(
            "SELECT r.project_id FROM routes r WHERE r.path_folded IN :paths AND r.project_id IS NOT NULL", paths=above
        )
