"""Every command block of the documentation works as written, or is listed with the reason why it is not run."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.site import stage
from tests.docs.typed_commands import typed_commands
from tests.harness.databases import PostgresDatabases
from tests.harness.running import ROOT

FENCED = re.compile(r"^```sh\n((?:.*\n)*?)```$", re.MULTILINE)
OTHER_FENCES = re.compile(r"^```.*\n(?:.*\n)*?```$", re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}(?![ {]).*\n)(?: {4}.*\n)*")
"""Without those that begin with a brace, which are JSON."""
GUIDES = ("guides/team.md", "guides/operator.md", "guides/tester.md", "index.md")
RUN = {
    "operating.md": ("mujina serve", "mujina token", "mujina database copy", "mujina backup", "mujina restore"),
    "archives.md": ("mujina export", "curl"),
    "moving-in.md": ("export", "mujina imported"),
    "README.md": ("pip install",),
}
"""The documents whose blocks are run here, by how these begin; those of the guides are all run."""
NOT_RUN = {
    (
        "operating.md",
        "useradd",
    ): "changes the users and services of the machine; tests/cli/test_running_it.py installs the unit",
    ("archives.md", "mujina move-in"): "reads what other programs wrote, as tests/moving/test_exports.py does",
    ("archives.md", "gitea"): "is a command of another program; tests/moving/test_exports.py reads what it writes",
    ("runners.md", "TOKEN"): "starts a runner, as tests/ci/real_runners does",
    ("testing.md", "mujina serve --testing"): "is run by tests/testing/test_recipes.py",
    ("add-an-endpoint.md", ".venv/bin/python"): "is run by tests/architecture/test_tutorials.py",
    ("add-a-page.md", ".venv/bin/python"): "is run by tests/architecture/test_tutorials.py",
    ("contributing.md", "make"): "installs, and runs the tests",
    ("contributing.md", ".venv/bin/python -m tests.transcript"): "compares two trees, for minutes",
    ("README.md", "make run"): "is run by `make fresh`, on a new machine",
    ("README.md", "TOKEN"): "is run by `make fresh`, on a new machine",
}
INSTALLED = Path(sys.executable).parent
"""The folder of the program `mujina` as it is installed."""
BEFORE = """
set -euo pipefail
trap 'kill $(jobs -p) || true; wait' EXIT
ready() { until [ -e "$1" ]; do kill -0 $!; sleep 0.1; done; }
"""
SERVE = re.compile(r"^(mujina serve\b.*|\w+=\S+ mujina serve\b.*)$", re.MULTILINE)
WORLD = """
cat > world.yaml <<END
users:
  - username: carla
groups:
  - path: team
    members: {carla: developer}
  - path: elsewhere
  - path: club
projects:
  - path: team/app
    files: {README.md: "Hello"}
    issues:
      - title: It works
        author: carla
  - path: club/rooms
    files: {README.md: "Rooms"}
END
mujina seed world.yaml
TOKEN=$(mujina token create root --scopes api)
curl() { command curl --silent --show-error --fail-with-body "$@"; }
"""


def blocks(text: str) -> list[str]:
    """The command blocks, in their order."""
    plain = OTHER_FENCES.sub("", FENCED.sub("", text))
    indented = [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in INDENTED.findall(plain)]
    return FENCED.findall(text) + indented


def block(page: str, beginning: str, number: int = 0) -> str:
    """A block of a document of the folder, or of the root."""
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    return [block for block in blocks(path.read_text()) if block.startswith(beginning)][number]


@pytest.fixture
def databases(postgres: PostgresDatabases) -> Iterator[list[str]]:
    """The URLs of two empty databases."""
    urls = [postgres.create(), postgres.create()]
    yield urls
    for url in urls:
        postgres.drop(url)


@pytest.fixture
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for programs, which no command looks into."""
    return tmp_path_factory.mktemp("programs")


def run_by_fork(script: str, folder: Path, programs: Path, **variables: str) -> None:
    """As `run` does; `mujina` is forked from a process that has imported it."""
    with typed_commands(programs):
        run(script, folder, programs, MUJINA_PASSWORD_KILOBYTES="64", **variables)


def run(script: str, folder: Path, programs: Path = INSTALLED, **variables: str) -> None:
    """In one shell, as a reader types them. Servers listen at free ports, and the next command waits for them."""
    script = SERVE.sub(_in_background, script).replace("127.0.0.1:8080", "$ADDRESS")
    path = f"{programs}:{INSTALLED}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-x", "-c", BEFORE + script],
        cwd=folder,
        env=os.environ | {"PATH": path, "HOME": str(folder)} | variables,
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


