from typing import Any

import pytest

from tests.harness.cases import Case, Has, cases, differences
from tests.harness.creation import chain, make_group, new_user

NEW: dict[str, Any] = {"name": "New Group", "path": "fresh"}
PATH_RULE = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
)


def refused(field: str, text: str) -> dict[str, object]:
    return {"message": {field: [text]}}


@cases(
    [
        Case("anonymous", "POST /groups", 401, params=NEW, events=[]),
        Case("read_user", "POST /groups", 403, params=NEW, events=[]),
        Case("stranger", "POST /groups", 201, Has(full_path="fresh"), NEW, events=["group.created"], statements=20),
        Case("root", "POST /groups", 201, Has(full_path="fresh"), NEW),
        Case("stranger", "POST /groups", 400, Has(message='400 (Bad request) "path" not given'), {"name": "x"}),
        Case("stranger", "POST /groups", 400, Has(message='400 (Bad request) "name" not given'), {"path": "x"}),
    ]
)
def test_a_user_creates_a_group(case, cast):
    case.holds(cast)


def test_a_new_group_is_shown_whole(cast):
    group = cast.stranger.post("/groups", name="New Group", path="fresh").json
    assert group == {
        "id": group["id"],
        "name": "New Group",
        "path": "fresh",
        "description": "",
        "visibility": "private",
        "lfs_enabled": True,
        "avatar_url": None,
        "web_url": "http://mujina.test/groups/fresh",
        "request_access_enabled": False,
        "full_name": "New Group",
        "full_path": "fresh",
        "parent_id": None,
        "ldap_cn": None,
        "ldap_access": None,
        "projects": [],
        "shared_projects": [],
        "shared_runners_minutes_limit": None,
        "shared_with_groups": [],
    }


def test_the_creator_of_a_group_owns_it(cast):
    for who in (cast.stranger, cast.root):
        group = make_group(who, f"of-{who.name}")
        child = make_group(who, "child", parent_id=group["id"])
        for each in (group, child):
            members = who.get(f"/groups/{each['id']}/members").json
            assert differences([Has(id=who.id, access_level=50, expires_at=None)], members) == []


def test_top_level_groups_need_the_right_to_create_groups(cast):
    modest = new_user(cast, "modest", can_create_group=False)
    assert modest.post("/groups", **NEW).json == {"message": "403 Forbidden"}
    group = make_group(cast.owner, "theirs")
    cast.owner.post(f"/groups/{group['id']}/members", user_id=modest.id, access_level=50)
    assert modest.post("/groups", parent_id=group["id"], **NEW).status == 201


@pytest.mark.parametrize(
    ("who", "status"),
    [("owner", 201), ("root", 201), ("master", 403), ("inherited", 403), ("shared", 403), ("stranger", 403)],
)
def test_the_owner_of_a_group_makes_subgroups(cast, who, status):
    answer = getattr(cast, who).post("/groups", parent_id=cast.team.id, **NEW)
    assert answer.status == status
    if status == 201:
        assert (answer.json["full_path"], answer.json["parent_id"]) == ("company/department/team/fresh", cast.team.id)
        assert answer.json["full_name"] == "Company / Department / Team / New Group"


def test_a_master_of_the_parent_may_not_make_subgroups(cast):
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=40)
    assert cast.stranger.post("/groups", parent_id=cast.team.id, **NEW).status == 403


def test_a_hidden_parent_is_not_found(cast):
    hidden = make_group(cast.owner, "hidden")
    for parent_id in (hidden["id"], 999_999, -1, 2**63 - 1):
        answer = cast.stranger.post("/groups", parent_id=parent_id, **NEW)
        assert (answer.status, answer.json) == (404, {"message": "404 Group Not Found"})


@pytest.mark.parametrize("path", ["-x", "x.git", "x.atom", "x.", "x y", "x/y", "ü", "x.GIT"])
def test_a_path_has_a_form(cast, path):
    answer = cast.stranger.post("/groups", name="New", path=path)
    assert (answer.status, answer.json) == (400, refused("path", PATH_RULE))


@pytest.mark.parametrize("path", ["api", "users", "Admin", "groups", "-"])
def test_some_words_are_reserved_at_the_top(cast, path):
    answer = cast.stranger.post("/groups", name="New", path=path)
    assert answer.status == 400
    expected = PATH_RULE if path == "-" else f"{path} is a reserved name"
    assert answer.json == refused("path", expected)


@pytest.mark.parametrize("path", ["badges", "tree", "wikis"])
def test_some_words_are_reserved_below_a_group(cast, path):
    assert make_group(cast.owner, path)["full_path"] == path
    answer = cast.owner.post("/groups", name="New", path=path, parent_id=cast.team.id)
    assert answer.json == refused("path", f"{path} is a reserved name")


