"""Groups that are linked to the people of a directory who match a filter."""

import pytest

from tests.harness.browsers import browser_of
from tests.harness.directory_world import PASSWORD
from tests.workspaces.ldap_groups.test_ldap_sync import members, new_group, status, sync, users

LINKS = "/groups/linked/-/ldap_group_links"
ENGINEERS = "(&(title=engineer)(!(description=away)))"


@pytest.fixture
def group(world):
    return new_group(world)


@pytest.fixture
def browser(world, group):
    return browser_of(world.default.root, world.database, world.default.anonymous)


def link(browser, level=30, **target):
    browser.open(LINKS)
    return browser.send(LINKS, provider="ldapmain", group_access=str(level), **target)


def test_people_who_match_a_filter_are_members(world, group, browser):
    names = users(world, "jo", "ann", "zoe")
    world.tree.change(names["jo"], title="engineer")
    world.tree.change(names["ann"], title="engineer", description="away")
    world.tree.group("dev", names["zoe"], names["jo"])
    world.tree.flush()
    assert link(browser, filter=ENGINEERS).status == 303
    assert link(browser, 20, cn="dev").status == 303
    assert world.default.root.get(f"/groups/{group}/ldap_group_links").json == [
        {"cn": None, "group_access": 30, "provider": "ldapmain", "filter": ENGINEERS},
        {"cn": "dev", "group_access": 20, "provider": "ldapmain"},
    ]
    assert world.default.root.get(f"/groups/{group}").json["ldap_cn"] is None
    assert len(sync(world, dry_run=True).changes) == 2
    sync(world)
    assert members(world, group) == {"jo": 30, "zoe": 20}
    world.tree.change(names["ann"], description=[])
    world.tree.change(names["jo"], title="manager")
    world.tree.flush()
    sync(world)
    assert members(world, group) == {"jo": 20, "ann": 30, "zoe": 20}
    # Users outside user_filter do not count.
    sync(world, world.directory(user_filter="(!(uid=ann))"), confirm=True)
    assert members(world, group) == {"jo": 20, "zoe": 20}


def test_a_filter_that_no_longer_matches_removes_no_one_without_a_confirmation(world, group, browser):
    names = users(world, "jo")
    world.tree.change(names["jo"], title="engineer")
    world.tree.flush()
    link(browser, filter="title=engineer")
    sync(world)
    world.tree.change(names["jo"], title=[])
    world.tree.flush()
    assert sync(world).outcome == "waiting"
    assert (members(world, group), status(world, group).split()[0]) == ({"jo": 30}, "failed")
    sync(world, confirm=True)
    assert members(world, group) == {}


def test_signing_in_adds_a_user_who_matches_a_filter(world, group, browser):
    world.tree.person("jo", PASSWORD, title="engineer")
    world.tree.person("ann", PASSWORD)
    world.tree.flush()
    link(browser, filter=ENGINEERS)
    for uid in ("jo", "ann"):
        world.sign_in(uid)
        assert world.answer.status == 303
    assert members(world, group) == {"jo": 30}


@pytest.mark.parametrize(
    "target",
    [{}, {"cn": " "}, {"cn": "dev", "filter": "uid=x"}, {"filter": "(uid=x"}, {"filter": "x"}, {"filter": "(&"}],
)
def test_a_link_has_either_a_name_or_a_valid_filter(world, group, browser, target):
    assert link(browser, **target).status == 422
    assert world.default.root.get(f"/groups/{group}/ldap_group_links").json == []


def test_a_link_by_a_filter_is_one_and_is_removed_on_its_page(world, group, browser):
    assert link(browser, filter="(uid=jo)").status == 303
    assert link(browser, 20, filter="(uid=ann)").status == 303
    assert link(browser, filter="(uid=jo)").status == 409
    assert "(uid=jo)" in browser.open(LINKS).text
    assert browser.send(f"{LINKS}/remove", provider="ldapmain", filter="(uid=jo)").status == 303
    left = world.default.root.get(f"/groups/{group}/ldap_group_links").json
    assert [each["filter"] for each in left] == ["(uid=ann)"]
