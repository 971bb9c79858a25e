"""Make the frozen data folders of a release: `python -m tests.migrations.releases.make 0.1.0 FOLDER` with its source in FOLDER.

The release runs as it is; this tree only fills it. Both archives are kept for ever: `sqlite.tar.xz` is a data folder with its
database, `postgres.tar.xz` a data folder and the rows of each table as PostgreSQL's `COPY` writes them, which any client loads
into the tables of the revisions that the release had.
"""

import io
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from tests.harness.postgres_server import OwnServer
from tests.harness.running import READY
from tests.migrations.releases import fill

HERE = Path(__file__).parent
LEFT_OUT = {"server.json", "metrics"}
"""What says something about a running server only."""


def make(release: str, source: Path) -> None:
    """Write both archives of the release."""
    (HERE / release).mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        sqlite = Path(name, "sqlite")
        _instance(source, sqlite, f"sqlite:///{sqlite}/data/mujina.db")
        _pack(HERE / release / "sqlite.tar.xz", sqlite)
        server, postgres = OwnServer(), Path(name, "postgres")
        try:
            _instance(source, postgres, server.url)
            _write_rows(server.url, postgres / "rows")
        finally:
            server.stop()
        _pack(HERE / release / "postgres.tar.xz", postgres)


def _instance(source: Path, folder: Path, database_url: str) -> None:
    """An instance with something of everything, which has ended, in `folder/data`."""
    folder.mkdir()
    with _serving(source, folder, database_url) as url:
        known = fill.fill(url, folder / "clones")
    _run(source, folder, database_url, "job", "drain")
    with _serving(source, folder, database_url) as url:
        fill.write(folder, known, fill.record(url))


@contextmanager
def _serving(source: Path, folder: Path, database_url: str) -> Generator[str]:
    log = folder.with_suffix(".log")
    with log.open("w") as out:
        server = subprocess.Popen(
            _command(folder, database_url, "serve", "--port", "0", "--ssh-port", "0"), cwd=source, stdout=out, stderr=out,
            env=_environment(source),
        )  # fmt: skip
    while not (ready := READY.search(log.read_text())):
        assert server.poll() is None, log.read_text()
        time.sleep(0.05)
    try:
        yield ready[1]
    except BaseException:
        sys.stderr.write(log.read_text()[-3000:])
        raise
    finally:
        server.terminate()
        server.wait()


def _run(source: Path, folder: Path, database_url: str, *words: str) -> None:
    subprocess.run(_command(folder, database_url, *words), cwd=source, env=_environment(source), check=True)


def _command(folder: Path, database_url: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "mujina", *words, "--data", str(folder / "data"), "--database-url", database_url]


def _environment(source: Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(source), "MUJINA_ROOT_TOKEN": fill.ROOT_TOKEN, "MUJINA_ROOT_PASSWORD": fill.PASSWORD}
    return {**os.environ, **own, "MUJINA_PASSWORD_KILOBYTES": "64"}


def _write_rows(url: str, folder: Path) -> None:
    """One file for each table, and the statements that set the counters of ids."""
    folder.mkdir()
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (table,) in tables:
            columns = connection.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER' ORDER BY 1",
                (table,),
            ).fetchall()
            names = ", ".join(f'"{column}"' for (column,) in columns)
            with connection.cursor().copy(f'COPY "{table}" ({names}) TO STDOUT') as copy:
                rows = b"".join(bytes(part) for part in copy)
            if rows:
                (folder / f"{table}.copy").write_bytes(names.encode() + b"\n" + rows)
        counters = connection.execute(
            "SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL"
        ).fetchall()
        lines = (f"SELECT setval('\"{name}\"', {value})" for name, value in sorted(counters))
        (folder / "counters.sql").write_text(";\n".join(lines))


def _pack(archive: Path, folder: Path) -> None:
    """The folder without clones, in an order and with times that depend on nothing else."""
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if inside.parts[0] == "clones" or path.name in LEFT_OUT or path.name.startswith(".nfs"):
                continue
            entry = tar.gettarinfo(path, str(inside))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = 1767225600
            tar.addfile(entry, io.BytesIO(path.read_bytes()) if path.is_file() else None)


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]).absolute())
