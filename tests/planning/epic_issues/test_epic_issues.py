"""The issues of an epic: GET, POST, PUT and DELETE below /groups/:id/-/epics/:epic_iid/issues."""

import asyncio

import pytest

from tests.harness.creation import make_group, make_project

UNKNOWN_ISSUE = {"message": "No Issue found for given params"}
UNKNOWN_LINK = {"message": "Epic issue not found for given params"}


@pytest.fixture
def epic(cast, team):
    """The path of the issues of an epic of the team."""
    cast.owner.post(team, title="Epic")
    return f"{team}/1/issues"


@pytest.fixture
def write(cast):
    """The global id of a new issue."""

    def write(title, of="private", who="owner", **params):
        return getattr(cast, who).post(f"/projects/{getattr(cast, of).id}/issues", title=title, **params).json["id"]

    return write


def listed(who, path, **query):
    answer = who.get(path, **query)
    assert answer.status == 200, answer
    assert answer.headers["X-Total"] == str(len(answer.json)) or query
    return [issue["title"] for issue in answer.json]


def test_an_added_issue_stands_first(cast, epic, write):
    one, two = write("One"), write("Two")
    assert cast.guest.post(f"{epic}/{one}").status == 403
    added = cast.reporter.post(f"{epic}/{one}")
    assert added.status == 201
    assert set(added.json) == {"id", "relative_position", "epic", "issue"}
    assert (added.json["epic"]["title"], added.json["issue"]["title"]) == ("Epic", "One")
    cast.reporter.post(f"{epic}/{two}")
    assert listed(cast.guest, epic) == ["Two", "One"]
    assert listed(cast.guest, epic.replace("/-/", "/"), per_page=1, page=2) == ["One"]
    again = cast.reporter.post(f"{epic}/{one}")
    assert (again.status, again.json["id"]) == (201, added.json["id"])
    assert listed(cast.guest, epic) == ["One", "Two"]
    [first, _] = cast.guest.get(epic).json
    assert first["epic_issue_id"] == added.json["id"]
    assert first["relative_position"] < _["relative_position"]
    single = cast.guest.get(f"/projects/{cast.private.id}/issues/{first['iid']}").json
    assert {name: first[name] for name in single} == single


def test_only_issues_below_the_group_that_the_caller_triages_are_added(cast, team, epic, write):
    elsewhere = make_project(cast.root, "Elsewhere")["id"]
    foreign = cast.root.post(f"/projects/{elsewhere}/issues", title="Foreign").json["id"]
    for who, issue_id in ((cast.root, foreign), (cast.root, 999_999)):
        answer = who.post(f"{epic}/{issue_id}")
        assert (answer.status, answer.json) == (404, UNKNOWN_ISSUE)
    group = make_group(cast.root, "parent", name="Parent")["id"]
    cast.root.post(f"/groups/{group}/members", user_id=cast.stranger.id, access_level=20)
    below = make_project(cast.root, "Below", namespace_id=group)["id"]
    inside = cast.root.post(f"/projects/{below}/issues", title="Inside").json["id"]
    own = cast.stranger.post(f"/groups/{group}/epics", title="Own").json["iid"]
    assert cast.stranger.post(f"/groups/{group}/epics/{own}/issues/{inside}").status == 201
    assert cast.root.post(f"{team}/1/issues/{inside}").json == UNKNOWN_ISSUE


def test_issues_that_the_caller_may_not_read_leave_no_trace(cast, epic, write):
    open_, secret = write("Open"), write("Secret", confidential=True)
    link = [cast.owner.post(f"{epic}/{id_}").json["id"] for id_ in (open_, secret)][1]
    assert listed(cast.guest, epic) == ["Open"]
    assert listed(cast.reporter, epic) == ["Secret", "Open"]
    cast.root.put(f"/projects/{cast.private.id}", issues_enabled=False)
    assert listed(cast.reporter, epic) == []
    assert cast.owner.delete(f"{epic}/{link}").json == {"message": "No Issue Link found"}
    assert cast.owner.put(f"{epic}/{link}", move_before_id=0).json == UNKNOWN_LINK
    cast.root.put(f"/projects/{cast.private.id}", issues_enabled=True)
    # An outsider who may read the group through a project of it sees only that project's issues.
    project = make_project(cast.root, "Other", namespace_id=cast.team.id, visibility="private")["id"]
    cast.root.post(f"/projects/{project}/members", user_id=cast.stranger.id, access_level=20)
    other = cast.root.post(f"/projects/{project}/issues", title="Other", confidential=True).json["id"]
    cast.root.post(f"{epic}/{other}")
    assert listed(cast.stranger, epic) == ["Other"]
    assert listed(cast.root, epic) == ["Other", "Secret", "Open"]
    cast.root.delete(f"/projects/{project}")
    assert listed(cast.root, epic) == ["Secret", "Open"]