def test_every_command_block_is_run_or_has_a_reason(tmp_path: Path):
    stage(tmp_path)
    (tmp_path / "README.md").write_text((ROOT / "README.md").read_text())
    known = [
        *((page, beginning) for page, all in RUN.items() for beginning in all),
        *NOT_RUN,
        *((g, "") for g in GUIDES),
    ]
    met = set[tuple[str, str]]()
    for path in tmp_path.rglob("*.md"):
        page = path.relative_to(tmp_path).as_posix()
        for text in blocks(path.read_text()):
            found = {(name, beginning) for name, beginning in known if name == page and text.startswith(beginning)}
            assert found, f"{page} has a block that is neither run nor listed:\n{text}"
            met |= found
    assert met == set(known)


@pytest.mark.long(15)
@pytest.mark.parametrize("guides", [("start", "team", "operator"), ("tester",)], ids=["a team", "a tester"])
def test_every_command_of_the_guides_works_as_written(guides: tuple[str, ...], tmp_path: Path, programs: Path):
    pages = [(ROOT / "docs" / "guides" / f"{guide}.md").read_text() for guide in guides]
    run_by_fork("\n".join(text for page in pages for text in blocks(page)), tmp_path, programs)


@pytest.mark.long(20)
def test_the_commands_of_an_operator_work_as_written(tmp_path: Path, programs: Path, databases: list[str]):
    """The server that is moved from and the one that is moved to are on this machine, as are the folders."""
    archives, operating, moving = "archives.md", "operating.md", "moving-in.md"
    script = "\n".join([
        block(operating, "mujina serve"),
        block(operating, "mujina token"),
        WORLD,
        block(archives, "mujina export"),
        block(archives, "curl").replace("PRIVATE-TOKEN: …", "PRIVATE-TOKEN: $TOKEN"),
        "mkdir --mode 700 new; export MUJINA_DATA=$PWD/new; mujina migrate",
        block(moving, "export").replace("TOKEN=…", "TOKEN=$TOKEN"),
        "echo correct-horse | mujina user create carla --email carla@example.com --stdin",
        block(moving, "mujina imported"),
        "unset MUJINA_DATA",
        block(operating, "mujina backup"),
        "AT=$(ls backups/mujina/sets)",
        block(operating, "mujina restore").replace("postgresql://…", "$FIRST"),
        "ln -s ../data srv/mujina",
        'curl --request DELETE --header "PRIVATE-TOKEN: $TOKEN" http://127.0.0.1:8080/api/v4/projects/club%2Frooms',
        block(operating, "mujina restore", 1),
        "kill %1; wait %1",
        block(operating, "mujina database copy").replace("postgresql://mujina@db.example.com/mujina", "$SECOND"),
    ])  # fmt: skip
    for written, tried in {
        "https://mujina.example.com": "http://127.0.0.1:8080",
        "https://gitlab.example.com": "http://127.0.0.1:8080",
        "20260131T020000Z": "$AT",
        " /backups/": " $PWD/backups/",
        " /srv/": " $PWD/srv/",
    }.items():
        script = script.replace(written, tried)
    first, second = databases
    run_by_fork(script, tmp_path, programs, FIRST=first, SECOND=second, MUJINA_JOBS="inline",
                MUJINA_OUTBOUND_ALLOW="127.0.0.1")  # fmt: skip


@pytest.mark.long(10)
def test_the_server_of_the_readme_starts_as_written(tmp_path: Path, programs: Path, databases: list[str]):
    """Mujina is installed already, and listens on this machine only."""
    script = block("README.md", "pip install").partition("\n")[2]
    script = re.sub("^(mujina worker .*?)(#.*)?$", r"\1 &", script, flags=re.MULTILINE)
    script = script.replace("postgresql://mujina@db/mujina", "$URL").replace("0.0.0.0", "127.0.0.1")
    script = script.replace("/srv/", "$PWD/srv/").replace("/backups/", "$PWD/backups/")
    run_by_fork("mkdir srv\n" + script, tmp_path, programs, URL=databases[0])


def test_the_installed_program_is_started_by_python(tmp_path: Path):
    """The other tests fork it."""
    run("mujina version", tmp_path)
