"""A push may not refer to an LFS object that is missing, nor change a file that another user has locked."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from mujina.adapters.git.reading import history, pointers
from mujina.code.lfs import operations
from mujina.code.pushes.access import RepositoryRow
from mujina.code.pushes.changes import Change
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

MISSING = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'
LOCKED = "The path '{}' is locked in Git LFS by {}"


async def check_locks(
    locked: Mapping[str, str], changes: Sequence[Change], repo_path: Path, environment: Mapping[str, str]
) -> str | None:
    """Which locked file the changes touch; None if none."""
    if not locked or not (news := _news(changes)):
        return None
    async with aclosing(history.touched_paths(repo_path, news, environment)) as paths:
        async for path in paths:
            if path in locked:
                return LOCKED.format(path, locked[path])
    return None


async def check_pointers(
    services: Services,
    actor: Actor,
    repository: RepositoryRow,
    changes: Sequence[Change],
    repo_path: Path,
    environment: Mapping[str, str],
) -> str | None:
    """Whether a new pointer names an object that the project lacks; a fork gets it from its source where it can."""
    if not repository.lfs_enabled or not (news := _news(changes)):
        return None
    async with aclosing(pointers.new_pointers(repo_path, news, environment)) as batches:
        async for oids in batches:
            async with services.database.reading() as tx:
                missing = oids - await operations.present(tx, repository.id, sorted(oids))
            if missing:
                async with services.database.transaction() as tx:
                    missing -= await operations.inherit(tx, actor, repository.id, sorted(missing))
            if missing:
                return MISSING
    return None


def _news(changes: Sequence[Change]) -> list[str]:
    return [change.new for change in changes if not change.deletes]
