"""The files of an archive that become a site, all checked before one of them is served."""

from itertools import pairwise
from typing import Final

from mujina.ci.artifacts.archives import MAX_INFLATED, ArchiveEntry, BadArchive, OpenBytes, is_safe, list_entries

ROOT: Final = "public/"
MAX_UNPACKED: Final = 4 * 1024**3
"""Bytes of all files of a site."""
MAX_RATIO: Final = 200
"""How many times as long as the archive its files may be, beyond what every site may have."""
ALWAYS_ALLOWED: Final = 100 * 1024**2


class RefusedSite(Exception):
    """The archive is not published; the message is a sentence for the people of the project."""


async def read_site(archive: OpenBytes, total: int) -> dict[str, ArchiveEntry]:
    """The files below `public/` by their paths in it; `RefusedSite` if anything about the archive is not as it should be."""
    entries: list[ArchiveEntry] = []
    files: dict[str, ArchiveEntry] = {}
    try:
        async for entry in list_entries(archive, total):
            if not is_safe(entry.name.removesuffix("/")):
                raise RefusedSite(f"The archive has a path that leads out of it: {entry.name[:200]}")
            entries.append(entry)
            if entry.name.startswith(ROOT) and not entry.name.endswith("/"):
                _add(files, entry)
    except BadArchive as error:
        raise RefusedSite(f"The archive is damaged: {error}.") from None
    if not files:
        raise RefusedSite("The archive has no folder public/ with files in it.")
    _check_sizes(entries, sum(file.size for file in files.values()), total)
    return files


def _add(files: dict[str, ArchiveEntry], entry: ArchiveEntry) -> None:
    path = entry.name.removeprefix(ROOT)
    if path in files:
        raise RefusedSite(f"The archive has two files of one name: {entry.name[:200]}")
    if not entry.readable:
        raise RefusedSite(f"{entry.name[:200]} is a link, is encrypted, or is packed in an unknown way.")
    files[path] = entry


def _check_sizes(entries: list[ArchiveEntry], unpacked: int, total: int) -> None:
    """Refuse an archive that would become many times as long: its files, or several files that share the same bytes."""
    if unpacked > max(ALWAYS_ALLOWED, MAX_RATIO * total) or unpacked > MAX_UNPACKED:
        raise RefusedSite(f"The files of the site have {unpacked} bytes, too many for an archive of {total}.")
    if any(entry.size > MAX_INFLATED for entry in entries):
        raise RefusedSite(f"A file of the site has more than {MAX_INFLATED} bytes.")
    ordered = sorted(entries, key=lambda entry: entry.offset)
    if any(first.offset + first.packed > second.offset for first, second in pairwise(ordered)):
        raise RefusedSite("Files of the archive overlap.")
