import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.harness.fork_server import ROOT
from tests.harness.forked_workers import Shares, dealt

STORY = """
import os, signal, pytest

@pytest.fixture(scope="session")
def server(tmp_path_factory, worker):
    yield worker
    (tmp_path_factory.getbasetemp().parent / "ended").open("a").write(f"{os.getpid()}\\n")

@pytest.mark.parametrize("number", range(20))
def test_good(number, server, tmp_path):
    assert server in str(tmp_path)

def test_bad(server):
    print("what it wrote")
    assert server == "another"

def test_deadly():
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_story.py").write_text(STORY)
    own = [
        "-q",
        "-p",
        "tests.harness.forked_workers",
        f"--basetemp={folder / 'base'}",
        "-o",
        "addopts=-p no:schemathesis",
        "--noconftest",
    ]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *own, *arguments, folder / "test_story.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_each_test_runs_once_and_a_worker_that_dies_fails_the_test_that_it_ran(tmp_path):
    ended = run(tmp_path, "--workers=3")
    assert ended.returncode == 1, ended.stdout
    failed, passed = re.findall(r"(\d+) failed, (\d+) passed", ended.stdout)[0]
    assert int(failed) + int(passed) == 22, ended.stdout
    assert int(failed) in (2, 3)  # what the dead worker would have run next has failed as well
    assert "what it wrote" in ended.stdout
    assert "the process that was to run it died" in ended.stdout
    assert 1 <= len((tmp_path / "base" / "ended").read_text().split()) <= 2


def test_every_position_is_taken_once_and_the_largest_share_is_halved():
    shares = Shares([], [2, 10, 0])
    assert [shares.take(2), shares.take(0), shares.take(0), shares.take(0)] == [7, 0, 1, 4]
    assert sorted(iter(lambda: shares.take(1), None)) == [2, 3, 5, 6, 8, 9, 10, 11]
    shares.close()


def test_each_worker_takes_a_file_with_long_tests_until_there_are_none():
    shares = Shares([2, 1, 1], [2, 2])
    assert [shares.take(0), shares.take(1)] == [0, 2]
    assert [shares.take_following(0, 0), shares.take_following(1, 2)] == [1, None]
    assert [shares.take(1), shares.take(1), shares.take_following(1, 6)] == [3, 6, 7]
    assert [shares.take_following(0, 1), shares.take(0), shares.take(1), shares.take(0)] == [None, 4, 5, None]
    shares.close()


def test_the_file_whose_tests_take_longest_comes_first():
    marks = {"a": pytest.mark.long.mark, "b": pytest.mark.long(15, apart=True).mark, "c": None}
    items = [
        SimpleNamespace(path=path, nodeid=str(number), get_closest_marker=lambda _, mark=marks[path]: mark)
        for number, path in enumerate("aacbbcccc")
    ]
    order, files, sizes = dealt(items, 2)
    assert ("".join(str(item.path) for item in order), files, sizes) == ("aabbccccc", [2, 1, 1], [2, 3])
