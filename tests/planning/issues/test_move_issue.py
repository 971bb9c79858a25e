"""POST /projects/:id/issues/:issue_iid/move."""

import asyncio

import pytest

from mujina.planning.references.rewriting import qualify_references
from tests.harness.cases import Case, cases
from tests.harness.creation import make_project
from tests.harness.statements import statements

HERE = "POST /projects/{private.id}/issues/{open}/move"
REFUSED = {"message": "Cannot move issue due to insufficient permissions!"}


@pytest.fixture
def move(cast):
    """Move the open issue of the private project to the public one."""

    def post(who="reporter", to=None):
        path = f"/projects/{cast.private.id}/issues/{cast.open}/move"
        return getattr(cast, who).post(path, to_project_id=to or cast.public.id)

    return post


def test_moving_requires_permission_on_both_projects(cast, move):
    there = cast.public.id
    assert move("anonymous").status == 401
    assert move("stranger").json == {"message": "404 Project Not Found"}
    assert (move("guest").status, move("guest").json) == (400, REFUSED)
    assert move("reporter", 999_999).json == {"message": "404 Project Not Found"}
    missing = cast.reporter.post(f"/projects/{cast.private.id}/issues/999/move", to_project_id=there)
    assert missing.json == {"message": "404 Issue Not Found"}
    hidden = cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.confidential}/move", to_project_id=there)
    assert hidden.json == {"message": "404 Issue Not Found"}
    assert move("guest", cast.private.id).json == REFUSED
    same = move("reporter", cast.private.id)
    assert (same.status, same.json) == (400, {"message": "Cannot move issue to project it originates from!"})


def test_a_reporter_in_the_source_alone_may_not(cast, move):
    theirs = make_project(cast.stranger, "theirs", visibility="public")["id"]
    assert (move("reporter", theirs).status, move("reporter", theirs).json) == (400, REFUSED)
    hidden = make_project(cast.stranger, "hidden")["id"]
    assert move("reporter", hidden).json == {"message": "404 Project Not Found"}


@cases([
    Case("reporter", HERE, 400,
         {"message": '400 (Bad request) "to_project_id" not given', "error": "to_project_id is missing"}),
    Case("reporter", HERE, 400, {"error": "to_project_id is invalid"}, {"to_project_id": "public"}),
])  # fmt: skip
def test_the_target_is_named_by_its_id(case, cast):
    case.holds(cast)


def test_the_new_issue_has_what_the_old_one_had(cast, move):
    source, target = cast.private.id, cast.public.id
    old = f"/projects/{source}/issues/{cast.open}"
    milestones = [cast.developer.post(f"/projects/{place}/milestones", title="v1").json for place in (source, target)]
    cast.developer.post(f"/projects/{target}/labels", name="bug", color="red")
    wide = cast.owner.post(f"/groups/{cast.team.id}/labels", name="wide", color="red").json
    cast.developer.put(
        old, description="see #2 and !3, not `#2`", labels="bug,only here,wide", milestone_id=milestones[0]["id"],
        weight=3, due_date="2018-01-01", assignee_ids=[cast.guest.id, cast.master.id], discussion_locked=True,
    )  # fmt: skip
    cast.developer.post(f"{old}/time_estimate", duration="1h")
    cast.developer.post(f"{old}/add_spent_time", duration="1h")
    before = cast.developer.get(old).json
    moved = move()
    assert moved.status == 201
    new, path = moved.json, cast.private.path
    same = ("title", "author", "state", "created_at", "closed_at", "weight", "due_date", "confidential", "assignees")
    assert [new[name] for name in same] == [before[name] for name in same]
    assert (new["project_id"], new["iid"]) == (target, 4)
    assert new["id"] != before["id"]
    assert new["description"] == f"see {path}#2 and {path}!3, not `#2`"
    assert new["labels"] == ["bug", "wide"]
    assert new["milestone"]["id"] == milestones[1]["id"]
    assert new["discussion_locked"] is True
    assert (new["time_stats"]["time_estimate"], new["time_stats"]["total_time_spent"]) == (3600, 3600)
    assert wide["id"] in [label["id"] for label in cast.developer.get(f"/projects/{target}/labels").json]


