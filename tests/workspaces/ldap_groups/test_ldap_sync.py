"""Members of groups that are linked to groups of a real directory."""

import re

import pytest

from mujina.accounts.ldap.rights import sync_rights
from mujina.kernel.permissions.actor import SYSTEM
from mujina.workspaces.ldap_groups.operations import request_sync
from mujina.workspaces.ldap_groups.sync import sync_groups
from tests.harness.browsers import browser_of
from tests.harness.creation import drain
from tests.harness.directory_world import PASSWORD
from tests.harness.ranged_directory import ranged_directory


def users(world, *uids):
    """Users with an identity in the directory, as an administrator makes them; their names there."""
    names = {}
    for uid in uids:
        dn = names[uid] = world.tree.person(uid, PASSWORD)
        made = world.default.root.post(
            "/users", username=uid, name=uid, email=f"{uid}@corp.example", password="some-password-1",
            skip_confirmation=True, provider="ldapmain", extern_uid=dn,
        )  # fmt: skip
        assert made.status == 201, made
    return names


def new_group(world, *links, name="linked"):
    """A group of root's with these links; its id."""
    group = world.default.root.post("/groups", name=name, path=name).json
    for cn, level, *provider in links:
        answer = world.default.root.post(
            f"/groups/{group['id']}/ldap_group_links", cn=cn, group_access=level, provider=(provider or ["ldapmain"])[0]
        )
        assert answer.status == 201
    return group["id"]


def members(world, group_id):
    """Username and level of everyone but root, who made the group."""
    found = world.default.root.get(f"/groups/{group_id}/members", per_page=100).json
    return {each["username"]: each["access_level"] for each in found if each["id"] != world.default.root.id}


def count(world, group_id):
    """The number of members beside root."""
    return int(world.default.root.get(f"/groups/{group_id}/members").headers["X-Total"]) - 1


def sync(world, *directories, **options):
    return world.run(sync_groups(world.database, directories or [world.directory()], **options))[0]


def status(world, group_id):
    return world.value(
        "SELECT status || ' ' || coalesce(error, '') FROM ldap_group_syncs WHERE group_id = :id", id=group_id
    )


@pytest.fixture
def names(world):
    """Users of the directory by name: jo and ann develop, ann leads, bob and zoe do neither."""
    names = users(world, "jo", "ann", "bob", "zoe")
    world.tree.group("dev", names["jo"], names["ann"], "uid=unknown,o=nowhere")
    world.tree.group("leads", names["ann"])
    world.tree.flush()
    return names


def test_members_are_added_raised_and_removed(world, names):
    group, root, local = new_group(world, ("dev", 20), ("leads", 40)), world.default.root, world.default.stranger
    zoe = world.user("zoe")
    assert root.post(f"/groups/{group}/members", user_id=zoe["id"], access_level=30).status == 201
    assert root.post(f"/groups/{group}/members", user_id=local.id, access_level=30).status == 201
    before = len(world.default.events())
    assert root.post(f"/groups/{group}/ldap_sync").status == 202
    assert members(world, group) == {"jo": 20, "ann": 40, local.username: 30}
    assert status(world, group) == "ready "
    assert sorted(world.default.events()[before:]) == ["member.added", "member.added", "member.removed"]


def test_levels_follow_the_links_except_those_set_by_hand(world, names):
    group, root = new_group(world, ("dev", 20), ("leads", 40)), world.default.root
    sync(world)
    assert root.delete(f"/groups/{group}/ldap_group_links/leads").status == 204
    jo = world.user("jo")
    assert root.put(f"/groups/{group}/members/{jo['id']}", access_level=30).status == 200
    assert sync(world, dry_run=True).changes == ["linked: lower ann (20)"]
    sync(world)
    assert members(world, group) == {"jo": 30, "ann": 20}
    assert root.delete(f"/groups/{group}/members/{jo['id']}").status == 403
    lifted = root.delete(f"/groups/{group}/members/{jo['id']}/override")
    assert (lifted.status, lifted.json["override"]) == (200, False)
    sync(world)
    assert members(world, group)["jo"] == 20


