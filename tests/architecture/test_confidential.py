"""No response, total or error of any route reveals a confidential issue or a private project to those who may not read it."""

import re

import pytest

from mujina.kernel.http.params import fields_of
from tests.harness.composed import ROUTES
from tests.harness.creation import make_group, make_project
from tests.harness.permission_world import fill

SECRET = "zanzibar"
OUTSIDE = ("guest", "stranger")
PASSING_TIME = re.compile(rb'"last_(activity|downloaded)_at":("[^"]*"|null)|"(queued_)?duration":[\d.]+')

outside = pytest.mark.parametrize(
    ("engine", "who"), [*(("sqlite", who) for who in OUTSIDE), ("postgres", "guest")], indirect=["engine"]
)
"""The rules are one text for both engines."""


@pytest.fixture
def hidden(world):
    """The path of a confidential issue in the public project, with all that can hang on it; the developer wrote it."""
    cast, ids = world.cast, world.ids["public"]
    epics = fill("/groups/:id/-/epics", ids)
    empty = cast.owner.post(epics, title="No issue that others see")

    def write():
        issues = f"/projects/{cast.public.id}/issues"
        mentions = f"{SECRET} for @guest and @stranger, see #{cast.open}"
        made = cast.developer.post(issues, title=SECRET, description=mentions, confidential=True, weight=3)
        there = f"{issues}/{made.json['iid']}"
        note = cast.reporter.post(f"{there}/notes", body=f"@all {mentions}").json
        cast.reporter.put(
            there, labels="A label", milestone_id=ids["/projects/:/milestones/:"], due_date="2018-01-01",
            assignee_ids=[cast.reporter.id], title=f"{SECRET} again",
        )  # fmt: skip
        cast.reporter.post(f"{there}/award_emoji", name="tada")
        cast.reporter.post(f"{there}/notes/{note['id']}/award_emoji", name="tada")
        cast.reporter.post(f"{there}/links", target_project_id=cast.public.id, target_issue_iid=cast.open)
        assert cast.owner.post(f"{epics}/{empty.json['iid']}/issues/{made.json['id']}").status == 201
        cast.reporter.post(f"{there}/add_spent_time", duration="1h")
        cast.reporter.post(f"{there}/todo")
        cast.reporter.post(f"{there}/subscribe")
        cast.reporter.put(there, state_event="close")
        cast.reporter.put(there, state_event="reopen")
        write_private(cast, ids)
        return there

    return write


