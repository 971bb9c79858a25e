"""POST /groups/:id/transfer."""

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import chain, make_group, make_project, new_user

AT = "POST /groups/{team.id}/transfer"


@cases(
    [
        Case("anonymous", AT, 401, events=[]),
        Case("master", AT, 403, {"message": "403 Forbidden"}, events=[]),
        Case("owner", AT, 201, Has(full_path="team", parent_id=None), events=["group.transferred"]),
        Case("root", "POST /groups/{team.encoded}/transfer?group_id={guild.id}", 201, Has(full_path="guild/team")),
        Case("root", f"{AT}?group_id=999999", 404, {"message": "404 Group Not Found"}, events=[]),
        Case("owner", f"{AT}?group_id={{guild.id}}", 403, {"message": "403 Forbidden"}, events=[]),
        Case(
            "root", f"{AT}?group_id={{team.id}}", 400,
            {"message": {"parent_id": ["is the group itself or a group below it"]}}, events=[],
        ),
        Case(
            "root", "POST /groups/{guild.id}/transfer", 400,
            {"message": {"parent_id": ["is where the group already is"]}}, events=[],
        ),
    ]
)  # fmt: skip
def test_owners_move_a_group(case, cast):
    case.holds(cast)


def test_everything_below_moves_along_and_old_paths_redirect(cast):
    top, middle, low = chain(cast.owner, "top", "middle", "low")
    target = make_group(cast.owner, "target")
    project = make_project(cast.owner, "deep", namespace_id=low["id"])
    member = new_user(cast, "visitor")
    cast.owner.post(f"/groups/{top['id']}/members", user_id=member.id, access_level=30)
    cast.owner.post(f"/projects/{project['id']}/share", group_id=target["id"], group_access=30)
    assert member.get(f"/projects/{project['id']}").status == 200
    moved = cast.owner.post(f"/groups/{middle['id']}/transfer", group_id=target["id"])
    assert (moved.status, moved.json["full_path"], moved.json["full_name"]) == (201, "target/middle", "target / middle")
    shown = cast.owner.get(f"/projects/{project['id']}").json
    assert (shown["path_with_namespace"], shown["name_with_namespace"]) == (
        "target/middle/low/deep",
        "target / middle / low / deep",
    )
    assert shown["shared_with_groups"] == []
    assert member.get(f"/projects/{project['id']}").status == 404
    former = {path for path, *_ in cast.rows("SELECT path_folded FROM former_paths")}
    assert {"top/middle", "top/middle/low", "top/middle/low/deep"} <= former
    depths = cast.rows("SELECT ancestor_id, depth FROM group_tree WHERE group_id = :id ORDER BY depth", id=low["id"])
    assert depths == [(low["id"], 0), (middle["id"], 1), (target["id"], 2)]
    below = cast.owner.post(f"/groups/{target['id']}/transfer", group_id=low["id"])
    assert (below.status, below.json["message"]) == (400, {"parent_id": ["is the group itself or a group below it"]})


def test_a_group_is_not_moved_where_it_does_not_fit(cast):
    [group] = chain(cast.owner, "moving", visibility="public")
    hidden = make_group(cast.owner, "hidden")
    make_group(cast.owner, "moving", parent_id=hidden["id"])
    refused = cast.owner.post(f"/groups/{group['id']}/transfer", group_id=hidden["id"])
    reason = "public is not allowed since the parent group has a private visibility."
    assert (refused.status, refused.json["message"]) == (
        400,
        {
            "visibility_level": [reason],
            "path": ["has already been taken"],
            "name": ["has already been taken"],
        },
    )
    *_, deepest = chain(cast.owner, *(f"d{n}" for n in range(20)))
    [upper, _] = chain(cast.owner, "upper", "lower")
    refused = cast.owner.post(f"/groups/{upper['id']}/transfer", group_id=deepest["id"])
    assert (refused.status, refused.json["message"]) == (400, {"parent_id": ["has too deep level of nesting"]})
    assert cast.owner.get(f"/groups/{upper['id']}").json["full_path"] == "upper"


