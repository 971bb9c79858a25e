"""Rows of repositories: what goes over the wire, what is read of one, and what a crowd of clones takes."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpcore2

from bench import crowd, reads, repository, transfers
from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import Ground
from mujina.adapters.git_storage import RepositoryStorage


def measured(ground: Ground) -> Iterator[str]:
    source = ground.folder / "source.git"
    if not source.exists():
        ground.say("making a repository")
        repository.make(source)
    with _served(ground, source) as (server, place):
        yield from transfers.measured(ground, server, source, place)
        yield from crowd.measured(ground, server)
    with mujina(_data(ground), ground.url, workers=reads.WORKERS) as server:
        yield from reads.measured(ground, server)


@contextmanager
def _served(ground: Ground, source: Path) -> Generator[tuple[Server, Path]]:
    """The repository in the hot project, pushed and put in order; and where it is."""
    place = RepositoryStorage.of(_data(ground)).place(HOT)
    with mujina(_data(ground), ground.url) as server:
        repository.run(source, "push", "--quiet", transfers.address(server), "master")
        asked = httpcore2.request(
            "POST", server.url(f"/api/v4/projects/{HOT}/housekeeping"), headers={"Private-Token": TOKEN}
        )
        assert asked.status == 201, asked.content
        while not list(place.glob("objects/pack/*.bitmap")):
            time.sleep(0.1)
        server.rest()
        yield server, place


def _data(ground: Ground) -> Path:
    return ground.folder / f"{ground.engine}-git"
