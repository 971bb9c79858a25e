"""The code of docs/testing.md, as it stands there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import playwright
import yaml

from mujina.testing.client import Mujina, MujinaProcess
from mujina.testing.process import ServerProcess
from tests.harness.running import ROOT

PAGE = (ROOT / "docs" / "testing.md").read_text()
WORLD = {"users": [{"username": "ann"}], "projects": [{"path": "ann/app"}]}
GITBEAKER = "@gitbeaker/rest@43.8.0"
DEBIAN_GO = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""}
"""Debian has the module as a package; other modules would come from the network."""
PROGRAM = f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m mujina "$@"\n'


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def _run(folder: Path, *command: str, **variables: str) -> str:
    """Run a command in a folder that has the program `mujina`."""
    program = folder / "bin" / "mujina"
    program.parent.mkdir(exist_ok=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "MUJINA": str(program)}
    environment |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_suites_for_pytest(tmp_path: Path):
    for number, block in enumerate(_blocks("python")):
        (tmp_path / f"test_{number}.py").write_text(block)
    flags = ["-p", "mujina.testing.plugin", "-p", "no:cacheprovider", "--rootdir", "."]
    assert "3 passed" in _run(tmp_path, sys.executable, "-m", "pytest", "-q", *flags, ".")


def test_the_commands_for_curl(tmp_path: Path):
    [commands] = _blocks("sh")
    answers = _run(tmp_path, "sh", "-eu", "-c", commands)
    assert '"title":"It works"' in answers
    assert answers.endswith("[]")


def test_the_module_for_node(tmp_path: Path):
    module, test, _ = _blocks("js")
    (tmp_path / "mujina.mjs").write_text(module)
    (tmp_path / "test.mjs").write_text(test)
    _run(tmp_path, str(Path(playwright.__file__).parent / "driver" / "node"), "test.mjs")


def test_the_commands_for_ruby(tmp_path: Path):
    [program] = _blocks("ruby")
    assert _run_beside_a_server(tmp_path, "ruby", "-e", program) == "It rains\n"


def test_the_programs_for_go_and_gitbeaker(tmp_path: Path, *, thorough: bool):
    """Both are installed from the network, or compiled: for half a minute, so only `make soak` runs them."""
    [program], [module, _, test] = _blocks("go"), _blocks("js")
    (tmp_path / "main.go").write_text(program)
    (tmp_path / "mujina.mjs").write_text(module)
    (tmp_path / "test.mjs").write_text(test)
    if thorough:
        assert _run_beside_a_server(tmp_path, "go", "run", "main.go", **DEBIAN_GO) == "It rains\n"
        _run(tmp_path, "npm", "install", "--no-audit", "--no-fund", GITBEAKER)
        assert _run(tmp_path, "node", "test.mjs") == "It rains\n"


def _run_beside_a_server(folder: Path, *command: str, **variables: str) -> str:
    server = MujinaProcess(ServerProcess())
    try:
        server.seed(WORLD)
        return _run(folder, *command, URL=server.url, TOKEN=server.token, **variables)
    finally:
        server.stop()


def test_the_world_and_every_request(instance: Mujina):
    ids = instance.seed(yaml.safe_load(_blocks("yaml")[0]))
    assert ids.projects["team/app"].merge_requests == {"A file": 1}
    for body, path in ((r'{"now"[^`]*', "clock"), (r'{"jobs"[^`]*', "settings"), (r'{"path"[^`]*502[^`]*', "faults")):
        [text] = re.findall(f"`({body})`", PAGE)
        instance.control("PUT" if path == "settings" else "POST", path, **json.loads(text))