def test_a_level_is_overridden_once_and_only_of_members_by_the_directory(world, names):
    group, root, local = new_group(world, ("dev", 20)), world.default.root, world.default.stranger
    assert root.post(f"/groups/{group}/members", user_id=local.id, access_level=30).status == 201
    sync(world)
    jo, before = world.user("jo"), len(world.default.events())
    for _ in range(2):
        assert root.post(f"/groups/{group}/members/{jo['id']}/override").json["override"] is True
    assert world.default.events()[before:] == ["member.updated"]
    assert root.post(f"/groups/{group}/members/{local.id}/override").status == 403
    assert root.post(f"/groups/{group}/members/{world.user('bob')['id']}/override").status == 404
    world.tree.change(f"cn=dev,{world.tree.groups}", member=[names["ann"]])
    world.tree.flush()
    sync(world)
    assert members(world, group) == {"ann": 20, local.username: 30}


def test_a_lower_edition_neither_synchronizes_nor_binds_owners_to_the_directory(world, names, set_edition):
    """It does not synchronize what was requested before, either."""
    group, root = new_group(world, ("leads", 20)), world.default.root
    sync(world)
    ann = world.user("ann")["id"]
    assert root.delete(f"/groups/{group}/members/{ann}").status == 403
    set_edition("core")
    assert root.delete(f"/groups/{group}/members/{ann}").status == 204
    world.default.transact(lambda tx: request_sync(tx, SYSTEM, group))
    drain(world.default)
    assert (members(world, group), status(world, group)) == ({}, "ready ")


def test_every_kind_of_group_and_name_counts(world):
    names = users(world, "jo", "ann", "bob")
    comma = world.tree.add(
        f"cn=Doe\\, Zoe,{world.tree.people}", objectClass="inetOrgPerson", sn="Doe", uid="zoe", mail="zoe@corp.example"
    )
    world.default.root.post(
        "/users", username="zoe", name="Z", email="zoe@corp.example", password="some-password-1", provider="ldapmain",
        extern_uid=comma.replace("\\,", "\\2C"),
    )  # fmt: skip
    world.tree.add(
        f"cn=unique,{world.tree.groups}", objectClass="groupOfUniqueNames",
        uniqueMember=[names["jo"].upper() + "#'0101'B", comma.replace(",ou", " , OU")],
    )  # fmt: skip
    world.tree.add(f"cn=posix,{world.tree.groups}", objectClass="uidGroup", memberUid=["ann", "nobody", "*"])
    world.tree.add(
        f"cn=a/b c.json+é,{world.tree.groups}".replace("+", "\\+"), objectClass="groupOfNames", member=names["bob"]
    )
    world.tree.flush()
    group = new_group(world, ("unique", 30), ("posix", 20), ("a/b c.json+é", 10))
    assert sync(world).outcome == "done"
    assert members(world, group) == {"jo": 30, "zoe": 30, "ann": 20, "bob": 10}
    shown = world.default.root.get(f"/groups/{group}").json
    assert (shown["ldap_cn"], shown["ldap_access"], len(shown["ldap_group_links"])) == ("unique", 30, 3)
    assert world.default.root.delete(f"/groups/{group}/ldap_group_links/a%2Fb%20c.json%2B%C3%A9").status == 204
    # Some people are on another server: who was not found may be one of them.
    world.tree.add(
        f"ou=elsewhere,{world.tree.people}", objectClass=["referral", "extensibleObject"], ref="ldap://127.0.0.1:1/o=x"
    )
    world.tree.delete(names["ann"])
    world.tree.add(f"uid=nobody,{world.tree.people}", objectClass="inetOrgPerson", sn="Nobody", cn="Nobody")
    world.tree.flush()
    assert sync(world).outcome == "failed"
    assert members(world, group)["ann"] == 20


