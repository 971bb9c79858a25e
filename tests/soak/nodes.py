"""Three servers and two workers on one database, behind PgBouncer, with a shared folder and a bucket: any one is killed."""

import subprocess
import tempfile
import time
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from tests.harness.pgbouncer import PgBouncer
from tests.harness.running import TOKEN
from tests.soak.cluster import NODES, WORKERS, Cluster, prepare_role
from tests.soak.figures import Figure, progress
from tests.soak.writes import Writes, ask, post

ENGINE = "postgres"
KILL_EVERY_SECONDS = 5
MAX_PAUSE_SECONDS = 10
STEPS = 9


def kill_nodes(place: Path, url: str, *, seconds: int) -> list[Figure]:
    """Writes go on while each part is killed in turn; then everything that was answered is there."""
    bouncer = PgBouncer(url, sessions=20)
    prepare_role(url)
    bouncer.start()
    cluster = Cluster(place, url, bouncer.url(str(conninfo_to_dict(url)["dbname"])))
    try:
        cluster.start()
        steps = _walk(cluster)
        progress(ENGINE, f"{NODES} servers and {WORKERS} workers, {steps} steps of a first day work")
        writes = Writes(cluster.url)
        kills = _kill(cluster, bouncer, seconds)
        writes.stop()
        progress(ENGINE, f"{len(writes.kept)} writes answered, {writes.failed} failed, {kills} kills")
        lost, pause = writes.lost(), writes.longest_pause()
        mended = _walk(cluster)
    finally:
        cluster.close()
        bouncer.close()
    return [
        Figure(
            ENGINE, f"lost of {len(writes.kept)} writes answered by {NODES} nodes behind nginx, {kills} times one part killed",
            str(len(lost)), "0", not lost,
        ),
        Figure(ENGINE, "longest time without a write meanwhile", f"{pause:.1f} s", f"{MAX_PAUSE_SECONDS} s",
               pause <= MAX_PAUSE_SECONDS),
        Figure(ENGINE, "steps of a first day that work before and afterward", f"{steps}, {mended}", f"{STEPS}, {STEPS}",
               steps == mended == STEPS),
    ]  # fmt: skip


def _kill(cluster: Cluster, bouncer: PgBouncer, seconds: int) -> int:
    kills, ends = 0, time.monotonic() + seconds
    while time.monotonic() < ends:
        time.sleep(KILL_EVERY_SECONDS)
        turn = kills % (NODES + WORKERS + 1)
        if turn < NODES:
            cluster.restart_node(turn)
        elif turn < NODES + WORKERS:
            cluster.restart_worker(turn - NODES)
        else:
            bouncer.kill()
            bouncer.start()
        kills += 1
    return kills


def _walk(cluster: Cluster) -> int:
    """What a team does on its first day, through the proxy: each step on whichever node it comes to. The steps that worked."""
    url, name = cluster.url, f"team{time.time_ns()}"
    group = post(url, "/groups", name=name, path=name, visibility="public")
    project = post(
        url, "/projects", name="app", namespace_id=group.json["id"], initialize_with_readme=True, visibility="public"
    )
    place = f"/projects/{project.json['id']}"
    issue = post(url, f"{place}/issues", title="First")
    note = post(url, f"{place}/issues/{issue.json['iid']}/notes", body="A comment")
    pushed = _push(url, f"{name}/app")
    asked = post(url, f"{place}/merge_requests", title="Pushed", source_branch="pushed", target_branch="master")
    merged = _merge(url, f"{place}/merge_requests/{asked.json['iid']}")
    page = ask(url, "GET", f"/{name}/app/tree/master")
    read = ask(url, "GET", f"/api/v4{place}/repository/files/pushed/raw?ref=master")
    return sum([
        *(each.status == 201 for each in (group, project, issue, note, asked)), pushed, merged, page.status == 200,
        read.body == b"pushed",
    ])  # fmt: skip


def _push(url: str, path: str) -> bool:
    address = url.replace("http://", f"http://root:{TOKEN}@")
    with tempfile.TemporaryDirectory() as folder:
        steps = (
            ["clone", "-q", f"{address}/{path}.git", "."], ["checkout", "-q", "-b", "pushed"], ["add", "pushed"],
            ["-c", "user.name=R", "-c", "user.email=admin@example.com", "commit", "-q", "-m", "Push"],
            ["push", "-q", "origin", "pushed"],
        )  # fmt: skip
        for step in steps:
            if step[0] == "add":
                Path(folder, "pushed").write_text("pushed")
            if subprocess.run(["git", "-C", folder, *step], check=False).returncode:
                return False
    return True


def _merge(url: str, place: str) -> bool:
    """The differences are computed by a job, on any node."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        if ask(url, "PUT", f"/api/v4{place}/merge", b"{}").status == 200:
            return True
        time.sleep(0.2)
    return False
