"""A client that a published generator makes from the OpenAPI document gets typed objects from the running program."""

import fcntl
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from mujina.kernel.openapi.document import document
from tests.harness.composed import ROUTES

pytestmark = pytest.mark.long(10)  # all of them: the worker that has imported the client runs them
PACKAGE = "generated_client"
GENERATOR = """
from openapi_python_client.cli import app
from openapi_python_client.parser import openapi
openapi.deepcopy = lambda endpoint: endpoint  # of what is dropped then: copying takes as long as everything else
app()
"""


@pytest.fixture(scope="module")
def generated(meeting: Path) -> Iterator[Callable[[str], Any]]:
    """Imports a module of the client, which the first worker that needs it makes from the whole document."""
    folder = meeting / "client"
    folder.mkdir(exist_ok=True)
    with (folder / "making").open("w") as making:
        fcntl.flock(making, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            _generate(folder)
            (folder / "made").touch()
    with _importable(folder):
        yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")


def _generate(folder: Path) -> None:
    source, config = folder / "openapi.json", folder / "config.json"
    source.write_text(json.dumps(document(ROUTES, "1")))
    config.write_text(json.dumps({"post_hooks": []}))
    command = [sys.executable, "-c", GENERATOR, "generate", "--path", source, "--config", config]
    options = ["--meta", "none", "--output-path", folder / PACKAGE, "--fail-on-warning", "--overwrite"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def _importable(folder: Path) -> Generator[None]:
    sys.path.insert(0, str(folder))
    compiled, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # each module is imported once
    try:
        yield
    finally:
        sys.dont_write_bytecode = compiled
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


@pytest.fixture
def client(generated, running_server) -> Iterator[Any]:
    made = generated("client").AuthenticatedClient(
        base_url=f"{running_server.url}/api/v4",
        token=running_server.token,
        auth_header_name="Private-Token",
        prefix="",
    )
    with made as opened:
        yield opened


def test_every_module_of_the_generated_client_can_be_imported(generated):
    folder = Path(generated("api").__file__).parent
    modules = [path for path in folder.glob("*/*.py") if path.stem != "__init__"]
    assert len(modules) == len(ROUTES)
    for path in modules:
        assert callable(generated(f"api.{path.parent.name}.{path.stem}").sync_detailed)


def test_the_generated_client_gets_typed_objects(generated, client):
    models = generated("models")
    make_project = generated("api.projects.create_project").sync
    project = make_project(client=client, body=models.CreateProject(name="Song", description="three chords"))
    assert isinstance(project, models.Project)
    shown = generated("api.projects.show_project").sync(str(project.id), client=client)
    assert isinstance(shown, models.Project)
    assert (shown.name, shown.path_with_namespace) == ("Song", "root/song")
    make_issue = generated("api.issues.create_issue").sync
    for body in (
        models.CreateIssue(title="Louder", labels="fast"),
        models.CreateIssueForm(title="Even louder"),
        models.CreateIssueMultipart(title="Loudest"),
    ):
        issue = make_issue(str(project.id), client=client, body=body)
        assert isinstance(issue, models.Issue)
        assert isinstance(issue.author, models.UserRef)
        assert issue.title == body.title
    listed = generated("api.issues.list_project_issues").sync_detailed(str(project.id), client=client, per_page=2)
    assert [type(issue) for issue in listed.parsed] == [models.Issue, models.Issue]
    assert listed.headers["X-Total"] == "3"


def test_the_generated_client_gets_typed_errors_and_answers_without_a_body(generated, client):
    models = generated("models")
    missing = generated("api.projects.show_project").sync("no/such", client=client)
    assert isinstance(missing, models.Error)
    assert missing.message == "404 Project Not Found"
    project = generated("api.projects.create_project").sync(client=client, body=models.CreateProject(name="Song"))
    issue = generated("api.issues.create_issue").sync(
        str(project.id), client=client, body=models.CreateIssue(title="x")
    )
    deleted = generated("api.issues.delete_issue").sync_detailed(str(project.id), issue.iid, client=client)
    assert (deleted.status_code, deleted.content) == (HTTPStatus.NO_CONTENT, b"")
