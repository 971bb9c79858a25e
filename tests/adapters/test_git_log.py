"""Histories that git walks: results that never change are read once."""

import asyncio
import shutil

import pygit2
import pytest

from mujina.adapters.git.reading import log
from mujina.adapters.git.reading.log import History


def grown(repository, parents):
    """A commit without files on these parents."""
    who, tree = pygit2.Signature("A", "a@example.org"), repository.TreeBuilder().write()
    return repository.create_commit(None, who, who, f"after {len(parents)}", tree, parents)


def test_commits_between_two_are_counted_once_and_a_missing_one_is_asked_for_again(tmp_path):
    repository = pygit2.init_repository(str(tmp_path / "a.git"), bare=True)
    first = grown(repository, [])
    other = pygit2.init_repository(str(tmp_path / "b.git"), bare=True)
    second = grown(other, [grown(other, [])])
    wanted = History(tmp_path / "a.git", str(second), base=str(first))

    async def counted() -> list[int]:
        with pytest.raises(LookupError):
            await log.count_since(wanted)
        shutil.copytree(tmp_path / "b.git" / "objects", tmp_path / "a.git" / "objects", dirs_exist_ok=True)
        once = await log.count_since(wanted)
        shutil.rmtree(tmp_path / "a.git")
        return [once, await log.count_since(wanted)]

    assert asyncio.run(counted()) == [1, 1]
