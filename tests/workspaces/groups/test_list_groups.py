import pytest

from mujina.code.repositories.operations import add_size, store_measures
from tests.harness.cases import Case, cases
from tests.harness.creation import chain, make_group, make_project, paths
from tests.harness.statements import statements


@pytest.fixture
def scene(cast):
    """A private and an internal group of the owner's beside the public ones of the cast."""
    make_group(cast.owner, "secret")
    make_group(cast.owner, "internal", visibility="internal")
    return cast


def listed(who, **query):
    answer = who.get("/groups", **query)
    assert answer.status == 200, answer
    return paths(answer.json)


def test_anonymous_callers_see_public_groups(scene):
    public = ["company", "company/department", "guild", "company/department/team"]
    assert listed(scene.anonymous) == public
    assert listed(scene.anonymous, all_available=True) == public


def test_signed_in_callers_see_their_own_groups_unless_they_ask_for_all(scene):
    assert listed(scene.stranger) == []
    assert listed(scene.stranger, all_available=True) == [
        "company", "company/department", "guild", "internal", "company/department/team",
    ]  # fmt: skip
    assert "internal" not in listed(scene.external, all_available=True)


def test_administrators_see_all(scene):
    everything = ["company", "company/department", "guild", "internal", "secret", "company/department/team"]
    assert listed(scene.root) == listed(scene.root, all_available=False) == everything


def test_membership_shows_the_groups_above_and_below(scene):
    tree = ["company", "company/department", "company/department/team"]
    assert listed(scene.inherited) == tree  # a member of the root
    assert listed(scene.guest) == tree  # a member of a project at the bottom
    assert listed(scene.shared) == ["company", "company/department", "guild", "company/department/team"]  # by a share
    assert listed(scene.owner) == ["company", "company/department", "internal", "secret", "company/department/team"]
    assert listed(scene.expired) == listed(scene.left) == []


def test_membership_of_a_project_shows_the_private_groups_above(cast):
    *_, bottom = chain(cast.owner, "top", "middle", "bottom")
    project = make_project(cast.owner, "inside", namespace_id=bottom["id"])
    assert listed(cast.stranger) == []
    cast.owner.post(f"/projects/{project['id']}/members", user_id=cast.stranger.id, access_level=10)
    assert listed(cast.stranger) == ["top/middle/bottom", "top/middle", "top"]


def test_owned_lists_groups_with_a_direct_owner_membership(scene):
    assert listed(scene.root, owned=True) == []
    assert listed(scene.owner, owned=True) == ["internal", "secret", "company/department/team"]
    assert listed(scene.inherited, owned=True) == []


def test_groups_are_found_by_name_or_path(cast):
    make_group(cast.owner, "group1", name="Ünlü Çıkış")
    assert listed(cast.owner, search="oup1") == ["group1"]
    assert listed(cast.owner, search="ÜNLÜ") == ["group1"]
    assert listed(cast.owner, search="nothing") == []
    assert listed(cast.owner, search="gr") == []


def test_groups_may_be_skipped(cast):
    assert listed(cast.anonymous, skip_groups=[cast.company.id, cast.guild.id]) == [
        "company/department", "company/department/team",
    ]  # fmt: skip


def test_groups_come_in_the_order_asked_for(cast):
    for path, name in (("aaa", "zzz"), ("bbb", "Yyy"), ("ccc", "xxx")):
        make_group(cast.stranger, path, name=name)
    assert listed(cast.stranger) == ["ccc", "bbb", "aaa"]
    assert listed(cast.stranger, sort="desc") == ["aaa", "bbb", "ccc"]
    assert listed(cast.stranger, order_by="path") == ["aaa", "bbb", "ccc"]
    assert listed(cast.stranger, order_by="path", sort="desc") == ["ccc", "bbb", "aaa"]
    assert cast.stranger.get("/groups", order_by="color").json == {"error": "order_by does not have a valid value"}


def test_statistics_are_for_administrators(cast):
    zero = {"storage_size": 0, "repository_size": 0, "lfs_objects_size": 0, "job_artifacts_size": 0}
    assert all("statistics" not in group for group in cast.owner.get("/groups", statistics=True).json)
    assert all(group["statistics"] == zero for group in cast.root.get("/groups", statistics=True).json)
    assert all("statistics" not in group for group in cast.root.get("/groups").json)


def test_statistics_add_up_the_projects_right_in_the_group(cast):
    for project, size in ((cast.private, 100), (cast.public, 20)):
        cast.transact(lambda tx, project=project, size=size: store_measures(tx, project.id, 1, size))
    cast.transact(lambda tx: add_size(tx, cast.public.id, "lfs_objects_size", 6))
    [team] = cast.root.get("/groups", statistics=True, search="team").json
    assert team["statistics"] == {
        "storage_size": 126, "repository_size": 120, "lfs_objects_size": 6, "job_artifacts_size": 0,
    }  # fmt: skip
    measured = cast.owner.get(f"/projects/{cast.public.id}", statistics=True).json["statistics"]
    assert (measured["storage_size"], measured["repository_size"], measured["lfs_objects_size"]) == (26, 20, 6)
    [company] = cast.root.get("/groups", statistics=True, search="company").json
    assert company["statistics"]["storage_size"] == 0


def test_a_group_in_a_list(cast):
    assert cast.anonymous.get("/groups", search="guild").json == [
        {
            "id": cast.guild.id,
            "name": "Guild",
            "path": "guild",
            "description": "",
            "visibility": "public",
            "lfs_enabled": True,
            "avatar_url": None,
            "web_url": "http://mujina.test/groups/guild",
            "request_access_enabled": False,
            "full_name": "Guild",
            "full_path": "guild",
            "parent_id": None,
            "ldap_cn": None,
            "ldap_access": None,
        }
    ]


def test_pages_add_up(cast):
    for number in range(5):
        make_group(cast.stranger, f"g{number}")
    pages = [cast.stranger.get("/groups", per_page=2, page=number) for number in (1, 2, 3, 4)]
    assert [paths(page.json) for page in pages] == [["g0", "g1"], ["g2", "g3"], ["g4"], []]
    assert {page.headers["X-Total"] for page in pages} == {"5"}


@cases([Case(who, "GET /groups", 200, statements=4) for who in ("root", "inherited", "anonymous", "shared")])
def test_a_list_takes_as_many_statements_for_every_caller(case, cast):
    case.holds(cast)


def test_a_list_takes_as_many_statements_whatever_its_length(cast):
    make_group(cast.stranger, "first")
    with statements(cast.database) as one:
        cast.stranger.get("/groups")
    for number in range(10):
        make_group(cast.stranger, f"g{number}")
    with statements(cast.database) as many:
        cast.stranger.get("/groups")
    assert many.count == one.count


def test_the_list_keeps_to_a_level_the_top_and_a_visibility(scene):
    assert listed(scene.owner, min_access_level=50) == ["internal", "secret", "company/department/team"]
    assert listed(scene.inherited, min_access_level=40) == []
    assert listed(scene.root, top_level_only=True) == ["company", "guild", "internal", "secret"]
    assert listed(scene.root, visibility="private") == ["secret"]
    newest = ["internal", "secret"]
    for order in ("id", "created_at"):
        assert listed(scene.root, order_by=order, sort="desc", per_page=2, pagination="keyset") == newest
    assert listed(scene.root, order_by="similarity") == listed(scene.root)
