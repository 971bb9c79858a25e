"""Whether this secondary has a current copy of what a request reads from a repository."""

import re
from typing import Final
from urllib.parse import unquote

from mujina.kernel.db.transaction import Database
from mujina.kernel.params import Ref
from mujina.kernel.services import Services
from mujina.replication.registry.rules import RepositoryKind, is_current

_GIT: Final = re.compile(r"/(?P<path>.+?)(?P<wiki>\.wiki)?(?:\.git)?/(?:info/refs|git-upload-pack)")
_API: Final = re.compile(r"/api/v4/projects/(?P<ref>[^/]+)/(?P<part>repository|merge_requests|wikis)(?:/.*)?")


async def has_copy(services: Services, registry: Database, path: str) -> bool:
    """Whether a request for this path can be answered from the copies; true if it reads no repository."""
    named = _repository_of(path)
    if named is None:
        return True
    ref, kind = named
    async with services.database.reading() as tx:
        project_id = await tx.value(
            "SELECT r.project_id FROM routes r WHERE r.project_id = :ref_id OR r.path_folded = :ref_path", **ref.bound
        )
    if project_id is None:  # a path from before a rename, or none at all: the primary knows
        return False
    async with registry.reading() as tx:
        return await is_current(tx, project_id, kind)


def _repository_of(path: str) -> tuple[Ref, RepositoryKind] | None:
    if found := _GIT.fullmatch(path):
        return Ref(unquote(found["path"])), "wiki" if found["wiki"] else "repository"
    if found := _API.fullmatch(path):
        return Ref(unquote(found["ref"])), "wiki" if found["part"] == "wikis" else "repository"
    return None
