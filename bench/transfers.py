"""A clone and a push over HTTP, compared with git's own http-backend on the same repository."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from bench import repository
from bench.http_backend import http_backend
from bench.seed import TOKEN
from bench.servers import Server
from bench.table import BenchRun

ROUNDS = 9
COMMITS = 100
MAX_RATIO = 1.2


def address(server: Server) -> str:
    """The repository of the hot project."""
    return f"http://root:{TOKEN}@127.0.0.1:{server.port}/root/project1.git"


def measured(bench: BenchRun, server: Server, source: Path, place: Path) -> Iterator[str]:
    """Alternate between the two; the first round is a warm-up."""
    folder = bench.folder / f"{bench.engine}-transfers"
    theirs = folder / "repositories" / "copy.git"
    shutil.copytree(place, theirs)
    repository.run(theirs, "config", "http.receivePack", "true")
    for n in range(ROUNDS):
        repository.grow(source, f"more-{n}", COMMITS)
    with http_backend(folder / "nginx", theirs.parent) as backend:
        urls = address(server), backend.url("/copy.git")

        def clone(url: str, _: int) -> None:
            repository.run(folder, "clone", "--quiet", "--bare", url, "clone.git")

        def push(url: str, n: int) -> None:
            repository.run(source, "push", "--quiet", url, f"more-{n}")

        bench.print_step("clones")
        ours, others = _in_turn(server, clone, urls, lambda: shutil.rmtree(folder / "clone.git"))
        yield _row(bench, f"clone, {repository.COMMITS:,} commits, 20 MB", ours, others)
        bench.print_step("pushes")
        ours, others = _in_turn(server, push, urls, lambda: None)
        yield _row(bench, f"push of {COMMITS} commits", ours, others)


def _in_turn(
    server: Server, do: Callable[[str, int], None], urls: tuple[str, str], clear: Callable[[], None]
) -> tuple[float, float]:
    """The median time of each."""
    took: dict[str, list[float]] = {url: [] for url in urls}
    for n in range(ROUNDS):
        for url in urls:
            began = time.perf_counter()
            do(url, n)
            took[url].append(time.perf_counter() - began)
            clear()
            server.wait_until_idle()  # its background work must not count for the next round
    ours, theirs = (median(times[1:]) for times in took.values())
    return ours, theirs


def _row(bench: BenchRun, what: str, ours: float, theirs: float) -> str:
    ratio = ours / theirs
    figure = f"{ratio:.2f} × ({ours * 1000:.0f} ms against {theirs * 1000:.0f})"
    return bench.stated(what, f"≤ {MAX_RATIO} × git http-backend behind nginx", figure, within=ratio <= MAX_RATIO)
