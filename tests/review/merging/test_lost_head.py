"""A merge request whose head the disk lacks, as when it is older than the database: 503, as for any other damage."""

from mujina.adapters.git.storage import RepositoryStorage
from mujina.review.versions.operations import list_lost_heads
from tests.harness.browsers import browser_of

READS = (
    "", "/approvals", "/approval_state", "/merge_ref", "/changes", "/diffs", "/raw_diffs", "/commits", "/versions/{version}",
)  # fmt: skip
PAGES = ("", "/commits", "/diffs", ".diff", ".patch", "/conflicts", "/edit")
UNREADABLE = "503 Service Unavailable: The repository cannot be read. The log of the server says why."


def lose(folder, id_):
    (folder / "objects" / id_[:2] / id_[2:]).unlink()


def test_requests_for_what_a_lost_head_changes_are_unavailable_and_doctor_names_it(cast, code, stage, client):
    assert code.open().status == 201

    async def named():
        return [name async for name in list_lost_heads(cast.database, stage.folder)]

    def lost():
        return cast.owner.loop.run_until_complete(named())

    assert lost() == []
    folder = RepositoryStorage.of(stage.folder).repo_path(code.id)
    config = (folder / "config").read_bytes()
    lose(folder, code.topic)
    assert lost() == [f"{code.project['path_with_namespace']}!1"]
    (folder / "config").write_bytes(b"[no section")  # it cannot be opened at all
    assert lost() == [f"{code.project['path_with_namespace']}!1"]
    (folder / "config").write_bytes(config)

    # A restored database knows other commits than those that were checked: the next reader merges on trial.
    cast.run("UPDATE merge_requests SET merge_status = 'unchecked', checked_pair = ''")
    version = cast.value("SELECT max(id) FROM merge_request_versions")
    answers = {path: cast.owner.get(f"{code.requests}/1{path.format(version=version)}") for path in READS}
    assert {path: (answer.status, answer.json) for path, answer in answers.items()} == dict.fromkeys(
        READS, (503, {"message": UNREADABLE})
    )
    browser = browser_of(cast.owner, cast.database, client)
    pages = {
        path: browser.open(f"/{code.project['path_with_namespace']}/merge_requests/1{path}").status for path in PAGES
    }
    assert pages == dict.fromkeys(PAGES, 503)


def test_a_branch_whose_commit_is_lost_is_compared_with_nothing(cast, code, stage, client):
    assert code.open().status == 201
    code.branch("other", second="x")
    code.branch("third", third="x")
    into_other = code.open(target_branch="other").json["iid"]
    closed = code.open(target_branch="topic", source_branch="master").json["iid"]
    assert cast.owner.put(f"{code.requests}/{closed}", state_event="close").status == 200
    lose(RepositoryStorage.of(stage.folder).repo_path(code.id), code.topic)

    repository = f"{code.path}/repository"
    answers = {
        "compare": cast.owner.get(f"{repository}/compare", **{"from": "master", "to": "topic"}),
        "merge base": cast.owner.get(f"{repository}/merge_base?refs[]=master&refs[]=topic"),
        "branch": cast.owner.get(f"{repository}/branches/topic"),
        "commits": cast.owner.get(f"{repository}/commits", ref_name="topic"),
        "new branch": cast.owner.post(f"{repository}/branches", branch="more", ref="topic"),
        "new request": code.open(target_branch="third"),
        "reopen": cast.owner.put(f"{code.requests}/{closed}", state_event="reopen"),
        "retarget": cast.owner.put(f"{code.requests}/1", target_branch="topic"),
    }
    assert {name: (answer.status, answer.json) for name, answer in answers.items()} == dict.fromkeys(
        answers, (503, {"message": UNREADABLE})
    )
    browser, here = browser_of(cast.owner, cast.database, client), f"/{code.project['path_with_namespace']}"
    pair = "merge_request[source_branch]=topic&merge_request[target_branch]=master"
    for page in ("compare/master...topic", f"merge_requests/new?{pair}", "tree/topic", "commits/topic"):
        assert browser.open(f"{here}/{page}").status == 503, page
    assert [branch["name"] for branch in cast.owner.get(f"{repository}/branches").json] == ["master", "other", "third"]

    # A target branch that goes has the request compared anew: it keeps its version.
    assert cast.owner.delete(f"{repository}/branches/other").status == 204
    versions = cast.owner.get(f"{code.requests}/{into_other}/versions").json
    assert [version["head_commit_sha"] for version in versions] == [code.topic]
