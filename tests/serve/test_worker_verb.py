"""`mujina worker`: jobs are run wherever the database is reached."""

from pathlib import Path

from mujina.kernel.jobs.queue import enqueue
from tests.harness import fork_server
from tests.harness.databases import in_transaction
from tests.serve.wire import eventually


def test_a_worker_runs_enqueued_jobs_until_it_is_stopped(tmp_path: Path, migrated_url: str):
    in_transaction(migrated_url, lambda tx: enqueue(tx, "projects.remove", 1))
    flags = ("--data", str(tmp_path / "data"), "--database-url", migrated_url)
    worker = fork_server.start("mujina", "worker", *flags)
    try:
        eventually(lambda: in_transaction(migrated_url, lambda tx: tx.value("SELECT count(*) FROM jobs")) == 0)
        worker.terminate()
        assert worker.wait(180) == 0
    finally:
        worker.kill()