def test_an_issue_of_another_epic_moves_here(cast, team, epic, write):
    issue = write("Issue")
    cast.owner.post(team, title="Second")
    link = cast.owner.post(f"{epic}/{issue}").json["id"]
    moved = cast.reporter.post(f"{team}/2/issues/{issue}")
    assert (moved.status, moved.json["id"], moved.json["epic"]["iid"]) == (201, link, 2)
    assert listed(cast.owner, epic) == []
    assert listed(cast.owner, f"{team}/2/issues") == ["Issue"]
    assert cast.owner.delete(f"{epic}/{link}").json == {"message": "No Issue Link found"}
    assert cast.guest.delete(f"{team}/2/issues/{link}").status == 403
    removed = cast.reporter.delete(f"{team}/2/issues/{link}")
    assert (removed.status, removed.json["id"], removed.json["issue"]["id"]) == (200, link, issue)
    assert listed(cast.owner, f"{team}/2/issues") == []


def test_issues_are_placed_between_others(cast, team, epic, write):
    link = {}
    for title in "DCBA":
        link[title] = cast.owner.post(f"{epic}/{write(title)}").json["id"]

    def move(title, **neighbors):
        answer = cast.reporter.put(f"{epic}/{link[title]}", **{name: link[at] for name, at in neighbors.items()})
        assert answer.status == 200, answer
        return "".join(issue["title"] for issue in answer.json)

    assert move("D", move_before_id="A") == "ADBC"
    assert move("C", move_after_id="A") == "CADB"
    assert move("A", move_before_id="B") == "CDBA"
    assert move("A", move_before_id="C", move_after_id="D") == "CADB"
    assert move("A") == move("A", move_before_id="A") == "CADB"
    for _ in range(15):  # the gap between C and its neighbor runs out
        assert move("B", move_before_id="C") == "CBAD"
        assert move("D", move_before_id="C") == "CDBA"
        assert move("A", move_before_id="C") == "CADB"
    wrong = cast.reporter.put(f"{epic}/{link['A']}", move_before_id=link["B"], move_after_id=link["C"])
    assert (wrong.status, wrong.json) == (400, {"message": {"error": "Issue could not be moved!"}})
    cast.owner.post(team, title="Second")
    foreign = cast.owner.post(f"{team}/2/issues/{write('X')}").json["id"]
    for path, neighbor in ((f"{epic}/{link['A']}", foreign), (f"{epic}/{foreign}", link["A"]), (f"{epic}/0", foreign)):
        answer = cast.reporter.put(path, move_before_id=neighbor)
        assert (answer.status, answer.json) == (404, UNKNOWN_LINK)
    assert cast.guest.put(f"{epic}/{link['A']}", move_before_id=link["B"]).status == 403


def test_a_moved_or_deleted_issue_leaves_the_epic_and_its_copy_follows(cast, team, epic, write):
    ids = {}
    for title in ("Stays", "Leaves", "Dies"):
        ids[title] = write(title)
        cast.owner.post(f"{epic}/{ids[title]}")
    iid = {issue["title"]: issue["iid"] for issue in cast.owner.get(epic).json}
    elsewhere = make_project(cast.root, "Elsewhere")["id"]
    here = f"/projects/{cast.private.id}/issues"
    assert cast.root.post(f"{here}/{iid['Stays']}/move", to_project_id=cast.public.id).status == 201
    assert cast.root.post(f"{here}/{iid['Leaves']}/move", to_project_id=elsewhere).status == 201
    assert cast.root.delete(f"{here}/{iid['Dies']}").status == 204
    [copy] = cast.owner.get(epic).json
    assert (copy["title"], copy["project_id"]) == ("Stays", cast.public.id)
    cast.root.post(f"/groups/{cast.guild.id}/projects/{cast.public.id}")
    assert listed(cast.root, epic) == []
    kept = write("Kept")
    cast.owner.post(f"{epic}/{kept}")
    assert cast.owner.delete(f"{team}/1").status == 204
    assert cast.owner.get(f"{here}?search=Kept").json[0]["id"] == kept


@pytest.mark.commits
def test_an_issue_that_is_being_deleted_is_in_no_epic(cast, epic, write, loop):
    issue = write("Gone")

    async def add_meanwhile():
        async with cast.database.transaction() as tx:
            await tx.run("UPDATE issues SET deleted_at = updated_at WHERE id = :id", id=issue)
            adding = asyncio.create_task(cast.owner.exchange("POST", f"{epic}/{issue}"))
            await asyncio.sleep(0.2)
        return await adding

    answer = loop.run_until_complete(add_meanwhile())
    assert (answer.status, answer.json) == (404, UNKNOWN_ISSUE)
    assert listed(cast.owner, epic) == []
