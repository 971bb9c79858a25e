"""While the storage is full, merge requests are read with the status that is stored."""

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


def test_requests_are_read_though_their_status_cannot_be_stored(cast, code, client):
    assert code.open().status == 201
    cast.run("UPDATE merge_requests SET merge_status = 'unchecked', checked_pair = ''")
    for statement in FULL[cast.database.engine]:
        cast.run(statement)
    for path in (f"{code.requests}/1", f"{code.requests}/1/approvals"):
        shown = cast.owner.get(path)
        assert (shown.status, shown.json["merge_status"]) == (200, "unchecked"), path
    visitor = browser_of(cast.owner, cast.database, client)
    assert visitor.open(f"/{code.project['path_with_namespace']}/merge_requests/1").status == 200
    assert cast.owner.put(f"{code.requests}/1/merge").status == 507
