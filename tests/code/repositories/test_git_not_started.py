"""What needs git while the system cannot start it (no program, too many processes) is unavailable, and nothing is half done."""

from base64 import b64encode

import pytest

from mujina.adapters.git import git
from tests.code.repositories.test_damaged_repository import READS, WRITES, open_request
from tests.harness.client import Raw
from tests.harness.creation import drain

pytestmark = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


def basic(person):
    return "Basic " + b64encode(f"{person.username}:{person.token}".encode()).decode()


def test_requests_that_need_git_are_unavailable_until_it_starts(cast, code, monkeypatch):
    here, ids = code.path, open_request(cast, code)

    with monkeypatch.context() as context:
        context.setitem(git.ENVIRONMENT, "PATH", "/nonexistent")
        answers = {path: cast.owner.get(f"{here}/{path.format(**ids)}") for path in READS}
        for path, body in WRITES.items():
            filled = {name: value.format(**ids) if isinstance(value, str) else value for name, value in body.items()}
            answers[f"POST {path}"] = cast.owner.post(f"{here}/{path.format(**ids)}", **filled)
        answers["merge"] = cast.owner.put(f"{here}/merge_requests/1/merge")
        clone = f"//{code.project['path_with_namespace']}.git/info/refs?service=git-upload-pack"
        answers["clone"] = cast.owner.get(clone, Raw(headers={"authorization": basic(cast.owner)}))

    assert {path: answer for path, answer in answers.items() if answer.status >= 500 and answer.status != 503} == {}
    assert {"merge", "clone", "POST repository/commits"} <= {path for path in answers if answers[path].status == 503}
    assert cast.owner.get(f"{here}/merge_requests/1").json["state"] == "opened"
    assert cast.owner.put(f"{here}/merge_requests/1/merge").status == 200


def test_a_project_is_created_and_gets_its_readme_later(cast, monkeypatch):
    with monkeypatch.context() as context:
        context.setitem(git.ENVIRONMENT, "PATH", "/nonexistent")
        made = cast.owner.post("/projects", name="early", initialize_with_readme=True)
    assert made.status == 201
    assert made.json["empty_repo"]
    cast.run("UPDATE jobs SET ready_at = :past WHERE task = 'projects.initialize'", past="2020-01-01T00:00:00.000Z")
    drain(cast)
    assert cast.owner.get(f"/projects/{made.json['id']}/repository/files/README.md?ref=master").status == 200
