"""`mujina storage`: what uses the disk, and what can be removed."""

from mujina.adapters.git import usage
from tests.cli.command import mujina
from tests.migrations.releases.frozen import unpack


def test_it_shows_projects_by_size_and_names_what_can_go(engine, database_url, tmp_path, monkeypatch):
    data = tmp_path / "data"
    url = database_url if engine == "postgres" else f"sqlite:///{data}/mujina.db"
    unpack("0.1.0", engine, tmp_path, url)
    where = ("--data", str(data), "--database-url", url)
    assert mujina("storage", *where).error.startswith("The database has the schema of an older version")
    assert mujina("migrate", *where).code == 0
    shown = mujina("storage", *where).out.splitlines()
    assert shown[0].split() == ["project", "repository", "packs", "loose", "lfs", "artifacts", "uploads", "total"]
    assert [line.split()[0] for line in shown[1:3]] == ["club/rooms", "bob/rooms"]
    assert mujina("storage", "--limit", "1", *where).out.splitlines()[2] == "… and 1 smaller ones: see --limit."
    kept = [line for line in shown if "the database before the last upgrade" in line]
    assert len(kept) == (engine == "sqlite")
    lost = data / "repositories/default/@hashed/ab/cd/abcd.git"
    lost.mkdir(parents=True)
    (lost / "HEAD").write_bytes(b"x" * 2_500_000)
    monkeypatch.setattr(usage, "MAX_LOOSE", 2)
    out = mujina("storage", *where).out
    assert f"  {lost} (2.5 MB): no project of the database has this repository\n" in out
    assert "and 0 packs" not in out
    assert "  club/rooms: " in out
    assert "which `POST /projects/1/housekeeping` packs\n" in out
