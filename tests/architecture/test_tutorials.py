"""The tutorials work: their blocks of code, applied to a copy of the tree, run there, and their own tests pass."""

from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.architecture.tutorials import WrongBlock, copy_tree, follow, lint


@pytest.mark.long(35)
@pytest.mark.parametrize("name", ["add-an-endpoint.md", "add-a-page.md"])
def test_a_tutorial_works_as_written(name: str, tmp_path: Path, thorough: bool):
    tree = tmp_path / "tree"
    copy_tree(ROOT, tree)
    lint(tree, follow(name, (ROOT / "docs" / name).read_text(), tree, thorough))


def test_a_change_is_applied_where_its_context_is(tmp_path: Path):
    file = tmp_path / "a.py"
    file.write_text("one\n\ntwo\nthree\n")
    follow("page", "```diff file=a.py\n one\n\n-two\n+2\n@@\n three\n+four\n```\n```sh\ntest -s a.py\n```\n", tmp_path)
    assert file.read_text() == "one\n\n2\nthree\nfour\n"


def test_short_runs_leave_out_all_runs_of_tests_but_the_last(tmp_path: Path):
    runs = "".join(f"```sh\ntrue -m pytest; echo {name} >> ran\n```\n" for name in ("first", "last"))
    follow("page", runs, tmp_path, thorough=False)
    assert (tmp_path / "ran").read_text() == "last\n"
    follow("page", runs, tmp_path)
    assert (tmp_path / "ran").read_text() == "last\nfirst\nlast\n"


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("```diff file=a.py\n zero\n+0\n```", "line 3: a.py contains this passage 0 times instead of once:\nzero"),
        ("```diff file=a.py\n one\n+1\n```", "line 3: a.py contains this passage 2 times instead of once:\none"),
        ("```diff file=a.py\n two\n@@\n-no\n```", "line 3: a.py contains this passage 0 times instead of once:\nno"),
        ("```diff file=b.py\n one\n+1\n```", "line 3: there is no b.py to change"),
        ("```python file=a.py\nx = 1\n```", "line 3: a.py exists already"),
        ("```sh\necho broken; exit 3\n```", "line 3: `echo broken; exit 3` ends with 3\nbroken\n"),
        ("```python\nx = 1\n```", "line 3: a block of `python` names no file"),
    ],
    ids=["no such context", "two such contexts", "second passage", "no file", "file exists", "command", "neither"],
)
def test_a_block_that_cannot_be_applied_is_named(block: str, problem: str, tmp_path: Path):
    (tmp_path / "a.py").write_text("one\ntwo\none\n")
    with pytest.raises(WrongBlock) as raised:
        follow("page", f"# Page\n\n{block}\n", tmp_path)
    assert str(raised.value) == f"page {problem}"
