"""GET /groups/:id/-/epics."""

import pytest

from tests.harness.composed import ROUTES
from tests.harness.creation import make_group, make_project


def titles(answer):
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [epic["title"] for epic in answer.json]


def test_the_list_has_the_epics_of_readable_groups_below(cast, team):
    company = f"/groups/{cast.company.id}/epics"
    for path, title in ((company, "Top"), (team, "Hidden"), (f"/groups/{cast.department.id}/-/epics", "Middle")):
        assert cast.root.post(path, title=title).status == 201
    assert titles(cast.inherited.get(company)) == titles(cast.root.get(company)) == ["Middle", "Hidden", "Top"]
    # Access to a project of the team makes the team visible.
    assert titles(cast.master.get(company)) == ["Middle", "Hidden", "Top"]
    assert titles(cast.stranger.get(company)) == ["Middle", "Top"]
    assert cast.stranger.get(team).json == {"message": "404 Group Not Found"}
    assert cast.stranger.get(team).status == 404
    assert cast.anonymous.get(company).status == 401
    shown = cast.inherited.get(company).json
    assert [epic["group_id"] for epic in shown] == [cast.department.id, cast.team.id, cast.company.id]
    assert [epic["iid"] for epic in shown] == [1, 1, 1]
    assert set(shown[0]) == {"id", "iid", "group_id", "title", "description", "author", "start_date", "end_date"}
    assert cast.inherited.get(f"{company}/1").json["title"] == "Top"
    assert cast.inherited.get(f"{company}/2").json == {"message": "404 Epic Not Found"}
    cast.root.delete(f"/groups/{cast.department.id}")
    assert titles(cast.inherited.get(company)) == ["Top"]


def test_epics_are_searched_filtered_and_ordered(cast, team):
    for title, description in (("Alpha launch", None), ("Beta", "after the launch"), ("Gamma", None)):
        cast.reporter.post(team, title=title, description=description)
    cast.owner.post(team, title="Delta")
    assert titles(cast.guest.get(team, search="LAUNCH")) == ["Beta", "Alpha launch"]
    assert titles(cast.guest.get(team, search="launch", author_id=cast.owner.id)) == []
    assert titles(cast.guest.get(team, author_id=cast.owner.id)) == ["Delta"]
    assert titles(cast.guest.get(team, sort="asc")) == ["Alpha launch", "Beta", "Gamma", "Delta"]
    cast.owner.put(f"{team}/2", title="Beta two")
    assert titles(cast.guest.get(team, order_by="updated_at")) == ["Beta two", "Delta", "Gamma", "Alpha launch"]
    assert cast.guest.get(team, order_by="title").status == 400
    second = cast.guest.get(team, per_page=3, page=2)
    assert [epic["title"] for epic in second.json] == ["Alpha launch"]
    assert (second.headers["X-Total"], second.headers["X-Next-Page"]) == ("4", "")


def test_a_large_tree_is_listed_in_the_order_of_all_epics(cast, team):
    """With most epics of the instance in the tree, the page is read along the order of all epics."""
    for number in range(1, 31):
        assert cast.owner.post(team, title=f"{number}").status == 201
    other = cast.root.post(f"/groups/{cast.guild.id}/epics", title="Elsewhere").json
    for who in (cast.owner, cast.root, cast.developer):
        for sort in ("asc", "desc"):
            iids = []
            for page in range(1, 5):
                answer = who.get(team, per_page=8, page=page, sort=sort)
                assert answer.headers["X-Total"] == "30"
                iids += [epic["iid"] for epic in answer.json]
            assert iids == (list(range(1, 31)) if sort == "asc" else list(range(30, 0, -1)))
    assert [epic["id"] for epic in cast.owner.get(f"/groups/{cast.guild.id}/epics").json] == [other["id"]]


def test_without_the_edition_every_epic_call_is_forbidden(cast, team, set_edition):
    cast.reporter.post(team, title="Kept")
    set_edition("standard")
    for answer in (
        cast.root.get(team), cast.root.post(team, title="x"), cast.root.get(f"{team}/1"),
        cast.root.put(f"{team}/1", title="x"), cast.root.delete(f"{team}/1"), cast.root.get(f"{team}/1/issues"),
        cast.root.post(f"{team}/1/issues/1"), cast.root.put(f"{team}/1/issues/1", move_before_id=2),
        cast.root.delete(f"{team}/1/issues/1"),
    ):  # fmt: skip
        assert (answer.status, answer.json) == (403, {"message": "403 Forbidden"})
    assert cast.stranger.get(team).status == 404
    set_edition("ultimate")
    assert titles(cast.guest.get(team)) == ["Kept"]


NONSENSE = {"title": 7, "body": [], "start_date": "soon", "order_by": "x", "state_event": "x", "name": {}, "labels": 0}


