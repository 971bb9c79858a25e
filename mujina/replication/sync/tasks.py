"""The service of a secondary that copies what the primary has: it follows the log, fills in the rest, and reports."""

import asyncio
import fcntl
import os
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Final

from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.kernel import clock
from mujina.kernel.db.connect import connect
from mujina.kernel.db.postgres import replication as postgres_replication
from mujina.kernel.db.transaction import Database
from mujina.kernel.jobs.wakeups import Wakeup
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Secondary, Services
from mujina.kernel.storage.errors import storage_problem
from mujina.replication.files.operations import remove_leftovers
from mujina.replication.nodes.identity import NodeIdentity, read_identity, registry_url
from mujina.replication.nodes.rules import NodeRow, list_nodes
from mujina.replication.registry import operations as registry_operations
from mujina.replication.registry.cursor import record_contact, record_followed
from mujina.replication.registry.operations import DueFile, DueRepository
from mujina.replication.registry.rules import RepositoryKind
from mujina.replication.statuses.measuring import measure_secondary
from mujina.replication.sync.events import EventFollower
from mujina.replication.sync.operations import CopyFailed, Primary
from mujina.replication.sync.reconciling import Reconciler, find_copied
from mujina.settings import Settings

POLL_SECONDS: Final = 0.5
"""The pause between two looks at the log."""
REPORT_SECONDS: Final = 10.0
RECONCILE_SECONDS: Final = 600.0
CHECK_INTERVAL: Final = timedelta(hours=6)
"""A copy is compared with the primary again after this time, though no event says that it changed."""
REMOVAL_SECONDS: Final = 60.0
REMOVAL_INTERVAL_SECONDS: Final = 4.0
LEFTOVERS_SECONDS: Final = 86_400.0
RETRY_SECONDS: Final = 2.0
FOLLOWED_SECONDS: Final = 5.0
"""The pause between two notes that the log is applied."""
EXPECTED: Final = (CopyFailed, HostUnreachable, OutboundForbidden)
PREFIXES: Final[dict[RepositoryKind, str]] = {
    "repository": "Error syncing repository: ",
    "wiki": "Error syncing wiki repository: ",
}


def find_node(settings: Settings) -> Secondary | None:
    """The secondary that the data folder belongs to; None on a primary."""
    if (identity := read_identity(settings.data)) is None:
        return None
    registry = connect(url := registry_url(settings))
    return Secondary(
        node_id=identity.node_id,
        primary_url=identity.primary_url,
        registry_url=url,
        registry=registry,
        synchronizer=lambda services: Synchronizer(services, registry, identity),
        has_copied=partial(registry_operations.has_copied, registry),
        record_missing=partial(registry_operations.record_missing, registry),
    )