def test_the_old_one_is_closed_readable_and_moved_no_more(cast, move):
    new = move().json
    old = cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}").json
    assert (old["state"], old["closed_at"][-1]) == ("closed", "Z")
    again = move("root")
    assert (again.status, again.json) == (400, REFUSED)
    onward = cast.reporter.post(f"/projects/{cast.public.id}/issues/{new['iid']}/move", to_project_id=cast.internal.id)
    assert onward.status == 201
    assert cast.events()[-1] == "issue.moved"


def _feed(cast, place, since):
    events = cast.reporter.get(f"/projects/{place.id}/events", sort="asc").json[since:]
    return [(event["action_name"], event["target_iid"], event["author_username"]) for event in events]


def test_a_closed_issue_stays_closed(cast, move):
    closed = cast.reporter.put(f"/projects/{cast.private.id}/issues/{cast.open}", state_event="close").json
    told = len(_feed(cast, cast.private, 0))
    new = move().json
    assert (new["state"], new["closed_at"]) == ("closed", closed["closed_at"])
    assert _feed(cast, cast.private, told) == []


def test_feeds_show_a_moved_issue_as_opened_and_closed_without_new_todos(cast, move):
    old = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.developer.put(old, description="@master", assignee_ids=[cast.guest.id])
    places = (cast.public, cast.private)
    before = [len(_feed(cast, place, 0)) for place in places]
    recorded = len(cast.events())
    new = move().json
    assert cast.events()[recorded:] == ["issue.closed", "issue.created", "issue.moved"]
    there, here = (_feed(cast, place, since) for place, since in zip(places, before, strict=True))
    assert there == [("opened", new["iid"], "reporter")]
    assert here == [("closed", cast.open, "reporter")]
    for who in (cast.guest, cast.master):
        assert [todo["target"]["id"] for todo in who.get("/todos").json] == [cast.guest.get(old).json["id"]]


def test_totals_of_both_projects_stay_exact(cast, move):
    move()
    for place, opened, closed in ((cast.private, 2, 1), (cast.public, 4, 0)):
        for state, count in (("opened", opened), ("closed", closed), ("all", opened + closed)):
            answer = cast.reporter.get(f"/projects/{place.id}/issues", state=state)
            assert int(answer.headers["X-Total"]) == len(answer.json) == count


def test_assignees_who_cannot_read_the_target_are_left_behind(cast):
    there = make_project(cast.stranger, "theirs")["id"]
    cast.stranger.post(f"/projects/{there}/members", user_id=cast.reporter.id, access_level=20)
    old = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.put(old, assignee_ids=[cast.reporter.id, cast.guest.id])
    new = cast.reporter.post(f"{old}/move", to_project_id=there).json
    assert [user["username"] for user in new["assignees"]] == ["reporter"]


def test_notes_and_emoji_go_with_it_and_both_say_where(cast, move):
    old = f"/projects/{cast.private.id}/issues/{cast.open}"
    note = cast.guest.post(f"{old}/notes", body="like #2, says @master").json
    cast.developer.post(f"{old}/award_emoji", name="tada")
    cast.developer.post(f"{old}/notes/{note['id']}/award_emoji", name="heart")
    new = move().json
    there = f"/projects/{cast.public.id}/issues/{new['iid']}"
    notes = cast.developer.get(f"{there}/notes", sort="asc").json
    bodies = [each["body"] for each in notes]
    assert f"like {cast.private.path}#2, says @master" in bodies
    copied = next(each for each in notes if each["body"].startswith("like"))
    assert (copied["author"]["username"], copied["created_at"]) == ("guest", note["created_at"])
    assert bodies[-1] == f"moved from {cast.private.path}#{cast.open}"
    told = cast.developer.get(f"{old}/notes").json[0]
    assert (told["body"], told["system"]) == (f"moved to {cast.public.path}#{new['iid']}", True)
    assert "tada" in [each["name"] for each in cast.developer.get(f"{there}/award_emoji").json]
    hearts = cast.developer.get(f"{there}/notes/{copied['id']}/award_emoji").json
    assert [each["name"] for each in hearts] == ["heart"]
    assert new["user_notes_count"] == cast.developer.get(old).json["user_notes_count"] > 0
    assert "master" in [user["username"] for user in cast.developer.get(f"{there}/participants").json]


