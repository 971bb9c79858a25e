"""The power is cut right after an answer: `make soak` tries it after every kind of change, this only after the first ones."""

from pathlib import Path

import pytest

from tests.harness.loop_disk import require_loop_disk
from tests.soak.power_cuts import create, fork, lost_changes, push, write_wiki


@pytest.mark.long(12)
def test_a_new_repository_its_wiki_and_its_fork_survive_a_power_cut(tmp_path: Path):
    require_loop_disk()
    assert lost_changes(tmp_path, (create, write_wiki, push, fork), (push, fork), other_disk=True) == []
