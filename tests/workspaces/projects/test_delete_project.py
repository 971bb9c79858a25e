import asyncio

import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw

AT = "DELETE /projects/{private.id}"


@cases(
    [
        Case("anonymous", AT, 401),
        Case("stranger", AT, 404, {"message": "404 Project Not Found"}),
        Case("master", AT, 403, {"message": "403 Forbidden"}, events=[]),
        Case("owner", AT, 204, events=["project.deleted"]),
        Case("root", AT, 204),
    ]
)
def test_owners_delete(case, cast):
    case.holds(cast)


def test_a_deleted_project_is_hidden_at_once_and_its_path_is_free(cast):
    assert cast.owner.delete(f"/projects/{cast.private.id}").body == b""
    assert cast.owner.get(f"/projects/{cast.private.id}").status == 404
    assert cast.owner.get(f"/projects/{cast.private.id}/issues").status == 404
    assert "private" not in [project["path"] for project in cast.root.get("/projects").json]
    assert cast.owner.delete(f"/projects/{cast.private.id}").status == 404
    assert cast.owner.post("/projects", name="private", namespace_id=cast.team.id).status == 201


def test_a_project_modified_since_is_not_deleted(cast):
    stale = Raw(headers={"If-Unmodified-Since": "Thu, 01 Jan 2015 00:00:00 GMT"})
    answer = cast.owner.delete(f"/projects/{cast.private.id}", stale)
    assert (answer.status, answer.json) == (412, {"message": "412 Precondition Failed"})
    garbage = Raw(headers={"If-Unmodified-Since": "yesterday"})
    assert cast.owner.delete(f"/projects/{cast.private.id}", garbage).status == 204


@pytest.mark.commits
def test_sixteen_clients_delete_it_once(cast):
    async def all_at_once():
        return await asyncio.gather(*(cast.owner.exchange("DELETE", f"/projects/{cast.private.id}") for _ in range(16)))

    statuses = sorted(answer.status for answer in cast.owner.loop.run_until_complete(all_at_once()))
    assert statuses[0] == 204
    assert set(statuses[1:]) <= {204, 404}
