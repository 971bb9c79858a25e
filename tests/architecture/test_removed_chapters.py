"""Taking a chapter out of the product is deleting its folder and its line: no other file has to change."""

from pathlib import Path

import pytest

from tests.architecture.source import CHAPTERS, ROOT
from tests.architecture.tutorials import copy_tree, follow

LATE = [name for name in CHAPTERS[CHAPTERS.index("review") + 1 :] if name != "replication"]
_REMOVE = "rm -r mujina/{0}\nsed -i /find_chapter..mujina.{0}/d mujina/product.py\n"
_START = ".venv/bin/python -m tests.architecture.small_product\n"


@pytest.mark.long(15)
def test_the_product_starts_without_replication_and_then_without_all_chapters_after_review(tmp_path: Path):
    tree = tmp_path / "tree"
    copy_tree(ROOT, tree)
    follow("replication", f"```sh\n{_REMOVE.format('replication')}{_START}```\n", tree)
    follow("late chapters", f"```sh\n{''.join(map(_REMOVE.format, LATE))}{_START}```\n", tree)