def test_nested_groups_count_where_the_directory_says_so(world):
    names = users(world, "jo", "ann", "bob")
    groups = world.tree.groups
    inner, outer = f"cn=inner,{groups}", f"cn=outer,{groups}"
    world.tree.add(outer, objectClass="group", member=[names["jo"], inner], memberOf=inner)  # a cycle
    world.tree.add(inner, objectClass="group", member=[names["ann"], outer], memberOf=outer)
    world.tree.flush()
    group = new_group(world, ("outer", 30))
    sync(world)
    assert members(world, group) == {"jo": 30}
    sync(world, world.directory(nested_groups=True))
    assert members(world, group) == {"jo": 30, "ann": 30}
    sync(world)
    assert members(world, group) == {"jo": 30}
    sync(world, world.directory(active_directory=True))
    assert members(world, group) == {"jo": 30, "ann": 30}
    # People name their groups in `memberOf`, as groups do: neither makes those groups members.
    world.tree.change(names["jo"], memberOf=world.tree.group("everyone", names["bob"]))
    world.tree.flush()
    wide = world.directory(nested_groups=True, group_base=world.tree.base)
    assert sync(world, wide).changes == []
    for directory, emptied in ((world.directory(), []), (world.directory(nested_groups=True), [inner])):
        world.tree.change(outer, member=emptied)
        world.tree.change(inner, member=[outer])
        world.tree.flush()
        assert sync(world, directory).outcome == "waiting"
    assert members(world, group) == {"jo": 30, "ann": 30}


def test_two_thousand_members_count_at_once_and_piece_by_piece(world):
    names = users(world, "jo", "ann")
    strangers = [f"uid=stranger{number},{world.tree.people}" for number in range(1_998)]
    many = [names["jo"], *strangers, names["ann"]]
    large = world.tree.group("large", *many)
    world.tree.flush()
    group = new_group(world, ("large", 30))
    assert sync(world).outcome == "done"
    assert members(world, group) == {"jo": 30, "ann": 30}
    pieces = new_group(world, ("large", 20), name="pieces")
    with ranged_directory(large, many, at_once=750) as url:
        sync(world, world.directory(url=url, active_directory=False), group_id=pieces)
    assert members(world, pieces) == {"jo": 20, "ann": 20}


def test_a_missing_group_and_a_directory_in_trouble_change_nothing(world, unfriendly_server):
    names = users(world, "jo", "ann")
    world.tree.group("dev", names["jo"])
    world.tree.group("ops", names["ann"])
    world.tree.flush()
    one, two = new_group(world, ("dev", 30)), new_group(world, ("ops", 30), name="two")
    sync(world)
    world.tree.delete(f"cn=dev,{world.tree.groups}")
    world.tree.change(f"cn=ops,{world.tree.groups}", member=[names["jo"], names["ann"]])
    world.tree.flush()
    report = sync(world)
    assert (report.outcome, report.changes) == ("failed", ["two: add jo (30)"])
    assert (members(world, one), members(world, two)) == ({"jo": 30}, {"jo": 30, "ann": 30})
    assert status(world, one) == "failed the group 'dev' was not found"
    for trouble in ("down", "silent", "resets"):
        broken = world.directory(url=unfriendly_server(trouble), timeout=0.3)
        assert sync(world, broken).outcome == "failed"
        assert members(world, one) == {"jo": 30}
        assert status(world, two).startswith("failed it ")
    assert sync(world, world.directory(group_base="")).outcome == "failed"
    assert members(world, two) == {"jo": 30, "ann": 30}


