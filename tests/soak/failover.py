"""The machine of PostgreSQL's primary dies under writes, and Patroni promotes the standby."""

import time
from pathlib import Path

from tests.soak.cluster import Cluster
from tests.soak.figures import Figure, progress
from tests.soak.patroni import PatroniCluster
from tests.soak.writes import Writes

ENGINE = "postgres"
MORE_SECONDS = 5
"""What our nodes may take longer than the failover itself."""
QUIET_SECONDS = 5


def fail_over(place: Path, *, times: int) -> list[Figure]:
    """Writes go on while the primary dies, several times; no node is restarted."""
    patroni = PatroniCluster(place / "patroni")
    cluster = None
    try:
        patroni.start()
        cluster = Cluster(place, patroni.url, None)
        cluster.start()
        writes = Writes(cluster.url)
        longest = 0.0
        for number in range(times):
            time.sleep(QUIET_SECONDS)
            patroni.wait_for_standby()
            primary = patroni.primary()
            patroni.kill_member(primary)
            seconds = patroni.seconds_until_writable()
            longest = max(longest, seconds)
            progress(
                ENGINE, f"failover {number + 1} took {seconds:.1f} s, {len(writes.kept)} writes, {writes.failed} failed"
            )
            patroni.start_member(primary)
        time.sleep(QUIET_SECONDS)
        writes.stop()
        lost, pause = writes.lost(), writes.longest_pause()
        ended = [node for node in cluster.nodes if node.process.poll() is not None]
    finally:
        if cluster is not None:
            cluster.close()
        patroni.close()
    allowed = longest + MORE_SECONDS
    return [
        Figure(ENGINE, f"lost of {len(writes.kept)} writes answered during {times} failovers of Patroni",
               str(len(lost)), "0", not lost),
        Figure(
            ENGINE, f"longest time without a write; a failover itself took up to {longest:.1f} s", f"{pause:.1f} s",
            f"{allowed:.1f} s", pause <= allowed,
        ),
        Figure(ENGINE, "nodes that needed a restart", str(len(ended)), "0", not ended),
    ]  # fmt: skip
