import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_group, make_project

AT = "POST /groups/{guild.id}/projects/{private.id}"


@cases(
    [
        Case("anonymous", AT, 401, events=[]),
        Case("owner", AT, 403, {"message": "403 Forbidden"}, events=[]),
        Case("shared", AT, 403, events=[]),
        Case("root", AT, 201, Has(full_path="guild"), events=["project.transferred"]),
        Case("root", "POST /groups/{guild.path}/projects/{private.encoded}", 201),
        Case("root", "POST /groups/999999/projects/{private.id}", 404, {"message": "404 Group Not Found"}, events=[]),
        Case("root", "POST /groups/{guild.id}/projects/999999", 404, {"message": "404 Project Not Found"}),
        Case(
            "root", "POST /groups/{team.id}/projects/{private.id}", 400,
            {"message": "Transfer failed, please contact an admin."}, events=[],
        ),
    ]
)  # fmt: skip
def test_administrators_move_a_project_into_a_group(case, cast):
    case.holds(cast)


def test_a_transferred_project_is_found_at_its_new_path_only(cast):
    answer = cast.root.post(f"/groups/{cast.guild.id}/projects/{cast.private.id}")
    assert [project["path_with_namespace"] for project in answer.json["projects"]] == ["guild/private"]
    moved = cast.root.get("/projects/guild%2Fprivate").json
    assert (moved["id"], moved["namespace"]["full_path"]) == (cast.private.id, "guild")
    assert cast.root.get(f"/projects/{cast.private.encoded}").status == 404
    assert cast.rows("SELECT path_folded, project_id FROM former_paths") == [(cast.private.path, cast.private.id)]
    assert cast.owner.get(f"/projects/{cast.private.id}").status == 404
    assert cast.master.get(f"/projects/{cast.private.id}").status == 200


def test_a_transfer_ends_the_share_with_the_new_group(cast):
    cast.root.post(f"/groups/{cast.guild.id}/projects/{cast.private.id}")
    assert cast.root.get(f"/projects/{cast.private.id}").json["shared_with_groups"] == []
    assert cast.shared.get(f"/projects/{cast.private.id}").json["permissions"]["group_access"]["access_level"] == 40


def test_a_project_becomes_no_more_visible_than_the_group(cast):
    hidden = make_group(cast.root, "hidden")
    cast.root.post(f"/groups/{hidden['id']}/projects/{cast.public.id}")
    assert cast.root.get(f"/projects/{cast.public.id}").json["visibility"] == "private"
    cast.root.post(f"/groups/{cast.guild.id}/projects/{cast.public.id}")
    assert cast.root.get(f"/projects/{cast.public.id}").json["visibility"] == "private"


@pytest.mark.parametrize(("name", "path", "what"), [("Other", "Private", "path"), ("private", "other", "name")])
def test_a_transfer_does_not_replace_another_project(cast, name, path, what):
    make_project(cast.root, name, path=path, namespace_id=cast.guild.id)
    answer = cast.root.post(f"/groups/{cast.guild.id}/projects/{cast.private.id}")
    reason = f"Project with same {what} in target namespace already exists"
    assert (answer.status, answer.json) == (
        400, {"message": f'Failed to transfer project {{:new_namespace=>["{reason}"]}}'},
    )  # fmt: skip


def test_the_owner_of_a_personal_project_keeps_access(cast):
    project = make_project(cast.guest, "mine")
    cast.root.post(f"/groups/{cast.guild.id}/projects/{project['id']}")
    moved = cast.guest.get(f"/projects/{project['id']}").json
    assert moved["permissions"]["project_access"]["access_level"] == 40
    assert "owner" not in moved


def test_issues_keep_the_labels_of_the_groups_left_behind(cast):
    group = make_group(cast.owner, "departed")
    kept = make_group(cast.owner, "arrived")
    for where, name, color in ((group, "bug", "#111111"), (group, "idea", "#222222"), (kept, "idea", "#333333")):
        cast.owner.post(f"/groups/{where['id']}/labels", name=name, color=color)
    cast.owner.post(f"/groups/{group['id']}/labels", name="unused", color="#444444")
    project = make_project(cast.owner, "traveller", namespace_id=group["id"])
    issue = cast.owner.post(f"/projects/{project['id']}/issues", title="x", labels="bug,idea,own").json
    cast.root.post(f"/groups/{kept['id']}/projects/{project['id']}")
    assert cast.owner.get(f"/projects/{project['id']}/issues/{issue['iid']}").json["labels"] == ["bug", "idea", "own"]
    usable = {each["name"]: each["color"] for each in cast.owner.get(f"/projects/{project['id']}/labels").json}
    assert (usable["bug"], usable["idea"], set(usable)) == ("#111111", "#333333", {"bug", "idea", "own"})


def test_boards_and_ranks_keep_the_labels_of_the_groups_left_behind(cast):
    group, kept = make_group(cast.owner, "departed"), make_group(cast.owner, "arrived")
    project = make_project(cast.owner, "traveller", namespace_id=group["id"])
    here = f"/projects/{project['id']}"
    own = cast.owner.post(f"{here}/labels", name="twin", color="#111111").json["id"]
    ids = [own, *(cast.owner.post(f"/groups/{group['id']}/labels", name=name, color="#222222").json["id"]
                  for name in ("twin", "to do", "done"))]  # fmt: skip
    done = cast.owner.post(f"/groups/{kept['id']}/labels", name="done", color="#333333").json["id"]
    lists = f"{here}/boards/{cast.owner.post(f'{here}/boards', name='Board').json['id']}/lists"
    for label_id in reversed(ids):
        assert cast.owner.post(lists, label_id=label_id).status == 201
    cast.owner.put(f"{here}/labels", name="to do", priority=3)
    cast.root.post(f"/groups/{kept['id']}/projects/{project['id']}")
    labels = {each["name"]: (each["id"], each["priority"]) for each in cast.owner.get(f"{here}/labels").json}
    assert (labels["done"], labels["twin"], labels["to do"][1]) == ((done, None), (own, None), 3)
    assert [(each["position"], each["label"]["name"], each["label"]["id"]) for each in cast.owner.get(lists).json] == [
        (0, "done", done), (1, "to do", labels["to do"][0]), (2, "twin", own),
    ]  # fmt: skip
    assert labels["to do"][0] not in ids


def test_issues_lose_the_milestones_of_the_groups_left_behind(cast):
    group, kept = make_group(cast.owner, "departed"), make_group(cast.owner, "arrived")
    gone = cast.owner.post(f"/groups/{group['id']}/milestones", title="Gone").json
    twin = cast.owner.post(f"/groups/{group['id']}/milestones", title="Twin").json
    there = cast.owner.post(f"/groups/{kept['id']}/milestones", title="Twin").json
    project = make_project(cast.owner, "traveller", namespace_id=group["id"])
    at = f"/projects/{project['id']}/issues"
    issues = [cast.owner.post(at, title="x", milestone_id=each["id"]).json["iid"] for each in (gone, twin)]
    cast.root.post(f"/groups/{kept['id']}/projects/{project['id']}")
    milestones = [cast.owner.get(f"{at}/{iid}").json["milestone"] for iid in issues]
    assert milestones[0] is None
    assert milestones[1]["id"] == there["id"]
