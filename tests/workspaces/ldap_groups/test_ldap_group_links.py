"""Links from groups to groups of a directory, the list of those groups, and the request for a synchronization."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.creation import make_group

LINKS = "POST /groups/{team.id}/ldap_group_links"
LINK = {"cn": "dev", "group_access": 30, "provider": "ldapmain"}
NOT_LINKED = {"message": "Linked LDAP group not found"}


@cases([
    Case("anonymous", LINKS, 401, {"message": "401 Unauthorized"}, LINK),
    Case("stranger", "POST /groups/999999/ldap_group_links", 404, {"message": "404 Group Not Found"}, LINK),
    Case("inherited", LINKS, 403, {"message": "403 Forbidden"}, LINK, events=[]),
    Case("owner", LINKS, 201, LINK, LINK, events=["ldap_group_link.created"]),
    Case("root", "POST /groups/{team.encoded}/ldap_group_links", 201, LINK, LINK),
    Case("owner", LINKS, 400, {"error": "group_access does not have a valid value"}, LINK | {"group_access": 15}),
    Case("owner", LINKS, 400, {"message": {"cn": ["can't be blank"]}}, LINK | {"cn": ""}),
    Case("owner", LINKS, 400, {"message": {"cn": ["is invalid"]}}, LINK | {"cn": "a\nb"}),
    Case("owner", "DELETE /groups/{team.id}/ldap_group_links/dev", 404, NOT_LINKED),
    Case("owner", "DELETE /groups/{team.id}/ldap_group_links/ldapmain/dev", 404, NOT_LINKED),
    Case("inherited", "DELETE /groups/{team.id}/ldap_group_links/dev", 403),
    # This instance has no directory.
    Case("root", "GET /ldap/groups", 404, {"message": "404 Not Found"}),
    Case("guest", "GET /ldap/groups", 403),
    Case("anonymous", "POST /groups/{team.id}/ldap_sync", 401),
    Case("root", "POST /groups/{team.id}/ldap_sync", 404, {"message": "404 Not Found"}),
    Case("root", "POST /groups/999999/ldap_sync", 404, {"message": "404 Not Found"}),
])  # fmt: skip
def test_owners_link_groups(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_page_offers_no_synchronization_without_a_directory(browse, cast):
    assert cast.owner.post(f"/groups/{cast.team.id}/ldap_group_links", **LINK).status == 201
    page = browse("owner").open(f"/groups/{cast.team.path}/-/ldap_group_links").text
    assert ("Remove link" in page, "No LDAP server is configured" in page, "Synchronize now" in page) == (
        True,
        True,
        False,
    )


def test_links_are_one_for_each_name_and_provider(cast):
    here = f"/groups/{cast.team.id}/ldap_group_links"
    assert cast.owner.post(here, **LINK).status == 201
    again = cast.owner.post(here, **LINK | {"group_access": 10})
    assert (again.status, again.json) == (409, {"message": "Cn has already been taken"})
    assert cast.owner.post(here, **LINK | {"provider": "ldapb", "group_access": 20}).status == 201
    assert cast.owner.get(here).json == [LINK, LINK | {"provider": "ldapb", "group_access": 20}]
    first = cast.owner.get(here, per_page=1)
    assert (first.json, first.headers["X-Total"]) == ([LINK], "2")
    shown = cast.guest.get(f"/groups/{cast.team.id}").json
    assert (shown["ldap_cn"], shown["ldap_access"]) == ("dev", 30)
    listed = next(group for group in cast.owner.get("/groups").json if group["id"] == cast.team.id)
    assert listed["ldap_group_links"] == shown["ldap_group_links"] == cast.owner.get(here).json
    spaced = LINK | {"provider": "ldap two", "cn": "all of us"}
    assert cast.owner.post(here, **spaced).status == 201
    assert cast.guest.get(f"/groups/{cast.team.id}").json["ldap_group_links"][-1] == spaced
    assert cast.owner.delete(f"{here}/ldap%20two/all%20of%20us").status == 204
    assert cast.owner.delete(f"{here}/ldapb/dev").status == 204
    assert cast.owner.delete(f"{here}/dev").status == 204
    shown = cast.guest.get(f"/groups/{cast.team.id}").json
    assert (shown["ldap_cn"], shown["ldap_access"], "ldap_group_links" in shown) == (None, None, False)


def test_a_new_group_may_be_linked_and_the_edition_decides(world, set_edition):
    root = world.default.root
    half = root.post("/groups", name="half", path="half", ldap_cn="dev")
    assert (half.status, half.json) == (400, {"error": "ldap_cn, ldap_access provide all or none of parameters"})
    group = root.post("/groups", name="whole", path="whole", ldap_cn="dev", ldap_access=30).json
    assert (group["ldap_cn"], group["ldap_access"]) == ("dev", 30)
    assert group["ldap_group_links"] == [LINK]
    only_admins = world.cast(allow_group_owners_to_manage_ldap=False)
    assert only_admins.owner.post(f"/groups/{only_admins.team.id}/ldap_group_links", **LINK).status == 403
    assert only_admins.root.post(f"/groups/{only_admins.team.id}/ldap_group_links", **LINK).status == 201
    new = {"name": "new", "path": "new", "ldap_cn": "dev", "ldap_access": 30}
    assert [only_admins.owner.post("/groups", **new).status, only_admins.root.post("/groups", **new).status] == [
        403,
        201,
    ]
    set_edition("core")
    for request in ("ldap_group_links", "ldap_sync"):
        answer = root.post(f"/groups/{group['id']}/{request}", **LINK)
        assert (answer.status, answer.json) == (404, {"message": "404 Not Found"})
    assert root.get(f"/groups/{group['id']}").json["ldap_cn"] is None


def test_a_synchronization_is_requested_once(world):
    cast = world.default
    hidden = make_group(cast.root, "hidden", visibility="private")["id"]
    for request in ("ldap_sync", "ldap_group_links"):
        assert cast.stranger.post(f"/groups/{hidden}/{request}", **LINK).status == 404
    assert cast.inherited.post(f"/groups/{cast.team.id}/ldap_sync").status == 403
    for _ in range(2):
        answer = cast.owner.post(f"/groups/{cast.team.id}/ldap_sync")
        assert (answer.status, answer.json) == (202, {"message": "202 Accepted"})
    cast.run("UPDATE ldap_group_syncs SET status = 'started'")
    before = world.value("SELECT last_update_at FROM ldap_group_syncs")
    assert cast.owner.post(f"/groups/{cast.team.id}/ldap_sync").status == 202
    assert world.value("SELECT last_update_at FROM ldap_group_syncs") == before


def test_administrators_list_the_groups_of_a_directory(world):
    someone = f"uid=x,{world.tree.people}"
    for n in range(21):
        world.tree.group(f"dev{n:02}", someone)
    world.tree.group("ops", someone)
    world.tree.group("a*b", someone)
    world.tree.flush()
    cast = world.default
    assert cast.owner.get("/ldap/groups").status == 403
    assert cast.anonymous.get("/ldap/groups").status == 401
    assert len(cast.root.get("/ldap/groups").json) == 20
    assert cast.root.get("/ldap/groups", search="op").json == [{"cn": "ops"}]
    assert cast.root.get("/ldap/ldapmain/groups", search="DEV2").json == [{"cn": "dev20"}]
    assert cast.root.get("/ldap/groups", search="*").json == []
    assert cast.root.get("/ldap/groups", search="a*").json == [{"cn": "a*b"}]
    unknown = cast.root.get("/ldap/ldapx/groups")
    assert (unknown.status, unknown.json) == (404, {"message": "404 Provider Not Found"})


@pytest.mark.parametrize("trouble", ["down", "silent"])
def test_a_directory_that_does_not_answer_gives_503_and_delays_no_other_request(world, trouble, unfriendly_server):
    cast = world.cast(world.directory(url=unfriendly_server(trouble), timeout=1))

    async def ask_beside():
        slow = world.stage.loop.create_task(cast.root.exchange("GET", "/ldap/groups"))
        others = [await cast.guest.exchange("GET", "/user") for _ in range(5)]
        return slow.done(), others, await slow

    done, others, slow = world.run(ask_beside())
    assert (slow.status, "cannot be reached" in slow.text) == (503, True)
    assert {answer.status for answer in others} == {200}
    assert not done or trouble == "down"