@pytest.mark.parametrize("path", ["stranger", "Stranger", "company", "COMPANY"])
def test_a_path_belongs_to_one_project_or_group(cast, path):
    answer = cast.owner.post("/groups", name="New", path=path)
    assert (answer.status, answer.json) == (400, refused("path", "has already been taken"))


def test_a_subgroup_may_not_take_the_path_of_a_project(cast):
    answer = cast.owner.post("/groups", name="New", path="Private", parent_id=cast.team.id)
    assert answer.json == refused("path", "has already been taken")


def test_groups_beside_each_other_differ_in_name(cast):
    assert cast.owner.post("/groups", name="Company", path="fresh").json == refused("name", "has already been taken")
    assert cast.owner.post("/groups", name="company", path="fresh").status == 201
    first = make_group(cast.owner, "first", parent_id=cast.team.id, name="Twin")
    assert make_group(cast.owner, "second", parent_id=first["id"], name="Twin")["name"] == "Twin"
    answer = cast.owner.post("/groups", name="Twin", path="third", parent_id=cast.team.id)
    assert answer.json == refused("name", "has already been taken")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "can't be blank"),
        (" ", "can't be blank"),
        ("a/b", "can contain only letters, digits, '_', '.', dash and space."),
        ("<b>", "can contain only letters, digits, '_', '.', dash and space."),
        ("x" * 256, "is too long (maximum is 255 characters)"),
    ],
)
def test_a_name_has_a_form(cast, name, complaint):
    answer = cast.stranger.post("/groups", name=name, path="fresh")
    assert (answer.status, answer.json) == (400, refused("name", complaint))


def test_names_of_many_scripts_are_fine(cast):
    for number, name in enumerate(["Ünï – Çode 2.0", "研究室", "हिन्दी", "a_b-c.d e"]):
        assert make_group(cast.stranger, f"n{number}", name=name)["full_name"] == name


def test_all_errors_are_reported_at_once(cast):
    answer = cast.stranger.post("/groups", name="", path="", description="x" * 256)
    assert answer.json == {
        "message": {
            "name": ["can't be blank"],
            "path": ["can't be blank"],
            "description": ["is too long (maximum is 255 characters)"],
        }
    }


def test_a_subgroup_is_no_more_visible_than_its_parent(cast):
    parent = make_group(cast.owner, "parent")
    answer = cast.owner.post("/groups", visibility="public", parent_id=parent["id"], **NEW)
    assert (answer.status, answer.json) == (
        400,
        refused("visibility_level", "public is not allowed since the parent group has a private visibility."),
    )
    assert cast.owner.post("/groups", visibility="hidden", **NEW).json == {
        "error": "visibility does not have a valid value"
    }


def test_a_group_is_created_with_settings(cast):
    group = make_group(
        cast.owner, "new", description="About us", visibility="internal", lfs_enabled=False, request_access_enabled=True
    )
    params = {"description": "About us", "visibility": "internal", "lfs_enabled": False, "request_access_enabled": True}
    assert {name: group[name] for name in params} == params


def test_groups_nest_twenty_deep_and_no_deeper(cast):
    made = chain(cast.stranger, *(f"g{depth}" for depth in range(21)))
    assert made[-1]["full_path"].count("/") == 20
    answer = cast.stranger.post("/groups", name="x", path="x", parent_id=made[-1]["id"])
    assert (answer.status, answer.json) == (400, refused("parent_id", "has too deep level of nesting"))


def test_a_new_subgroup_inherits_the_sharing_lock(cast):
    parent = make_group(cast.owner, "parent", share_with_group_lock=True)
    child = make_group(cast.owner, "child", parent_id=parent["id"])
    open_ = cast.owner.put(f"/groups/{parent['id']}", share_with_group_lock=False)
    assert open_.status == 200
    assert cast.rows("SELECT share_with_group_lock FROM groups WHERE id = :id", id=child["id"]) == [(1,)]


def test_only_administrators_set_the_minutes_of_shared_runners(cast):
    assert cast.owner.post("/groups", shared_runners_minutes_limit=100, **NEW).json == {"message": "403 Forbidden"}
    assert make_group(cast.root, "new", shared_runners_minutes_limit=100)["shared_runners_minutes_limit"] == 100


def test_the_length_of_a_full_path_is_limited(cast):
    refused = {"message": {"full_path": ["is too long (maximum is 1024 characters)"]}}
    top, *_, last = chain(cast.owner, "a", *("b" * 255 for _ in range(3)), "c" * 252)
    assert len(last["full_path"]) == 1_022
    below = {"name": "x", "parent_id": last["id"]}
    assert cast.owner.post("/groups", path="xx", **below).json == refused
    assert cast.owner.post("/projects", name="x", path="xx", namespace_id=last["id"]).json == refused
    assert cast.owner.post("/groups", path="x", **below).status == 201
    assert cast.owner.put(f"/groups/{top['id']}", path="aa").json == refused
    assert cast.owner.put(f"/groups/{top['id']}", path="z").status == 200