def test_the_cost_does_not_grow_with_the_talk(cast, move, database):
    costs = []
    for notes in (1, 10):
        made = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x").json
        issue = f"/projects/{cast.private.id}/issues/{made['iid']}"
        for number in range(notes):
            cast.reporter.post(f"{issue}/notes", body=f"note #{number + 1}")
        with statements(database) as used:
            assert cast.reporter.post(f"{issue}/move", to_project_id=cast.public.id).status == 201
        costs.append(used.count)
    assert costs[0] == costs[1] <= 35


def test_todos_and_subscriptions_are_not_moved(cast, move):
    """The mover has dealt with it; nobody is subscribed to the new one, or has something to do there, unasked."""
    old = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.post(f"{old}/todo")
    cast.guest.post(f"{old}/todo")
    cast.guest.post(f"{old}/subscribe")
    new = move().json
    assert cast.reporter.get("/todos").json == []
    assert [(todo["target"]["id"]) for todo in cast.guest.get("/todos").json] == [cast.guest.get(old).json["id"]]
    there = f"/projects/{cast.public.id}/issues/{new['iid']}"
    assert cast.guest.get(there).json["subscribed"] is False
    nothing = cast.root.get(f"{there}/user_agent_detail")
    assert (nothing.status, nothing.json) == (404, {"message": "404 UserAgentDetail Not Found"})


def test_system_notes_are_moved_and_closing_adds_none(cast, move):
    old = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.reporter.put(old, title="Other", state_event="close")
    cast.reporter.put(old, state_event="reopen")
    told = [(n["body"], n["created_at"], n["system"]) for n in cast.reporter.get(f"{old}/notes", sort="asc").json]
    new = cast.reporter.post(f"{old}/move", to_project_id=cast.public.id).json
    assert (new["state"], new["confidential"]) == ("opened", True)
    there = f"/projects/{cast.public.id}/issues/{new['iid']}"
    copied = [(n["body"], n["created_at"], n["system"]) for n in cast.reporter.get(f"{there}/notes", sort="asc").json]
    assert copied[:-1] == told
    after = [n["body"] for n in cast.reporter.get(f"{old}/notes", sort="asc").json]
    assert after[len(told) :] == [f"moved to {cast.public.path}#{new['iid']}"]
    assert cast.guest.get(there).status == 404


@pytest.mark.commits
def test_two_who_move_it_at_once_move_it_once(cast):
    path = f"/projects/{cast.private.id}/issues/{cast.open}/move"

    async def all_at_once():
        places = [cast.public.id, cast.internal.id] * 3
        moved = [cast.reporter.exchange("POST", path, params={"to_project_id": place}) for place in places]
        return [answer.status for answer in await asyncio.gather(*moved)]

    assert sorted(cast.reporter.loop.run_until_complete(all_at_once())) == [201, 400, 400, 400, 400, 400]


