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
