import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import chain, make_group, make_project, paths
from tests.harness.statements import statements

AT = "PUT /groups/{team.id}"
LOCKED_BY_PARENT = (
    'cannot be disabled when the parent group "Share with group lock" is enabled, '
    "except by the owner of the parent group"
)
TAKEN = {"message": {"path": ["has already been taken"]}}


@cases(
    [
        Case("anonymous", AT, 401, params={"description": "x"}, events=[]),
        Case("stranger", AT, 403, {"message": "403 Forbidden"}, {"description": "x"}, events=[]),
        Case("inherited", AT, 403, params={"description": "x"}, events=[]),
        Case("master", AT, 403, params={"description": "x"}, events=[]),
        Case("owner", AT, 200, Has(description="x"), {"description": "x"}, events=["group.updated"], statements=14),
        Case("root", AT, 200, Has(description=""), {"description": ""}),
        Case("owner", AT, 200, Has(name="Team"), {}),
        Case("owner", "PUT /groups/999999", 404, {"message": "404 Group Not Found"}, {"description": "x"}),
    ]
)
def test_owners_edit_a_group(case, cast):
    case.holds(cast)


def test_a_master_of_the_group_may_not_edit_it(cast):
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=40)
    assert cast.stranger.put(f"/groups/{cast.team.id}", description="x").status == 403


def test_parameters_left_out_change_nothing(cast):
    params = {"description": "About", "visibility": "internal", "lfs_enabled": False, "request_access_enabled": True}
    group = make_group(cast.owner, "fresh", **params)
    answer = cast.owner.put(f"/groups/{group['id']}", name="Other").json
    assert {**answer, "name": "fresh", "full_name": "fresh"} == group
    assert answer["full_name"] == "Other"


def test_every_setting_may_be_changed(cast):
    group = make_group(cast.owner, "fresh")
    answer = cast.owner.put(
        f"/groups/{group['id']}",
        description="About", visibility="public", lfs_enabled=False, request_access_enabled=True,
        membership_lock=True, share_with_group_lock=True,
    ).json  # fmt: skip
    params = {"description": "About", "visibility": "public", "lfs_enabled": False, "request_access_enabled": True}
    assert {name: answer[name] for name in params} == params
    assert cast.rows("SELECT membership_lock, share_with_group_lock FROM groups WHERE id = :id", id=group["id"]) == [
        (1, 1)
    ]


def test_a_new_path_moves_everything_below(cast):
    top, _, bottom = chain(cast.owner, "top", "middle", "bottom", visibility="public")
    project = make_project(cast.owner, "deep", namespace_id=bottom["id"])
    make_group(cast.owner, "top0")  # sorts right behind what is below `top/`
    make_group(cast.owner, "top-2")
    answer = cast.owner.put(f"/groups/{top['id']}", path="Renamed", name="New Name")
    assert (answer.json["full_path"], answer.json["full_name"]) == ("Renamed", "New Name")
    assert paths(cast.owner.get("/groups", search="bottom").json) == ["Renamed/middle/bottom"]
    assert cast.owner.get("/groups/renamed%2Fmiddle").json["full_name"] == "New Name / middle"
    moved = cast.owner.get(f"/projects/{project['id']}").json
    assert moved["path_with_namespace"] == "Renamed/middle/bottom/deep"
    assert moved["name_with_namespace"] == "New Name / middle / bottom / deep"
    assert moved["http_url_to_repo"] == "http://mujina.test/Renamed/middle/bottom/deep.git"
    for old in ("top", "top%2Fmiddle", "top%2Fmiddle%2Fbottom"):
        assert cast.owner.get(f"/groups/{old}").status == 404
    assert cast.owner.get("/projects/top%2Fmiddle%2Fbottom%2Fdeep").status == 404
    assert cast.owner.get("/groups/top0").status == cast.owner.get("/groups/top-2").status == 200


def test_former_paths_are_kept_until_they_are_claimed(cast):
    top, _ = chain(cast.owner, "top", "below")
    cast.owner.put(f"/groups/{top['id']}", path="elsewhere")
    former = "SELECT path_folded FROM former_paths ORDER BY path_folded"
    assert cast.rows(former) == [("top",), ("top/below",)]
    make_group(cast.stranger, "top", name="Another")
    assert cast.rows(former) == [], "what was below it is no longer there either"
    cast.owner.put(f"/groups/{top['id']}", path="back")
    cast.owner.put(f"/groups/{top['id']}", path="elsewhere")
    assert cast.rows(former) == [("back",), ("back/below",)]


def test_a_rename_takes_as_many_statements_whatever_is_below(cast):
    top = make_group(cast.owner, "top")
    with statements(cast.database) as alone:
        cast.owner.put(f"/groups/{top['id']}", path="one", name="One")
    for number in range(5):
        child = make_group(cast.owner, f"child{number}", parent_id=top["id"])
        make_project(cast.owner, "inside", namespace_id=child["id"])
    with statements(cast.database) as crowded:
        cast.owner.put(f"/groups/{top['id']}", path="two", name="Two")
    assert crowded.count == alone.count