def test_a_hundred_members_are_not_removed_because_the_directory_answers_nothing(world):
    names = users(world, *(f"p{n}" for n in range(100)))
    world.tree.add(f"cn=dev,{world.tree.groups}", objectClass="group", member=list(names.values()))
    world.tree.flush()
    group = new_group(world, ("dev", 30))
    sync(world)
    assert count(world, group) == 100
    world.tree.change(f"cn=dev,{world.tree.groups}", member=[])
    world.tree.flush()
    report = sync(world)
    assert (report.outcome, len(report.changes)) == ("waiting", 100)
    assert count(world, group) == 100
    assert "mujina ldap sync-groups --confirm" in status(world, group)
    # More than a fifth of them wait too; up to a fifth go.
    world.tree.change(f"cn=dev,{world.tree.groups}", member=list(names.values())[21:])
    world.tree.flush()
    assert sync(world).outcome == "waiting"
    world.tree.change(f"cn=dev,{world.tree.groups}", member=list(names.values())[20:])
    world.tree.flush()
    assert sync(world).outcome == "done"
    assert count(world, group) == 80
    world.tree.change(f"cn=dev,{world.tree.groups}", member=list(names.values())[50:])
    world.tree.flush()
    assert len(sync(world, dry_run=True, confirm=True).changes) == 30
    assert sync(world, confirm=True).outcome == "done"
    assert count(world, group) == 50


def test_losses_of_several_groups_add_up(world):
    names = users(world, *(f"p{n}" for n in range(18)))
    places = [list(names.values())[start : start + 6] for start in (0, 6, 12)]
    groups = []
    for number, held in enumerate(places):
        world.tree.group(f"dev{number}", *held)
        groups.append(new_group(world, (f"dev{number}", 30), name=f"linked{number}"))
    world.tree.flush()
    assert sync(world).outcome == "done"
    for number, held in enumerate(places):
        world.tree.change(f"cn=dev{number},{world.tree.groups}", member=held[2:])
    world.tree.flush()
    report = sync(world)  # two of six may go, six of eighteen may not
    assert (report.outcome, len(report.changes)) == ("waiting", 6)
    assert [count(world, group) for group in groups] == [6, 6, 6]
    assert sync(world, confirm=True).outcome == "done"
    assert [count(world, group) for group in groups] == [4, 4, 4]


def test_a_link_of_a_subgroup_lowers_no_inherited_owner(world):
    names = users(world, "jo")
    world.tree.group("dev", names["jo"])
    world.tree.flush()
    root, jo = world.default.root, world.user("jo")["id"]
    parent = new_group(world)
    assert root.post(f"/groups/{parent}/members", user_id=jo, access_level=50).status == 201
    inner = root.post("/groups", name="inner", path="inner", parent_id=parent).json["id"]
    link = {"cn": "dev", "group_access": 10, "provider": "ldapmain"}
    assert root.post(f"/groups/{inner}/ldap_group_links", **link).status == 201
    assert sync(world).changes == ["linked/inner: add jo (10)"]
    assert (members(world, parent), members(world, inner)) == ({"jo": 50}, {"jo": 10})
    assert root.put(f"/groups/{inner}", description="Mine", sudo=jo).status == 200


def test_the_last_owner_stays(world):
    names = users(world, "jo", "ann")
    world.tree.group("dev", names["jo"], names["ann"])
    world.tree.flush()
    group = new_group(world, ("dev", 50))
    sync(world)
    root = world.default.root
    assert root.delete(f"/groups/{group}/members/{root.id}").status == 204
    # An owner whose access ends some day does not count.
    temporary = {"user_id": world.default.stranger.id, "access_level": 50, "expires_at": "2999-01-01"}
    assert root.post(f"/groups/{group}/members", **temporary).status == 201
    world.tree.change(f"cn=dev,{world.tree.groups}", member=["uid=other,o=x"])
    world.tree.flush()
    sync(world)
    assert members(world, group) == {"jo": 50, world.default.stranger.username: 50}
    assert root.delete(f"/groups/{group}/members/{world.default.stranger.id}").status == 204
    root.delete(f"/groups/{group}/ldap_group_links/dev")
    root.post(f"/groups/{group}/ldap_group_links", cn="dev", group_access=10, provider="ldapmain")
    world.tree.change(f"cn=dev,{world.tree.groups}", member=[names["jo"], names["ann"]])
    world.tree.flush()
    sync(world)
    assert members(world, group) == {"jo": 50, "ann": 10}


