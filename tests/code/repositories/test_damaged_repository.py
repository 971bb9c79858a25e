"""A damaged repository is a fault of the server's storage: 503, and never 500."""

import shutil

import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage

READS = (
    "repository/commits", "repository/commits/{first}", "repository/commits/{first}/diff", "repository/branches",
    "repository/tree?ref={first}&recursive=true", "repository/compare?from={first}&to=master", "repository/contributors",
    "repository/files/README?ref=master", "repository/files/README/blame?ref=master", "languages", "merge_requests/1",
    "merge_requests/1/changes", "merge_requests/1/diffs", "merge_requests/1/raw_diffs", "merge_requests/1/commits",
    "merge_requests/1/approvals", "merge_requests/1/merge_ref", "repository/archive?sha={first}",
    "search?scope=commits&search=a", "search?scope=blobs&search=a",
)  # fmt: skip
NEW_FILE = {"action": "create", "file_path": "late", "content": "x"}
WRITES = {
    "repository/commits": {"branch": "master", "commit_message": "Late", "actions": [NEW_FILE]},
    "repository/commits/{first}/revert": {"branch": "master"},
    "repository/tags": {"tag_name": "late", "ref": "{first}"},
    "merge_requests": {"source_branch": "other", "target_branch": "master", "title": "Late"},
    "pipeline": {"ref": "master"},
}


def lose(folder, id_):
    (folder / "objects" / id_[:2] / id_[2:]).unlink()


def spoil(folder):
    for file in (folder / "objects").glob("??/*"):
        file.chmod(0o600)
        file.write_bytes(b"no object")


DAMAGES = {
    "a lost tree": lambda folder, first: lose(folder, str(pygit2.Repository(str(folder))[first].peel(pygit2.Tree).id)),
    "a lost commit": lose,
    "no objects": lambda folder, _: shutil.rmtree(folder / "objects"),
    "spoiled objects": lambda folder, _: spoil(folder),
    "a spoiled ref": lambda folder, _: (folder / "refs/heads/master").write_bytes(b"no commit\n"),
    "a spoiled HEAD": lambda folder, _: (folder / "HEAD").write_bytes(b"\0no ref"),
    "a spoiled config": lambda folder, _: (folder / "config").write_bytes(b"[no section"),
}


def open_request(cast, code):
    """Ask to merge a branch of the project; what `READS` and `WRITES` name."""
    ids = {"first": code.commit(more="x").json["id"]}
    assert cast.owner.post(f"{code.at}/branches", branch="other", ref="master").status == 201
    assert code.commit("other", another="y").status == 201
    request = {"source_branch": "other", "target_branch": "master", "title": "Before"}
    assert cast.owner.post(f"{code.path}/merge_requests", **request).status == 201
    return ids


@pytest.mark.parametrize("damage", DAMAGES)
def test_requests_that_need_lost_objects_are_unavailable(cast, code, stage, damage):
    here, ids = code.path, open_request(cast, code)
    DAMAGES[damage](RepositoryStorage.of(stage.folder).repo_path(code.project["id"]), ids["first"])

    answers = {path: cast.owner.get(f"{here}/{path.format(**ids)}") for path in READS}
    for path, body in WRITES.items():
        filled = {name: value.format(**ids) if isinstance(value, str) else value for name, value in body.items()}
        answers[f"POST {path}"] = cast.owner.post(f"{here}/{path.format(**ids)}", **filled)

    assert {path: answer for path, answer in answers.items() if answer.status >= 500 and answer.status != 503} == {}
    unavailable = [answer.json["message"] for answer in answers.values() if answer.status == 503]
    assert unavailable
    assert all("The repository cannot be read." in message for message in unavailable), unavailable
