from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import SYSTEM
from mujina.workspaces.groups import operations
from mujina.workspaces.groups.removing import tasks
from mujina.workspaces.groups.rules import find_group
from tests.harness.cases import Case, cases
from tests.harness.client import Raw
from tests.harness.creation import chain, drain, make_group, make_project, paths
from tests.harness.statements import statements


@cases(
    [
        Case("anonymous", "DELETE /groups/{team.id}", 401, events=[]),
        Case("stranger", "DELETE /groups/{team.id}", 403, {"message": "403 Forbidden"}, events=[]),
        Case("inherited", "DELETE /groups/{team.id}", 403, events=[]),
        Case("owner", "DELETE /groups/999999", 404, {"message": "404 Group Not Found"}, events=[]),
        Case("owner", "DELETE /groups/{team.id}", 204),
        Case("root", "DELETE /groups/{company.id}", 204),
    ]
)
def test_owners_delete_a_group(case, cast):
    case.holds(cast)


def test_a_master_may_not_delete_the_group(cast):
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=40)
    assert cast.stranger.delete(f"/groups/{cast.team.id}").status == 403


def test_a_deleted_group_is_gone_from_every_answer_with_all_below(cast):
    top, middle, bottom = chain(cast.owner, "top", "middle", "bottom", visibility="public")
    project = make_project(cast.owner, "deep", namespace_id=bottom["id"], visibility="public")
    shared = make_project(cast.owner, "elsewhere", visibility="public")
    cast.owner.post(f"/projects/{shared['id']}/share", group_id=middle["id"], group_access=30)
    cast.owner.post(f"/groups/{bottom['id']}/members", user_id=cast.stranger.id, access_level=30)
    assert cast.owner.delete(f"/groups/{top['id']}").status == 204
    for group in (top, middle, bottom):
        for who in (cast.owner, cast.stranger, cast.root):
            assert who.get(f"/groups/{group['id']}").json == {"message": "404 Group Not Found"}
            assert who.get(f"/groups/{group['id']}/members").status == 404
            assert who.get(f"/namespaces/{group['id']}").status == 404
    assert cast.root.get(f"/projects/{project['id']}").json == {"message": "404 Project Not Found"}
    assert cast.root.get("/groups/top%2Fmiddle").status == 404
    assert paths(cast.stranger.get("/groups").json) == []
    assert cast.stranger.get("/projects", membership=True).json == []
    assert [each["path"] for each in cast.stranger.get("/namespaces").json] == ["stranger"]
    assert cast.owner.get(f"/projects/{shared['id']}").json["shared_with_groups"] == []


def test_the_paths_of_a_deleted_group_may_be_claimed_again(cast):
    top, _ = chain(cast.owner, "top", "below")
    cast.owner.delete(f"/groups/{top['id']}")
    again, _ = chain(cast.stranger, "top", "below")
    assert again["id"] != top["id"]


def test_the_data_is_removed_with_that_of_its_projects(cast):
    top, _, bottom = chain(cast.owner, "top", "middle", "bottom")
    projects = [make_project(cast.owner, f"p{number}", namespace_id=bottom["id"]) for number in range(3)]
    seen = len(cast.events())
    cast.owner.delete(f"/groups/{top['id']}")
    run_jobs(cast)
    assert cast.events()[seen:] == [*["group.deleted"] * 3, *["project.deleted"] * 3]
    ids = [project["id"] for project in projects]
    assert cast.rows("SELECT id FROM projects WHERE id IN :ids", ids=ids) == []
    assert cast.rows("SELECT id FROM namespaces WHERE deleted_at IS NOT NULL") == []
    members = "SELECT user_id FROM members WHERE source_kind = 'group' AND source_id = :id"
    assert cast.rows(members, id=top["id"]) == []


def test_an_interrupted_removal_goes_on_where_it_stopped(cast, monkeypatch):
    top = make_group(cast.owner, "top")
    for number in range(3):
        child = make_group(cast.owner, f"child{number}", parent_id=top["id"])
        epic = f"/groups/{child['id']}/epics"
        cast.owner.post(epic, title="Epic")
        cast.owner.post(f"{epic}/1/notes", body="for @owner")
        cast.owner.post(f"{epic}/1/award_emoji", name="tada")
    erase, runs = operations.erase, []

    async def interrupted(tx, ids):
        runs.append(ids)
        if len(runs) == 2:
            raise OSError("the process ends here")
        return await erase(tx, ids)

    monkeypatch.setattr(tasks, "BATCH", 1)
    monkeypatch.setattr(operations, "erase", interrupted)
    gone = "SELECT id FROM namespaces WHERE deleted_at IS NOT NULL"
    cast.owner.delete(f"/groups/{top['id']}")
    assert len(cast.rows(gone)) == 3
    run_jobs(cast)
    assert cast.rows(gone) == []
    for table in ("epics", "notes WHERE noteable_kind = 'epic'", "awards", "mentions", "todos"):
        assert cast.rows(f"SELECT 1 FROM {table}") == []


def run_jobs(cast):
    """What waits for its moment waits no longer."""
    cast.rows("UPDATE jobs SET ready_at = created_at RETURNING id")
    drain(cast)


def test_a_group_that_changed_since_is_not_deleted(cast):
    group = make_group(cast.owner, "fresh")
    early = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2018 00:00:00 GMT"})
    answer = cast.owner.delete(f"/groups/{group['id']}", early)
    assert (answer.status, answer.json) == (412, {"message": "412 Precondition Failed"})
    late = Raw(headers={"If-Unmodified-Since": "Fri, 01 Jan 2999 00:00:00 GMT"})
    assert cast.owner.delete(f"/groups/{group['id']}", late).status == 204


def test_a_removal_takes_as_many_statements_whatever_is_below(cast):
    def cost_of_a_tree_of(size):
        top = make_group(cast.owner, f"top{size}")
        for number in range(size):
            child = make_group(cast.owner, f"child{number}", parent_id=top["id"])
            make_project(cast.owner, "inside", namespace_id=child["id"])
        with statements(cast.database) as used:
            cast.transact(lambda tx: remove(tx, top["id"]))
        return used.count

    assert cost_of_a_tree_of(1) == cost_of_a_tree_of(5)


async def remove(tx, group_id):
    await operations.remove(tx, SYSTEM, await find_group(tx, SYSTEM, Ref.of(group_id)))
