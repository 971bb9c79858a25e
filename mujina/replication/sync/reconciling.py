"""Comparing the registry with the database of the primary: what is missing is copied, what is gone is removed."""

from collections.abc import Sequence
from typing import Final

from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.services import Services
from mujina.planning.storage.files import file_kinds, find_files, list_files
from mujina.replication.registry import operations
from mujina.replication.registry.operations import DueFile
from mujina.replication.registry.rules import RepositoryKind
from mujina.replication.sync.operations import CopiedProject, Primary

BATCH: Final = 1_000


async def find_copied(services: Services, project_id: int) -> CopiedProject | None:
    """The project, as the replica has it; None if it is deleted."""
    async with services.database.reading() as tx:
        return await tx.row(
            CopiedProject,
            """SELECT r.path, p.repository_storage, coalesce(p.default_branch, p.requested_branch)
               FROM projects p JOIN routes r ON r.project_id = p.id WHERE p.id = :id AND p.deleted_at IS NULL""",
            id=project_id,
        )


async def find_wikis(tx: Tx, project_ids: Sequence[int]) -> tuple[set[int], set[int]]:
    """Which of these projects exist, and which of them have a wiki."""
    rows = await tx.rows(
        tuple[int, bool],
        "SELECT p.id, p.wiki_enabled FROM projects p WHERE p.id IN :ids AND p.deleted_at IS NULL",
        ids=list(project_ids),
    )
    return {id for id, _ in rows}, {id for id, wiki in rows if wiki}


async def remove_projects(services: Services, registry: Database, primary: Primary, project_ids: Sequence[int]) -> None:
    """Remove the copies of those projects that are deleted."""
    if not project_ids:
        return
    async with services.database.reading() as tx:
        existing, _ = await find_wikis(tx, project_ids)
        storages: list[str] = await tx.values("SELECT DISTINCT p.repository_storage FROM projects p")
    deleted = [id for id in project_ids if id not in existing]
    repositories = [(storage, project_id) for project_id in deleted for storage in {"default", *storages}]
    # Before they are forgotten, or a crash would leave them for ever; and again, because a copy may have been under way.
    for repository in repositories:
        await primary.remove_project(*repository)
    async with registry.transaction() as tx:
        await operations.forget_repositories(tx, deleted)
    for repository in repositories:
        await primary.remove_project(*repository)


class Reconciler:
    """Fills the registry with what the replica has, in batches, and removes what it no longer has."""

    def __init__(self, services: Services, registry: Database, primary: Primary) -> None:
        self._services = services
        self._registry = registry
        self._primary = primary

    async def reconcile(self) -> None:
        await self._add_repositories()
        for kind in ("repository", "wiki"):
            await self._remove_repositories(kind)
        await self.remove_files()  # first: a file that two projects shared is found again below
        await self._add_files()

    async def _add_repositories(self) -> None:
        after = 0
        while True:
            async with self._services.database.reading() as tx:
                rows = await tx.rows(
                    tuple[int, bool],
                    """SELECT p.id, p.wiki_enabled FROM projects p WHERE p.id > :after AND p.deleted_at IS NULL
                       ORDER BY p.id LIMIT :limit""",
                    after=after,
                    limit=BATCH,
                )
            if not rows:
                return
            async with self._registry.transaction() as tx:
                await operations.add_repositories(tx, "repository", [id for id, _ in rows])
                await operations.add_repositories(tx, "wiki", [id for id, wiki in rows if wiki])
            after = rows[-1][0]

    async def _remove_repositories(self, kind: RepositoryKind) -> None:
        after = 0
        while True:
            async with self._registry.reading() as tx:
                known = await operations.list_project_ids(tx, kind, after, BATCH)
            if not known:
                return
            async with self._services.database.reading() as tx:
                existing, with_wiki = await find_wikis(tx, known)
            gone = [id for id in known if id not in existing]
            await remove_projects(self._services, self._registry, self._primary, gone)
            if kind == "wiki":
                async with self._registry.transaction() as tx:
                    await operations.forget_repositories(tx, [id for id in known if id not in with_wiki], "wiki")
            after = known[-1]

    async def _add_files(self) -> None:
        for kind in file_kinds(self._services.product):
            after = 0
            while True:
                async with self._services.database.reading() as tx:
                    files = await list_files(tx, kind, after, BATCH)
                if not files:
                    break
                async with self._registry.transaction() as tx:
                    await operations.mark_files(tx, kind, dict(files))
                after = files[-1][0]

    async def remove_files(self) -> None:
        """Remove the copies of files that the primary no longer has."""
        after = ""
        while True:
            async with self._registry.reading() as tx:
                known = await operations.list_known_files(tx, after, BATCH)
            if not known:
                return
            gone = await self._vanished(known)
            for key in gone:
                await self._services.files.remove(key)
            async with self._registry.transaction() as tx:
                await operations.forget_files(tx, gone)
            after = known[-1].key

    async def _vanished(self, known: Sequence[DueFile]) -> list[str]:
        """The keys among these that no object has any more."""
        existing = set[str]()
        async with self._services.database.reading() as tx:
            for kind in file_kinds(tx.product):
                if ids := [file.object_id for file in known if file.kind == kind]:
                    existing |= set((await find_files(tx, kind, ids)).values())
        return [file.key for file in known if file.key not in existing]
