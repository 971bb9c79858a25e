"""Repository rows: transfers, reads through the API, and many concurrent clones."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpcore2

from bench import crowd, reads, repository, transfers
from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun
from mujina.adapters.git.storage import RepositoryStorage


def measured(bench: BenchRun) -> Iterator[str]:
    source = bench.folder / "source.git"
    if not source.exists():
        bench.print_step("making a repository")
        repository.make(source)
    with _served(bench, source) as (server, repo_path):
        yield from transfers.measured(bench, server, source, repo_path)
        yield from crowd.measured(bench, server)
    with mujina(bench.data, bench.url, workers=reads.WORKERS) as server:
        yield from reads.measured(bench, server)


@contextmanager
def _served(bench: BenchRun, source: Path) -> Generator[tuple[Server, Path]]:
    """Serve the repository in the hot project, pushed and repacked; yield the server and the repository's folder."""
    repo_path = RepositoryStorage.of(bench.data).repo_path(HOT)
    with mujina(bench.data, bench.url) as server:
        repository.run(source, "push", "--quiet", transfers.address(server), "master")
        response = httpcore2.request(
            "POST", server.url(f"/api/v4/projects/{HOT}/housekeeping"), headers={"Private-Token": TOKEN}
        )
        assert response.status == 201, response.content
        while not list(repo_path.glob("objects/pack/*.bitmap")):
            time.sleep(0.1)
        server.wait_until_idle()
        yield server, repo_path


def _data(bench: BenchRun) -> Path:
    return bench.folder / f"{bench.engine}-git"