def test_only_a_linked_directory_acts(world):
    names = users(world, "jo")
    other = world.tree.slapd.tree()
    other.person("eve", PASSWORD)
    other.group("dev", f"uid=eve,{other.people}")
    other.flush()
    world.tree.group("dev", names["jo"])
    world.tree.flush()
    second = world.directory("second", base=other.people, group_base=other.groups)
    both = world.cast(world.directory(), second)
    world.sign_in("eve", to=both.anonymous)
    group = new_group(world, ("dev", 30))
    unlinked = new_group(world, name="unlinked")
    for each in (group, unlinked):
        assert both.root.post(f"/groups/{each}/members", user_id=world.user("eve")["id"], access_level=20).status == 201
        assert both.root.post(f"/groups/{each}/ldap_sync").status == 202
    assert members(world, group) == {"jo": 30, "eve": 20}
    assert members(world, unlinked) == {"eve": 20}
    assert status(world, unlinked) == "ready "


def test_signing_in_adds_a_user_to_the_linked_groups(world):
    groups, sub = world.tree.groups, f"ou=sub,{world.tree.groups}"
    elsewhere = f"cn=admins,ou=lists,{world.tree.base}"
    jo = world.tree.person("jo", PASSWORD, memberOf=[f"cn=named,{groups}", elsewhere])
    world.tree.group("dev", jo)
    world.tree.add(f"cn=ids,{groups}", objectClass="uidGroup", memberUid="jo")
    world.tree.flush()
    group = new_group(world, ("Dev", 20), ("ids", 30))
    world.sign_in("jo")
    assert members(world, group) == {"jo": 30}
    # A group that only the person names counts as well; one of another place or of two places does not.
    world.tree.add(f"cn=named,{groups}", objectClass="uidGroup")
    world.tree.add(f"cn=admins,{groups}", objectClass="uidGroup")
    world.tree.add(sub, objectClass="organizationalUnit")
    world.tree.group("twice", jo)
    world.tree.add(f"cn=twice,{sub}", objectClass="uidGroup")
    world.tree.flush()
    named = new_group(world, ("named", 20), ("admins", 50), ("twice", 40), name="named")
    external = world.client(world.directory(external_groups=("admins", "twice")))
    world.sign_in("jo", to=external)
    assert members(world, named) == {"jo": 20}
    assert world.user("jo")["external"] is False


def test_signing_in_follows_nested_groups_where_configured(world):
    inner, outer = f"cn=inner,{world.tree.groups}", f"cn=outer,{world.tree.groups}"
    world.tree.add(inner, objectClass="group", member=[world.tree.person("jo", PASSWORD), outer])  # a cycle
    world.tree.add(outer, objectClass="group", member=inner)
    world.tree.flush()
    group = new_group(world, ("outer", 30))
    world.sign_in("jo")
    assert members(world, group) == {}
    world.sign_in("jo", to=world.client(world.directory(nested_groups=True)))
    assert members(world, group) == {"jo": 30}


