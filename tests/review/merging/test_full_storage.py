"""While the storage is full, merge requests are read with the status that could not be stored."""

from tests.harness.browsers import browser_of

FULL = {
    "sqlite": [
        """CREATE TRIGGER storage_is_full BEFORE UPDATE OF merge_status ON merge_requests
           BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END""",
    ],
    "postgres": [
        """CREATE FUNCTION storage_is_full() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100''; END'""",
        """CREATE TRIGGER storage_is_full BEFORE UPDATE OF merge_status ON merge_requests
           FOR EACH ROW EXECUTE FUNCTION storage_is_full()""",
    ],
}


def test_a_status_that_cannot_be_stored_is_shown(cast, code, client):
    code.branch("other", topic="different\n")
    assert code.open().status == 201
    assert code.open(source_branch="other").status == 201
    assert cast.owner.put(code.path, merge_method="ff").status == 200
    code.commit(topic="text\n")  # the second request conflicts with it, and the first one is behind
    cast.run("UPDATE merge_requests SET merge_status = 'unchecked', checked_pair = ''")
    for statement in FULL[cast.database.engine]:
        cast.run(statement)

    shown = [cast.owner.get(f"{code.requests}/{iid}").json for iid in (1, 2)]
    fields = ("merge_status", "has_conflicts", "detailed_merge_status")
    assert [tuple(one[field] for field in fields) for one in shown] == [
        ("can_be_merged", False, "need_rebase"),
        ("cannot_be_merged", True, "conflict"),
    ]
    assert cast.owner.get(f"{code.requests}/2/approvals").json["merge_status"] == "cannot_be_merged"
    page = browser_of(cast.owner, cast.database, client).open(
        f"/{code.project['path_with_namespace']}/merge_requests/2"
    )
    assert (page.status, "conflict" in page.text) == (200, True)
    assert set(cast.rows("SELECT merge_status FROM merge_requests WHERE project_id = :id", id=code.id)) == {
        ("unchecked",)
    }
