"""Whether the disk has what the database knows (repositories, wikis and files), and what each project uses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Final, LiteralString, NamedTuple

from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.git.usage import RepositoryUsage, measure_files
from mujina.adapters.storage import files_folder, files_marker, list_bucket
from mujina.adapters.storage_marker import MARKER, FolderMarker, Marker, has_marker
from mujina.code.pushes.repo_paths import HAS_REPOSITORY, HAS_WIKI
from mujina.instance.identity.operations import read_fact, store_fact_once
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring.metrics import Gauge
from mujina.kernel.monitoring.readiness import TIMEOUT_SECONDS
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import StorageNotMounted, find_storage_problem
from mujina.planning.storage.files import file_folders, file_kinds, list_files, list_monitored
from mujina.settings import Settings

BATCH: Final = 1_000
RECENT: Final = 500
"""The number of latest projects, attachments, LFS objects and files of jobs that monitoring looks for."""
MANY: Final = 3
IsKnown = Callable[[Services], Awaitable[bool]]
"""Whether the database knows something that is stored there."""
_EMPTY: Final = (
    "The {place} is empty, but the database knows what was in it: mount or restore it; all nodes of an instance share it. "
    "If that is lost for good, go on without it by creating the file {marker} there."
)
_OTHER: Final = (
    "The {place} has the id {found}, but the database belongs to that with the id {known}: mount the one that all nodes "
    "of this instance share. If this one takes its place, empty the file {marker} there."
)


class KnownRepositories(Row, alias="p"):
    """Which repositories a project has, by the database."""

    id: int
    path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    repository: Annotated[bool, HAS_REPOSITORY]
    wiki: Annotated[bool, HAS_WIKI]

    def missing(self, data: Path) -> list[str]:
        """The paths of those that the disk lacks."""
        storage = RepositoryStorage.of(data, self.storage)
        kinds = ((self.repository, False, ""), (self.wiki, True, ".wiki"))
        return [
            f"{self.path}{suffix}"
            for known, wiki, suffix in kinds
            if known and not (storage.repo_path(self.id, wiki=wiki) / "HEAD").exists()
        ]


_LATEST: LiteralString = f"""SELECT {KnownRepositories.columns} FROM projects p JOIN routes r ON r.project_id = p.id
    WHERE p.deleted_at IS NULL ORDER BY p.last_activity_at DESC, p.id DESC LIMIT :limit"""
_ALL: LiteralString = f"""SELECT {KnownRepositories.columns} FROM projects p JOIN routes r ON r.project_id = p.id
    WHERE p.deleted_at IS NULL AND p.id > :after ORDER BY p.id LIMIT :limit"""


async def prepare_storage(services: Services) -> None:
    """Mark the places of repositories and files at the first start; `StorageNotMounted` if they are not those of the database."""
    for name, (marker, is_known) in _places(services.settings).items():
        await _claim(services, name, marker, is_known)


async def _claim(services: Services, name: str, marker: Marker, is_known: IsKnown) -> None:
    """The place has the id that the database knows: nodes that share the database share it too."""
    known = None if services.secondary else await _read_id(services.database, name)
    found = await marker.read()
    if found is None:
        if await marker.is_empty() and (known or await is_known(services)):
            raise StorageNotMounted(_EMPTY.format(place=marker.place, marker=MARKER))
        await marker.create("" if services.secondary else known or token_hex(16))
        found = await marker.read()
    if services.secondary is not None:  # its copies are its own, and its database is that of the primary
        return
    if known is None:
        async with services.database.transaction() as tx:
            known = await store_fact_once(tx, name, found or token_hex(16))
    if not found:
        await marker.replace(known)
    _compare(marker, found, known)


async def check_places(database: Database, settings: Settings) -> None:
    """`StorageNotMounted` if a place of repositories or files is not the one that the database knows, or does not answer."""
    for name, (marker, _) in _places(settings).items():
        _compare(marker, await marker.read(), await _read_id(database, name))


def _compare(marker: Marker, found: str | None, known: str | None) -> None:
    if known and found and found != known:
        raise StorageNotMounted(_OTHER.format(place=marker.place, marker=MARKER, found=found, known=known))


def _places(settings: Settings) -> dict[str, tuple[Marker, IsKnown]]:
    """By the name of the fact that is the id of each."""
    return {
        "repositories_id": (FolderMarker(RepositoryStorage.of(settings.data).root), _knows_repositories),
        "files_id": (files_marker(settings), _knows_files),
    }


async def _read_id(database: Database, name: str) -> str | None:
    async with database.reading() as tx:
        return await read_fact(tx, name)


async def find_file_problem(services: Services) -> str | None:
    """Why a file could not be written, or what is missing, in a few words; None if all is well."""
    settings = services.settings
    data = settings.data.absolute()
    # Each may be a disk of its own; those that nothing was stored in yet do not exist.
    folders = {data, settings.sqlite_file.parent if settings.sqlite_file else data}
    files = files_folder(settings)
    folders |= {folder for folder in (*(data / "repositories").glob("*"), files) if folder and folder.is_dir()}
    await reach_files(settings)
    return await asyncio.to_thread(find_storage_problem, folders) or await find_missing_problem(services)


async def reach_files(settings: Settings) -> None:
    """Raise an error while the bucket of files is away."""
    if files_folder(settings) is None:
        await files_marker(settings).read()


async def find_missing_problem(services: Services) -> str | None:
    """Reports briefly that a disk is not mounted, or that many of the latest files are missing; None if all is well."""
    settings = services.settings
    if not has_marker(RepositoryStorage.of(settings.data).root):
        return "repositories are not mounted"
    if (files := files_folder(settings)) is not None and not has_marker(files):
        return "files are not mounted"
    if services.secondary is not None:  # what a secondary lacks, it has yet to copy
        return None
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS / 2):
            latest = await _read_latest(services)
    except (TemporaryFailure, TimeoutError):
        return None  # the database does not say what there is; its own check names it
    for kind, (missing, known) in (await _count_missing(settings, latest)).items():
        if missing >= MANY and missing * 10 > known:
            return f"{kind} are missing"
    return None


async def read_missing(services: Services) -> list[Gauge]:
    """How much is missing, for monitoring."""
    if services.secondary is not None:
        return []
    counts = await _count_missing(services.settings, await _read_latest(services))
    values: dict[tuple[str, ...], float] = {(kind,): missing for kind, (missing, _) in counts.items()}
    text = f"What the database knows and the disk lacks, of the latest {RECENT} of each kind."
    return [Gauge("mujina_storage_missing", text, values, ("kind",))]


async def _read_latest(services: Services) -> tuple[list[KnownRepositories], list[str]]:
    """The latest repositories that the database knows, and the keys of the latest files."""
    async with services.database.reading() as tx:
        return await tx.rows(KnownRepositories, _LATEST, limit=RECENT), await list_monitored(tx, RECENT)


async def _count_missing(
    settings: Settings, latest: tuple[list[KnownRepositories], list[str]]
) -> dict[str, tuple[int, int]]:
    """How many of these repositories and files are missing, and how many there are."""
    known, keys = latest
    repositories = sum(each.repository + each.wiki for each in known)
    missing = await asyncio.to_thread(lambda: sum(len(each.missing(settings.data)) for each in known))
    return {
        "repositories": (missing, repositories),
        "files": (len(await asyncio.to_thread(_missing_files, settings, keys)), len(keys)),
    }


async def list_missing(database: Database, settings: Settings) -> AsyncIterator[str]:
    """The paths of the repositories and the keys of the files that the disk lacks, all of them."""
    after = 0
    async with database.reading() as tx:
        while batch := await tx.rows(KnownRepositories, _ALL, after=after, limit=BATCH):
            for each in batch:
                for path in each.missing(settings.data):
                    yield path
            after = batch[-1].id
        for kind, folder in file_folders(tx.product).items():
            bucket = None if files_folder(settings) else await asyncio.to_thread(list_bucket, settings, folder)
            after = 0
            while files := await list_files(tx, kind, after, BATCH):
                for key in _missing_files(settings, [key for _, key in files], bucket):
                    yield key
                after = files[-1][0]


def _missing_files(settings: Settings, keys: Sequence[str], bucket: Collection[str] | None = None) -> list[str]:
    """Those that the folder lacks, or the bucket, of which only `mujina doctor` lists what is in it."""
    folder = files_folder(settings)
    if folder is None:
        return [] if bucket is None else [key for key in keys if key not in bucket]
    return [key for key in keys if not (folder / key).exists()]


async def _knows_repositories(services: Services) -> bool:
    if services.secondary is not None:
        return await services.secondary.has_copied("repositories")
    async with services.database.reading() as tx:
        known = await tx.value(
            f"SELECT 1 FROM projects p WHERE p.deleted_at IS NULL AND ({HAS_REPOSITORY} OR {HAS_WIKI}) LIMIT 1"
        )
    return known is not None


async def _knows_files(services: Services) -> bool:
    if services.secondary is not None:
        return await services.secondary.has_copied("files")
    async with services.database.reading() as tx:
        return any([await list_files(tx, kind, 0, 1) for kind in file_kinds(tx.product)])


class KnownUsage(Row, alias="p"):
    """What the database knows: bytes of large files, of artifacts and of uploads."""

    id: int
    path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    lfs: Annotated[int, "coalesce(s.lfs_objects_size, 0)"]
    artifacts: Annotated[int, "coalesce(s.job_artifacts_size, 0)"]
    uploads: Annotated[
        int, "coalesce((SELECT CAST(sum(f.size) AS bigint) FROM uploads f WHERE f.project_id = p.id), 0)"
    ]

    def repo_paths(self, data: Path) -> list[Path]:
        """The folders of the repository and of the wiki, whether they exist or not."""
        storage = RepositoryStorage.of(data, self.storage)
        return [storage.repo_path(self.id, wiki=wiki) for wiki in (False, True)]


_USED: LiteralString = f"""SELECT {KnownUsage.columns} FROM projects p JOIN routes r ON r.project_id = p.id
    LEFT JOIN project_statistics s ON s.project_id = p.id ORDER BY p.id"""


class ProjectUsage(NamedTuple):
    """A project with its repository and wiki as the disk has them."""

    project: KnownUsage
    repository: RepositoryUsage

    @property
    def total(self) -> int:
        return self.repository.bytes + self.project.lfs + self.project.artifacts + self.project.uploads


async def project_usages(database: Database, data: Path) -> list[ProjectUsage]:
    """What each project uses, the largest first."""
    async with database.reading() as tx:
        known = await tx.rows(KnownUsage, _USED)
    usages = [ProjectUsage(project, _measure(project.repo_paths(data))) for project in known]
    return sorted(usages, key=lambda usage: usage.total, reverse=True)


def _measure(repo_paths: list[Path]) -> RepositoryUsage:
    repository, wiki = map(measure_files, repo_paths)
    return repository + wiki