@pytest.mark.commits
def test_moves_there_and_back_and_closing_do_not_wait_for_each_other(cast):
    """Also where no issue was closed before: the totals that a move changes first come to be with it."""
    here, there = (make_project(cast.owner, name)["id"] for name in ("hither", "thither"))
    for place in [here] * 8 + [there] * 4:
        cast.owner.post(f"/projects/{place}/issues", title="x")

    def ask(verb, place, iid, tail="", **params):
        return cast.owner.exchange(verb, f"/projects/{place}/issues/{iid}{tail}", params=params)

    async def all_at_once():
        closing = [ask("PUT", here, iid, state_event="close") for iid in range(5, 9)]
        going = [ask("POST", here, iid, "/move", to_project_id=there) for iid in range(1, 5)]
        coming = [ask("POST", there, iid, "/move", to_project_id=here) for iid in range(1, 5)]
        return {answer.status for answer in await asyncio.gather(*going, *closing, *coming)}

    assert cast.owner.loop.run_until_complete(all_at_once()) == {200, 201}


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("#4", "g/p#4"),
        ("see #4, #5.", "see g/p#4, g/p#5."),
        ("(#4)", "(g/p#4)"),
        ("!7 merges it", "g/p!7 merges it"),
        ("other#4", "g/other#4"),
        ("g/x#4 and a/b/c#5", "g/x#4 and a/b/c#5"),
        ("# 4 heading", "# 4 heading"),
        ("#4th", "#4th"),
        ("`#4` and ``` #4 ``` and #4", "`#4` and ``` #4 ``` and g/p#4"),
        ("```\n#4\n", "```\n#4\n"),
        ("http://x/y#4", "http://x/y#4"),
        ("##4", "##4"),
        ("changed milestone to %4", "changed milestone to g/p%4"),
        ('%"next one" and %unknown', 'g/p%"next one" and %unknown'),
        ("50%4 or 50 %5", "50%4 or 50 %5"),
        ('~bug, ~"to do" and ~12.', 'g/p~bug, g/p~"to do" and g/p~12.'),
        ("~unknown, a~bug, ~~bug~~ and `~bug`", "~unknown, a~bug, ~~bug~~ and `~bug`"),
        ("$7 but not $70 or $7.5 or US$7", "g/p$7 but not $70 or $7.5 or US$7"),
    ],
)
def test_references_are_spelled_out(text, there):
    known = {"%4", "%next one", "~bug", "~to do", "~12", "$7"}
    assert qualify_references(text, "g/p", known) == there


def test_labels_milestones_and_snippets_are_spelled_out_where_they_exist(cast, move):
    here, old = f"/projects/{cast.private.id}", f"/projects/{cast.private.id}/issues/{cast.open}"
    bug = cast.developer.post(f"{here}/labels", name="bug", color="red").json
    cast.owner.post(f"/groups/{cast.team.id}/labels", name="wide", color="red")
    milestone = cast.developer.post(f"{here}/milestones", title="v 1").json
    snippet = cast.developer.post(f"{here}/snippets", title="s", file_name="s", code="s", visibility="private").json
    text = f'~bug ~{bug["id"]} ~wide ~none %"v 1" %{milestone["iid"]} %99 ${snippet["id"]} $99999 `~bug`'
    cast.developer.put(old, description=text, labels="bug", milestone_id=milestone["id"])
    cast.developer.post(f"{old}/notes", body="as ~bug")
    new = move().json
    path = cast.private.path
    assert new["description"] == (
        f'{path}~bug {path}~{bug["id"]} ~wide ~none {path}%"v 1" {path}%{milestone["iid"]} %99'
        f" {path}${snippet['id']} $99999 `~bug`"
    )
    notes = cast.developer.get(f"/projects/{cast.public.id}/issues/{new['iid']}/notes", sort="asc").json
    assert [note["body"] for note in notes][:-1] == [
        "changed the description",
        f"added {path}~{bug['id']} label",
        f"changed milestone to {path}%{milestone['iid']}",
        f"as {path}~bug",
    ]


def test_a_text_full_of_references_grows_little():
    text = "#1 " * 300_000
    assert len(qualify_references(text, "g/" * 100 + "p")) <= len(text) + 100_000
