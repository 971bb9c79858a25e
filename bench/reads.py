"""Reads of a repository through the API."""

from collections.abc import Iterator

from bench.seed import HOT
from bench.servers import Server
from bench.table import BenchRun
from bench.wrk import measure

WORKERS = 2
MIN_RATE = 500
READS = {
    "tree": "tree",
    "file": "files/folder7%2Ffile7.txt?ref=master",
    "list 20 commits": "commits",
}


def measured(bench: BenchRun, server: Server) -> Iterator[str]:
    for name, path in READS.items():
        bench.print_step(name)
        where = f"/api/v4/projects/{HOT}/repository/{path}"
        measure(server, where, 16, 1)
        result = measure(server, where, 16, bench.seconds)
        within = result.rate >= MIN_RATE and result.bad == 0
        yield bench.requests(f"{name}, {WORKERS} workers", result, f"≥ {MIN_RATE} req/s on 2 cores", within=within)