def test_without_the_edition_an_epic_call_is_forbidden_before_its_parameters_are_read(cast, team, set_edition):
    routes = {(route.verb, route.path) for route in ROUTES if "/epics" in route.path}
    assert len(routes) > 40
    set_edition("standard")
    for who, status in ((cast.root, 403), (cast.guest, 403), (cast.stranger, 404), (cast.anonymous, 401)):
        answers = {}
        for verb, path in routes:
            group = path.replace(":id", f"{cast.team.id}", 1)
            nonsense = "/".join("x" if part.startswith(":") else part for part in group.split("/"))
            for query in ({"per_page": "x"}, {"format": "xml"}):
                answers[verb, path, *query] = who.ask(verb, nonsense, params=NONSENSE | query).status
        assert {key: found for key, found in answers.items() if found != status} == {}


def test_without_the_edition_a_call_of_a_missing_family_is_refused_before_its_parameters_are_read(cast, set_edition):
    set_edition("core")
    project, group = f"/projects/{cast.private.id}", f"/groups/{cast.team.id}"
    for path in (f"{project}/push_rule", f"{group}/ldap_group_links", f"{group}/members/x/override"):
        answer = cast.root.post(path, max_file_size="x", group_access="x")
        assert (path, answer.status, answer.json) == (path, 404, {"message": "404 Not Found"})
    assert cast.root.put(f"{project}/push_rule", max_file_size="x").status == 404


def test_the_total_follows_every_removal(cast):
    top = make_group(cast.root, "top", name="Top", visibility="public")["id"]
    cast.root.post(f"/groups/{top}/members", user_id=cast.owner.id, access_level=20)
    below = [make_group(cast.root, name, parent_id=top, visibility="public")["id"] for name in ("one", "two")]
    for group in (top, *below):
        for who in (cast.root, cast.owner, cast.root):
            who.post(f"/groups/{group}/epics", title="Epic")

    def totals(member=cast.owner):
        """For a member, who is told a stored number, and for a stranger, for whom epics are counted."""
        return [who.get(f"/groups/{top}/epics", per_page=1).headers["X-Total"] for who in (member, cast.stranger)]

    assert totals() == ["9", "9"]
    cast.root.delete(f"/groups/{below[0]}/epics/1")
    assert totals() == ["8", "8"]
    cast.root.delete(f"/groups/{below[0]}")
    assert totals() == ["6", "6"]
    assert cast.root.delete(f"/users/{cast.owner.id}", hard_delete=True).status == 204
    cast.root.post(f"/groups/{top}/members", user_id=cast.guest.id, access_level=10)
    assert totals(cast.guest) == ["4", "4"]


@pytest.fixture
def groups(cast):
    """The ids of groups of every visibility with three epics each, some with members of their own."""
    groups = {}
    for name, parent, visibility in (
        ("top", None, "public"), ("open", "top", "public"), ("staff", "top", "internal"), ("closed", "top", "private"),
        ("deep", "closed", "private"), ("side", "top", "private"), ("apart", None, "public"),
    ):  # fmt: skip
        more = {"parent_id": groups[parent]} if parent else {}
        made = cast.root.post("/groups", name=name, path=name, visibility=visibility, **more)
        groups[name] = made.json["id"]
        for _ in range(3):
            assert cast.root.post(f"/groups/{groups[name]}/epics", title="Epic").status == 201
    project = make_project(cast.root, "inside", namespace_id=groups["side"])["id"]
    for place, person, level in (
        (f"groups/{groups['deep']}", cast.guest, 10), (f"projects/{project}", cast.external, 30),
        (f"groups/{groups['closed']}", cast.reporter, 20), (f"groups/{groups['deep']}", cast.reporter, 30),
    ):  # fmt: skip
        assert cast.root.post(f"/{place}/members", user_id=person.id, access_level=level).status == 201
    return groups


def test_everybody_is_told_how_many_epics_they_may_read(cast, groups):
    """The total is added up from counts by visibility; a search counts the epics themselves."""

    def totals():
        found = []
        for person in (cast.root, cast.stranger, cast.external, cast.guest, cast.reporter):
            path = f"/groups/{groups['top']}/epics"
            counted = person.get(path, search="Epic", per_page=100)
            expected = [epic["id"] for epic in counted.json]
            for per_page in (2, 7):
                pages = [person.get(path, per_page=per_page, page=page) for page in range(1, 12)]
                assert [epic["id"] for page in pages for epic in page.json] == expected[: per_page * 11]
                assert {page.headers["X-Total"] for page in pages} == {str(len(expected))}
            found.append(len(expected) // 3)
        return found

    assert totals() == [6, 3, 3, 5, 5]
    cast.root.put(f"/groups/{groups['open']}", visibility="private")
    assert totals() == [6, 2, 2, 4, 4]
    cast.root.put(f"/groups/{groups['closed']}", visibility="internal")
    assert totals() == [6, 3, 2, 4, 4]
    cast.root.delete(f"/groups/{groups['staff']}")
    assert totals() == [5, 2, 2, 3, 3]
