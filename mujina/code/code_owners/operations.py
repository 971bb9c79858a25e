"""The owners of the files of a repository, as the file `CODEOWNERS` of a commit names them."""

import asyncio
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading.commits import content_of, file_at
from mujina.code.code_owners.parsing import Owned, OwnerSection, find_owned, parse
from mujina.kernel.text.encodings import decode_text

PLACES: Final = ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""The first file that exists counts."""
MAX_BYTES: Final = 500_000
"""A larger file names no owner."""


@lru_cache(256)
def _read(repo_path: Path, blob_id: str) -> tuple[OwnerSection, ...]:
    """A blob never changes: it is read and parsed once."""
    blob = content_of(opened(repo_path), blob_id)
    return tuple(parse(decode_text(blob.data))) if blob is not None and blob.data is not None else ()


def owned(repo_path: Path, commit_id: str, paths: Iterable[str] | None) -> list[Owned]:
    """The patterns of the file in this commit that own at least one of the paths; None: all patterns."""
    repository = opened(repo_path)
    file = next((file for place in PLACES if (file := file_at(repository, commit_id, place)) is not None), None)
    if file is None or file.size > MAX_BYTES:
        return []
    return find_owned(_read(repo_path, file.id), paths)


async def owners_of(repo_path: Path, commit_id: str, path: str) -> list[str]:
    """The owners of one file, as the file of this commit names them."""
    found = await asyncio.to_thread(owned, repo_path, commit_id, [path])
    return list(dict.fromkeys(owner for rule in found for owner in rule.owners))
