"""Rows of what is read of a repository through the API."""

from collections.abc import Iterator

from bench.seed import HOT
from bench.servers import Server
from bench.table import Ground
from bench.wrk import measure

WORKERS = 2
LEAST = 500
READS = {
    "tree": "tree",
    "file": "files/folder7%2Ffile7.txt?ref=master",
    "list 20 commits": "commits",
}


def measured(ground: Ground, server: Server) -> Iterator[str]:
    for name, path in READS.items():
        ground.say(name)
        where = f"/api/v4/projects/{HOT}/repository/{path}"
        measure(server, where, 16, 1)
        told = measure(server, where, 16, ground.seconds)
        within = told.rate >= LEAST and told.bad == 0
        yield ground.requests(f"{name}, {WORKERS} workers", told, f"≥ {LEAST} req/s on 2 cores", within=within)