def test_only_the_case_of_a_path_may_change(cast):
    group = make_group(cast.owner, "fresh")
    assert cast.owner.put(f"/groups/{group['id']}", path="Fresh").json["full_path"] == "Fresh"
    assert cast.owner.get("/groups/fresh").json["path"] == "Fresh"


@pytest.mark.parametrize("path", ["guild", "Stranger"])
def test_a_used_path_is_taken(cast, path):
    group = make_group(cast.owner, "fresh")
    answer = cast.owner.put(f"/groups/{group['id']}", path=path)
    assert (answer.status, answer.json) == (400, TAKEN)
    below = make_group(cast.owner, "below", parent_id=group["id"])
    make_group(cast.owner, "beside", parent_id=group["id"])
    assert cast.owner.put(f"/groups/{below['id']}", path="BESIDE").json == TAKEN


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"name": ""}, {"name": ["can't be blank"]}),
        ({"name": "a/b"}, {"name": ["can contain only letters, digits, '_', '.', dash and space."]}),
        ({"name": "Guild"}, {"name": ["has already been taken"]}),
        ({"path": ""}, {"path": ["can't be blank"]}),
        ({"path": "api"}, {"path": ["api is a reserved name"]}),
        ({"description": "x" * 256}, {"description": ["is too long (maximum is 255 characters)"]}),
    ],
)
def test_an_edit_is_checked_like_a_creation(cast, params, problem):
    group = make_group(cast.owner, "fresh")
    answer = cast.owner.ask("PUT", f"/groups/{group['id']}", params=params)
    assert (answer.status, answer.json) == (400, {"message": problem})


def test_a_group_is_no_more_visible_than_its_parent(cast):
    _, child = chain(cast.owner, "top", "below", visibility="internal")
    answer = cast.owner.put(f"/groups/{child['id']}", visibility="public")
    assert (answer.status, answer.json) == (
        400,
        {"message": {"visibility_level": ["public is not allowed since the parent group has a internal visibility."]}},
    )


def test_a_group_is_no_less_visible_than_what_it_contains(cast):
    top = make_group(cast.owner, "top", visibility="public")
    make_project(cast.owner, "seen", namespace_id=top["id"], visibility="public")
    make_group(cast.owner, "below", parent_id=top["id"], visibility="internal")
    answer = cast.owner.put(f"/groups/{top['id']}", visibility="private")
    assert (answer.status, answer.json) == (
        400,
        {
            "message": {
                "visibility_level": [
                    "private is not allowed since this group contains projects with higher visibility.",
                    "private is not allowed since there are sub-groups with higher visibility.",
                ]
            }
        },
    )
    assert cast.owner.put(f"/groups/{top['id']}", visibility="public").status == 200


def test_the_sharing_lock_applies_to_subgroups_and_owners_of_the_parent_lift_it(cast):
    top, middle, bottom = chain(cast.owner, "top", "middle", "bottom")
    cast.owner.post(f"/groups/{middle['id']}/members", user_id=cast.stranger.id, access_level=50)
    cast.owner.put(f"/groups/{top['id']}", share_with_group_lock=True)
    locked = "SELECT id FROM groups WHERE share_with_group_lock ORDER BY id"
    assert cast.rows(locked) == [(top["id"],), (middle["id"],), (bottom["id"],)]
    answer = cast.stranger.put(f"/groups/{middle['id']}", share_with_group_lock=False)
    assert (answer.status, answer.json) == (400, {"message": {"share_with_group_lock": [LOCKED_BY_PARENT]}})
    assert cast.owner.put(f"/groups/{middle['id']}", share_with_group_lock=False).status == 200
    assert cast.rows(locked) == [(top["id"],), (bottom["id"],)]
    assert cast.stranger.put(f"/groups/{bottom['id']}", share_with_group_lock=False).status == 200


def test_the_sharing_lock_suspends_shares_without_deleting_them(cast):
    assert cast.shared.get(f"/projects/{cast.private.id}").status == 200
    cast.owner.put(f"/groups/{cast.team.id}", share_with_group_lock=True)
    assert cast.shared.get(f"/projects/{cast.private.id}").status == 404
    cast.owner.put(f"/groups/{cast.team.id}", share_with_group_lock=False)
    assert cast.shared.get(f"/projects/{cast.private.id}").status == 200


def test_only_administrators_set_the_minutes_of_shared_runners(cast):
    assert cast.owner.put(f"/groups/{cast.team.id}", shared_runners_minutes_limit=5).status == 403
    answer = cast.root.put(f"/groups/{cast.team.id}", shared_runners_minutes_limit=5).json
    assert answer["shared_runners_minutes_limit"] == 5
    answer = cast.root.put(f"/groups/{cast.team.id}", shared_runners_minutes_limit="").json
    assert answer["shared_runners_minutes_limit"] is None


def test_a_group_does_not_move_to_another_parent(cast):
    group = make_group(cast.owner, "fresh")
    assert cast.owner.put(f"/groups/{group['id']}", parent_id=cast.team.id).json["parent_id"] is None