class Synchronizer:
    """Copies repositories and files until it is stopped. Of several processes on one data folder, one does."""

    def __init__(self, services: Services, registry: Database, identity: NodeIdentity) -> None:
        self._services = services
        self._registry = registry
        self._identity = identity
        self._primary = Primary(services, identity)
        self._follower = EventFollower(services, registry, self._primary)
        self._reconciler = Reconciler(services, registry, self._primary)
        self._wakeup = Wakeup()
        self._stopping = False
        self._repositories: dict[tuple[int, RepositoryKind], asyncio.Task[None]] = {}
        self._files: dict[str, asyncio.Task[None]] = {}
        self._check: asyncio.Task[None] | None = None
        self._sweep: asyncio.Task[None] | None = None
        self._next: dict[str, float] = {}
        self._removing_until = 0.0

    async def run(self) -> None:
        """Work until `stop`; what has begun is canceled, and begins again with the next start."""
        try:
            with _lease(self._services) as leased:
                while not self._stopping:
                    wait = await self._step() if leased() else RETRY_SECONDS
                    await self._wakeup.sleep(wait)
        finally:
            running = [*self._repositories.values(), *self._files.values(), *filter(None, [self._check, self._sweep])]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await self._primary.outbound.aclose()

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopping = True
        self._wakeup.notify()

    async def _step(self) -> float:
        """One look at the log and at what is due; the seconds until the next."""
        wait = POLL_SECONDS
        try:
            node = await self._find_node()
            if node is None or not node.enabled:
                return RETRY_SECONDS
            await self._work(node)
        except Exception as error:  # noqa: BLE001 - copying outlives any failure of a database
            log.warning("replication waits", error=repr(error))
            wait = RETRY_SECONDS
        if self._is_due("report", REPORT_SECONDS):
            await self._report()
        return wait

    async def _work(self, node: NodeRow) -> None:
        await self._record_contact()
        await self._follower.follow()
        if self._is_due("followed", FOLLOWED_SECONDS):
            async with self._registry.transaction() as tx:
                await record_followed(tx)
        if self._is_due("reconcile", RECONCILE_SECONDS) or self._follower.started_over:
            await self._reconciler.reconcile()
            self._follower.started_over = False
        await self._remove_files()
        if self._sweep is None and self._is_due("leftovers", LEFTOVERS_SECONDS):
            self._sweep = asyncio.create_task(self._remove_leftovers())
        await self._start_copies(node)

    async def _remove_files(self) -> None:
        """Look for removed files for a while after the log names some: jobs of the primary remove them one by one."""
        now = asyncio.get_running_loop().time()
        if self._follower.files_removed:
            self._follower.files_removed = False
            self._removing_until = now + REMOVAL_SECONDS
        if now < self._removing_until and self._is_due("removal", REMOVAL_INTERVAL_SECONDS):
            await self._reconciler.remove_files()

    async def _find_node(self) -> NodeRow | None:
        async with self._services.database.reading() as tx:
            return next((node for node in await list_nodes(tx) if node.id == self._identity.node_id), None)

    async def _record_contact(self) -> None:
        async with self._services.database.reading() as tx:
            replica = await postgres_replication.read_replica(tx)
        if replica.receiving and self._is_due("contact", 1.0):
            async with self._registry.transaction() as tx:
                await record_contact(tx)

    async def _start_copies(self, node: NodeRow) -> None:
        free_repositories = node.repos_max_capacity - len(self._repositories)
        free_files = node.files_max_capacity - len(self._files)
        async with self._registry.reading() as tx:
            repositories = await registry_operations.next_repositories(
                tx, list(self._repositories), max(free_repositories, 0)
            )
            files = await registry_operations.next_files(tx, list(self._files), max(free_files, 0))
            before = clock.later(-CHECK_INTERVAL)
            unchecked = None if self._check else await registry_operations.due_for_check(tx, before)
        for row in repositories:
            self._begin(self._repositories, (row.project_id, row.kind), self._copy_repository(row))
        for file in files:
            self._begin(self._files, file.key, self._copy_file(file))
        if unchecked is not None:
            self._check = asyncio.create_task(self._check_copy(unchecked))

    def _begin(self, running: dict[Any, asyncio.Task[None]], key: Any, work: Coroutine[Any, Any, None]) -> None:
        running[key] = task = asyncio.create_task(_pausing(work))

        def ended(_: asyncio.Task[None]) -> None:
            del running[key]
            self._wakeup.notify()

        task.add_done_callback(ended)

    async def _copy_repository(self, row: DueRepository) -> None:
        project = await find_copied(self._services, row.project_id)
        if project is None:  # deleted: the log or the next reconciliation removes it
            async with self._registry.transaction() as tx:
                await registry_operations.forget_repositories(tx, [row.project_id])
            return
        async with self._registry.transaction() as tx:
            started_at = await registry_operations.begin_repository(tx, row)
        try:
            equal = await self._primary.copy_repository(row, project)
        except EXPECTED as error:
            broken = not row.fresh and not await self._primary.is_whole(row, project)
            async with self._registry.transaction() as tx:
                await registry_operations.fail_repository(tx, row, f"{PREFIXES[row.kind]}{error}", broken=broken)
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again later
            log.warning("a repository could not be copied", project=row.project_id, kind=row.kind, exc_info=error)
            reason = storage_problem(error) or "The copy could not be written"
            async with self._registry.transaction() as tx:
                await registry_operations.fail_repository(tx, row, f"{PREFIXES[row.kind]}{reason}", broken=False)
            return
        async with self._registry.transaction() as tx:
            known = await registry_operations.end_repository(tx, row, started_at, equal=equal)
        if not known:  # deleted while it was copied
            await self._primary.remove_project(project.storage, row.project_id)

    async def _copy_file(self, file: DueFile) -> None:
        try:
            found = await self._primary.copy_file(file)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again later
            reason = storage_problem(error) or (
                error if isinstance(error, EXPECTED) else "The copy could not be written"
            )
            log.warning("a file could not be copied", key=file.key, error=repr(error))
            async with self._registry.transaction() as tx:
                await registry_operations.fail_file(tx, file, str(reason))
            return
        async with self._registry.transaction() as tx:
            if found:
                await registry_operations.end_file(tx, file.key)
            else:  # it was deleted; if it is only late, the next reconciliation finds it
                await registry_operations.forget_files(tx, [file.key])

    async def _check_copy(self, row: DueRepository) -> None:
        try:
            project = await find_copied(self._services, row.project_id)
            if project is not None:
                equal = await self._primary.is_equal(row, project)
                whole = await self._primary.is_whole(row, project)
                async with self._registry.transaction() as tx:
                    await registry_operations.record_check(tx, row, equal=equal, whole=whole)
        except Exception as error:  # noqa: BLE001 - it is checked again later
            log.info("a copy could not be checked", project=row.project_id, error=repr(error))
            await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._check = None

    async def _remove_leftovers(self) -> None:
        """Remove what copies that were interrupted have left."""
        try:
            await remove_leftovers(self._services)
        except Exception as error:  # noqa: BLE001 - it is tried again a day later
            log.warning("files without a row were not removed", error=repr(error))
        finally:
            self._sweep = None

    async def _report(self) -> None:
        try:
            await self._primary.report(await measure_secondary(self._services, self._registry))
        except Exception as error:  # noqa: BLE001 - the next report may succeed
            log.warning("the status was not reported", error=str(error) if isinstance(error, EXPECTED) else repr(error))

    def _is_due(self, what: str, seconds: float) -> bool:
        """Whether this was last due so long ago."""
        now = asyncio.get_running_loop().time()
        if now < self._next.get(what, 0):
            return False
        self._next[what] = now + seconds
        return True


async def _pausing(work: Coroutine[Any, Any, None]) -> None:
    """If the registry cannot be written, as on a full disk, wait before the same work begins again."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - it is still in the registry, and begins again
        log.warning("a copy could not be recorded", error=repr(error))
        await asyncio.sleep(RETRY_SECONDS)


@contextmanager
def _lease(services: Services) -> Generator[Any]:
    """A function that says whether this process is the one that copies; the system releases the lock when it dies."""
    path = services.settings.data / "replication.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def leased() -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    try:
        yield leased
    finally:
        os.close(handle)