def test_a_group_at_the_top_level_has_an_owner(cast):
    cast.root.post("/groups", name="Inner", path="inner", parent_id=cast.team.id)
    cast.transact(
        lambda tx: tx.run("DELETE FROM members WHERE source_kind = 'group' AND user_id = :id", id=cast.root.id)
    )
    inner = f"{cast.team.encoded}%2Finner"
    assert cast.owner.post(f"/groups/{inner}/transfer").status == 201
    assert [each["username"] for each in cast.owner.get("/groups/inner/members").json] == [cast.owner.username]
    external = new_user(cast, "outside", external=True)
    cast.owner.post("/groups/inner/members", user_id=external.id, access_level=50)
    make_group(cast.owner, "below", parent_id=cast.owner.get("/groups/inner").json["id"])
    assert external.post("/groups/inner%2Fbelow/transfer").status == 403
    # Who owned it through its former parent alone gets an answer, and loses it.
    settler = new_user(cast, "settler")
    lower = make_group(cast.owner, "lower", parent_id=cast.team.id)
    cast.owner.post(f"/groups/{lower['id']}/members", user_id=settler.id, access_level=50)
    cast.owner.delete(f"/groups/{lower['id']}/members/{cast.owner.id}")
    moved = cast.owner.post(f"/groups/{lower['id']}/transfer")
    assert (moved.status, moved.json["full_path"]) == (201, "lower")
    assert cast.owner.get(f"/groups/{lower['id']}").status == 404
    assert settler.get(f"/groups/{lower['id']}").json["parent_id"] is None


def test_projects_below_keep_the_labels_and_lose_the_epics_of_the_groups_left_behind(cast):
    left, moved = chain(cast.owner, "west", "moved")
    arrived = make_group(cast.owner, "arrived")
    for where, name in ((left, "bug"), (left, "idea"), (arrived, "idea")):
        cast.owner.post(f"/groups/{where['id']}/labels", name=name, color="#112233")
    project = make_project(cast.owner, "inside", namespace_id=moved["id"])
    milestone = cast.owner.post(f"/groups/{left['id']}/milestones", title="Soon").json
    here = f"/projects/{project['id']}"
    issue = cast.owner.post(f"{here}/issues", title="x", labels="bug,idea", milestone_id=milestone["id"]).json
    epic = cast.owner.post(f"/groups/{left['id']}/-/epics", title="Large").json
    cast.owner.post(f"/groups/{left['id']}/-/epics/{epic['iid']}/issues/{issue['id']}")
    own = cast.owner.post(f"/groups/{moved['id']}/-/epics", title="Own").json
    board = cast.owner.post(f"/groups/{moved['id']}/boards", name="Plan").json
    label = next(each for each in cast.owner.get(f"/groups/{left['id']}/labels").json if each["name"] == "bug")
    assert cast.owner.post(f"/groups/{moved['id']}/boards/{board['id']}/lists", label_id=label["id"]).status == 201
    assert cast.owner.post(f"/groups/{moved['id']}/transfer", group_id=arrived["id"]).status == 201
    shown = cast.owner.get(f"{here}/issues/{issue['iid']}").json
    assert (shown["labels"], shown["milestone"]) == (["bug", "idea"], None)
    assert cast.owner.get(f"/groups/{left['id']}/-/epics/{epic['iid']}/issues").json == []
    assert cast.owner.get(f"/groups/{moved['id']}/boards/{board['id']}").json["lists"] == []
    totals = [cast.owner.get(f"/groups/{group['id']}/-/epics") for group in (left, arrived)]
    assert [(answer.headers["X-Total"], [each["id"] for each in answer.json]) for answer in totals] == [
        ("1", [epic["id"]]),
        ("1", [own["id"]]),
    ]
