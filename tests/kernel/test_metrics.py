"""Counts of several processes are kept in a folder of their own, and begin anew with each start."""

from pathlib import Path

import pytest

from mujina.kernel.monitoring import metrics


def test_former_counts_are_forgotten_when_processes_begin_to_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(metrics, "_folder", None)
    folder = tmp_path / "metrics" / "8080"
    folder.mkdir(parents=True)
    (folder / "1.counts").touch()
    metrics.share(folder)
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700