def test_the_directory_names_administrators_and_external_users(world):
    names = users(world, "jo", "ann")
    world.tree.group("admins", names["jo"])
    world.tree.group("guests", names["ann"])
    world.tree.flush()
    directory = world.directory(admin_group="admins", external_groups=("guests",))

    def sync(kind):
        return world.run(sync_rights(world.database, directory, kind))

    assert sync("administrators").changes == ["jo becomes an administrator"]
    assert sync("external").changes == ["ann becomes external"]
    assert (world.user("jo")["is_admin"], world.user("ann")["external"]) == (True, True)
    world.tree.change(f"cn=admins,{world.tree.groups}", member=names["ann"])
    world.tree.change(f"cn=guests,{world.tree.groups}", member=names["jo"])
    world.tree.flush()
    assert sync("administrators").changes == ["ann becomes an administrator", "jo is no longer an administrator"]
    world.sign_in("ann", to=world.client(directory))
    assert world.user("ann")["external"] is False
    assert sync("external").changes == ["jo becomes external"]
    assert world.default.root.get("/user").json["is_admin"] is True  # a local one
    world.tree.delete(f"cn=admins,{world.tree.groups}")
    world.tree.flush()
    assert sync("administrators").outcome == "failed"
    assert world.user("ann")["is_admin"] is True


def test_an_empty_group_removes_no_right_and_the_last_administrator_stays(world):
    names = users(world, "jo", "ann")
    world.tree.add(f"cn=guests,{world.tree.groups}", objectClass="group", member=names["ann"])
    world.tree.group("partners", names["jo"])
    world.tree.group("admins", names["jo"])
    world.tree.flush()
    directory = world.directory(admin_group="admins", external_groups=("guests", "partners"))

    def sync(kind, **options):
        return world.run(sync_rights(world.database, directory, kind, **options))

    assert len(sync("external").changes) == 2
    assert len(sync("administrators").changes) == 1
    world.tree.change(f"cn=guests,{world.tree.groups}", member=[])
    world.tree.change(f"cn=admins,{world.tree.groups}", member="uid=other,o=x")
    world.tree.flush()
    assert sync("external").outcome == "waiting"
    assert world.user("ann")["external"] is True
    assert sync("external", confirm=True).changes == ["ann is no longer external"]
    root = world.default.root
    assert root.put(f"/users/{root.id}", provider="ldapmain", extern_uid="uid=nobody,o=x").status == 200
    assert len(sync("administrators", dry_run=True).changes) == 2
    assert len(sync("administrators").changes) == 1
    assert world.value("SELECT count(*) FROM users WHERE admin") == 1


def test_owners_see_on_the_page_of_members_how_the_last_run_ended(world, set_edition):
    names = users(world, "jo")
    world.tree.group("dev", names["jo"])
    world.tree.flush()
    group_id, broken = new_group(world, ("dev", 30)), new_group(world, ("nothing", 30), name="broken")
    browser = browser_of(world.default.root, world.database, world.default.anonymous)
    assert "directory" not in notices(browser, "linked")
    sync(world)
    assert status(world, group_id) == "ready "
    assert "Synchronized with a directory just now." in notices(browser, "linked")
    assert "failed: " in notices(browser, "broken"), status(world, broken)
    here, jo = "/groups/linked/-/group_members", world.user("jo")["id"]
    for verb, role in (("override", "LDAP, role overridden"), ("lift_override", "LDAP")):
        page = browser.open(here).text
        assert (f"{here}/{jo}/{verb}" in page, f"{here}/{jo}/delete" in page) == (True, False)
        assert browser.send(f"{here}/{jo}/{verb}").status == 303
        assert f"{role}</span>" in browser.open(here).text
    assert browser.send(f"{here}/{world.default.root.id}/override").status == 422
    world.default.root.post(f"/groups/{group_id}/members", user_id=world.default.guest.id, access_level=10)
    guest = browser_of(world.default.guest, world.database, world.default.anonymous)
    assert "directory" not in notices(guest, "linked")
    set_edition("core")
    assert "directory" not in notices(browser, "linked")


def notices(browser, group):
    page = browser.open(f"/groups/{group}/-/group_members")
    assert page.status == 200
    return " ".join(
        re.sub("<[^>]+>", "", text)
        for text in re.findall(r'<p class="(?:notice|problems)".*?</p>', page.text, re.DOTALL)
    )
