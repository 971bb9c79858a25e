"""`mujina storage`."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from mujina.adapters.git.usage import measure_files
from mujina.adapters.mail import FOLDER as MAILS
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.planning.storage.operations import ProjectUsage, project_usages
from mujina.settings import Settings

HEADINGS = ("project", "repository", "packs", "loose", "lfs", "artifacts", "uploads", "total")


async def storage(
    *,
    limit: Annotated[int, Parameter(help="How many of the largest projects are shown.", validator=Number(gte=1))] = 20,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Show what uses the disk: the largest projects, the folders, and what can be removed."""
    settings = instance.settings()
    async with instance.database() as database:
        usages = await project_usages(database, settings.data)
    print_table(HEADINGS, [_row(usage) for usage in usages[:limit]])
    if len(usages) > limit:
        print(f"… and {len(usages) - limit} smaller ones: see --limit.")
    print()
    print_table(("in the data folder", "size"), [(name, _size(size)) for name, size in _folders(settings)])
    print(f"{_size(shutil.disk_usage(settings.data).free)} are free below {settings.data}.\n")
    reclaimable = list(_reclaimable(settings, usages))
    print("Can be removed:" if reclaimable else "Nothing can be removed.")
    for line in reclaimable:
        print(f"  {line}")


def _row(usage: ProjectUsage) -> tuple[object, ...]:
    project, repository = usage
    sizes = (project.lfs, project.artifacts, project.uploads, usage.total)
    return project.path, _size(repository.bytes), repository.packs, repository.loose, *map(_size, sizes)


def _folders(settings: Settings) -> list[tuple[str, int]]:
    """What is directly in the data folder, largest first, and a database file elsewhere."""
    places = list(settings.data.iterdir())
    if settings.sqlite_file is not None and settings.sqlite_file not in places:
        places.append(settings.sqlite_file)
    sizes = [(place.name + "/" * place.is_dir(), _bytes(place)) for place in places]
    return sorted(sizes, key=lambda each: each[1], reverse=True)


def _reclaimable(settings: Settings, usages: list[ProjectUsage]) -> Iterator[str]:
    """Only named, never deleted: the operator of the instance knows whether it is still needed."""
    if (file := settings.sqlite_file) is not None:
        for copy in file.parent.glob(f"{file.name}.before-*"):
            yield f"{copy} ({_size(_bytes(copy))}): the database before the last upgrade, once that has proved itself"
    for project, repository in usages:
        if repository.needs_packing:
            yield (
                f"{project.path}: {repository.loose} loose objects ({_size(repository.loose_bytes)}) and {repository.packs} "
                f"packs, which `POST /projects/{project.id}/housekeeping` packs"
            )
    known = {path for usage in usages for path in usage.project.repo_paths(settings.data)}
    for folder in sorted((settings.data.absolute() / "repositories").glob("*/@hashed/*/*/*")):
        if folder not in known:
            yield f"{folder} ({_size(_bytes(folder))}): no project of the database has this repository"
    if size := _bytes(settings.data / MAILS):
        yield f"{settings.data / MAILS} ({_size(size)}): mails that were stored because smtp_url was not set"


def _bytes(place: Path) -> int:
    """The size of a file, or of all files below a folder; 0 if there is nothing."""
    return measure_files(place).bytes if place.is_dir() else place.stat().st_size if place.exists() else 0


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"