def write_private(cast, ids):
    """A private subgroup with a project, which use what the public group has, and name what the public project has."""
    group = make_group(cast.owner, SECRET, parent_id=cast.team.id, visibility="private")
    project = make_project(cast.owner, SECRET, namespace_id=group["id"], tag_list=["knitting", "sewing", SECRET])
    here = f"/projects/{project['id']}"
    text = f"{SECRET} for @guest and @stranger, see {cast.public.path}#{cast.open}"
    request = {"title": text, "description": f"Closes {cast.public.path}#{cast.open}", "source_branch": SECRET}
    shared = {"labels": "A group label", "milestone_id": ids["/groups/:/milestones/:"]}
    issue = cast.owner.post(f"{here}/issues", title=SECRET, description=text, **shared).json
    files = [{"action": "create", "file_path": SECRET, "content": SECRET}]
    said = [
        ("POST", f"{fill('/groups/:id/-/epics', ids)}/{ids['/groups/:/-/epics/:']}/issues/{issue['id']}", {}),
        ("POST", f"{here}/issues/1/links", {"target_project_id": cast.public.id, "target_issue_iid": cast.open}),
        ("POST", f"{here}/issues/1/notes", {"body": text}),
        ("POST", f"{here}/repository/commits", {"branch": "master", "commit_message": text, "actions": files}),
        ("POST", f"{here}/repository/branches", {"branch": SECRET, "ref": "master"}),
        ("PUT", f"{here}/repository/files/{SECRET}", {"branch": SECRET, "commit_message": text, "content": text}),
        ("POST", f"{here}/merge_requests", {**request, "target_branch": "master", **shared}),
        ("POST", f"{here}/releases", {"tag_name": SECRET, "ref": "master", "description": text}),
        ("POST", f"{here}/snippets", {"title": SECRET, "file_name": SECRET, "code": text, "visibility": "public"}),
        ("POST", f"{here}/members", {"user_id": cast.reporter.id, "access_level": 30}),
        ("POST", f"/groups/{group['id']}/-/epics", {"title": text}),
        ("POST", f"{here}/star", {}),
    ]
    assert [cast.owner.ask(verb, path, params=params).status // 100 for verb, path, params in said] == [2] * len(said)


SEARCHES = [
    *(f"{place}/search?scope={scope}&search={SECRET}" for place in ("", "/groups/:id", "/projects/:id")
      for scope in ("issues", "notes")),
    *(f"{place}/issues?scope=all&search={SECRET}" for place in ("", "/groups/:id", "/projects/:id")),
    "/projects/:id/issues?labels=A+label",
    "/projects/:id/issues?milestone=A+milestone&state=opened",
    "/issues?scope=all&order_by=updated_at",
]  # fmt: skip


FLAGS = [
    (route, field.name)
    for route in ROUTES
    if route.verb == "GET" and route.paged
    for declared in route.params.values()
    for field in fields_of(declared)
    if field.form.schema.get("type") == "boolean"
]
"""Every yes-or-no filter of a list: such as whether a noun has issues, which a hidden one must not decide."""


def told(world, who, only=None):
    """What every route that reads tells this person, without the ages of jobs and the times of activity and downloads.

    `only`: what these paths tell.
    """
    asked = [(route.path, world.params(route, "public")) for route in ROUTES if route.verb == "GET"]
    found = {}
    flagged = [(f"{route.path}?{name}=true", world.params(route, "public")) for route, name in FLAGS]
    for path, said in [*asked, *flagged, *((search, {}) for search in SEARCHES)]:
        if only is not None and path not in only:
            continue
        place, _, query = path.partition("?")
        filled = fill(place, world.ids["public"]) + (f"?{query}" if query else "")
        answer = getattr(world.cast, who).ask("GET", filled, params=said)
        body = PASSING_TIME.sub(b"", answer.body)
        found[path] = answer.status, answer.headers.get("X-Total"), body
    return found


@outside
def test_nothing_that_is_read_changes_for_those_outside(world, hidden, who):
    before = told(world, who)
    hidden()
    after = told(world, who)
    assert {path: after[path] for path in after if after[path] != before[path]} == {}


@outside
def test_a_hidden_issue_is_refused_like_one_that_never_was(world, hidden, who):
    there = hidden()
    missing = f"{there.rpartition('/')[0]}/999999"
    for route in ROUTES:
        path = route.path.replace(":noteable_id", ":issue_iid")
        if path.startswith("/projects/:id/issues/:issue_iid"):
            rest = fill(path, world.ids["public"]).split("/", 5)[5:]
            said = world.params(route, "public")
            answers = [
                getattr(world.cast, who).ask(route.verb, "/".join([place, *rest]), params=said)
                for place in (there, missing)
            ]
            assert (answers[0].status, answers[0].body) == (answers[1].status, answers[1].body), route.path
            assert answers[0].status in {400, 403, 404}, route.path


def test_those_inside_see_all_of_it(world, hidden):
    """What the others are compared by would show it."""
    hidden()
    lists = {"/projects/:id/issues", "/issues", "/groups/:id/issues", "/todos", "/events", "/projects/:id/events"}
    talk = {"/projects/:id/issues/:issue_iid/links", "/projects/:id/milestones/:milestone_id/issues"}
    shown = lists | talk | {*SEARCHES}
    answers = [*told(world, "developer", shown).items(), *told(world, "master", shown).items()]
    assert {path for path, (_, _, body) in answers if SECRET.encode() in body} == shown
