"""The documentation site: its links lead somewhere, and every command of it works as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.site import build, stage

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
TRIED_ELSEWHERE = {"add-a-page.md", "add-an-endpoint.md", "runners.md", "testing.md"}
"""By `tests/architecture/test_tutorials.py`; the two commands of a runner by `tests/ci/real_runners`, and those of testers by
`tests/testing/test_recipes.py`."""
BLOCK = re.compile(r"^```sh\n((?:.*\n)*?)```$", re.MULTILINE)
SERVE = re.compile(r"^(.*\bmujina serve\b.*)$", re.MULTILINE)
BEFORE = """
set -euo pipefail
trap 'kill $(jobs -p); wait' EXIT
ready() { until [ -e "$1" ]; do kill -0 $!; sleep 0.1; done; }
"""


@pytest.mark.long(10)
def test_the_site_is_built_and_every_link_leads_somewhere(tmp_path: Path):
    assert build(tmp_path / "site") == 0
    page = (tmp_path / "site" / "api" / "issues.html").read_text()
    assert "POST /projects/{id}/issues" in page


def test_every_page_with_commands_is_tried(tmp_path: Path):
    stage(tmp_path)
    pages = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md") if BLOCK.search(path.read_text())}
    assert pages == {"index.md", "guides/team.md", "guides/operator.md", "guides/tester.md"} | TRIED_ELSEWHERE


@pytest.mark.long(45)
@pytest.mark.parametrize("guides", [("start", "team", "operator"), ("tester",)], ids=["a team", "a tester"])
def test_every_command_of_the_guides_works_as_written(guides: tuple[str, ...], tmp_path: Path):
    """In one shell, as a reader types them. The server listens at a free port, and the next command waits for it."""
    blocks = [block for guide in guides for block in BLOCK.findall((GUIDES / f"{guide}.md").read_text())]
    script = BEFORE + "\n".join(blocks)
    script = script.replace("127.0.0.1:8080", "$ADDRESS")
    script = SERVE.sub(_in_background, script)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    ran = subprocess.run(
        ["bash", "-x", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3_000:] + ran.stdout[-1_000:]


def _in_background(command: re.Match[str]) -> str:
    if "--ready-file" in command[1]:
        return f"{command[1]} &\nready ready.json"
    read = """ADDRESS=$(python3 -c 'import json; print("127.0.0.1:%d" % json.load(open("ready.json"))["port"])')"""
    return f"{command[1]} --port 0 --ssh-port 0 --ready-file ready.json &\nready ready.json\n{read}"
