"""The pages of issues: what they show to whom, and what their forms do."""

import re
from dataclasses import replace

import pytest

from mujina.planning.work_items.lists import plans
from tests.harness.browsers import counts_on_tabs
from tests.harness.statements import statements

LONG = f"https://{'a' * 100_000}"
"""Reading it takes no longer than its length asks for."""


@pytest.fixture
def project(paper):
    return paper


@pytest.fixture
def place(project):
    return f"/{project['path_with_namespace']}/issues"


def test_an_issue_is_created_from_the_form(browse, cast, place):
    reporter = browse("reporter")
    assert "Track bugs and ideas here." in reporter.open(place).text
    reporter.open(f"{place}/new")
    refused = reporter.send(place, issue={"title": "", "description": "kept words", "assignees": "nobody-here"})
    assert (refused.status, "kept words" in refused.text) == (422, True)
    made = reporter.send(
        place, issue={"title": "Leak in the <roof>", "description": "Water, see #1\n\n- [ ] task", "labels": "wet,urgent",
                      "assignees": cast.guest.username, "due_date": "2001-01-01", "weight": "3"},
    )  # fmt: skip
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    page = reporter.open(f"{place}/1").text
    for words in ("Leak in the &lt;roof&gt;", "Water, see", "wet", "urgent", "overdue", cast.guest.name, "Close issue"):
        assert words in page, words
    assert "Leak in the &lt;roof&gt;" in reporter.open(place).text


@pytest.fixture
def leak(cast, place, project):
    """The page of an issue."""
    assert cast.reporter.post(f"/projects/{project['id']}/issues", title="Leak").status == 201
    return f"{place}/1"


def test_what_an_issue_has_not_costs_its_page_one_statement_at_most(browse, leak, database):
    reporter = browse("reporter")
    reporter.open(leak)
    with statements(database) as used:
        assert reporter.open(leak).status == 200
    assert used.count <= 10


def test_comments_name_the_role_of_their_author_also_of_one_who_may_no_longer_read_the_issue(
    browse, cast, leak, project
):
    issue = f"/projects/{project['id']}/issues/1"
    assert cast.guest.post(f"{issue}/notes", body="hello").status == 201
    for confidential, participants in ((False, "2 participants"), (True, "1 participant")):
        assert cast.reporter.put(issue, confidential=confidential).status == 200
        page = browse("reporter").open(leak).text
        assert f"<h2>{participants}</h2>" in page
        roles = re.findall(r'<article class="card note-card">.*?<span class="chip">(\w+)</span>', page, re.DOTALL)
        assert roles == ["Reporter", "Guest"]


def test_a_comment_is_written_edited_and_deleted(browse, leak):
    reporter = browse("reporter")
    reporter.open(leak)
    answer = reporter.send(f"{leak}/notes", body="It **drips**")
    assert (answer.status, "#note_" in answer.headers["Location"]) == (303, True)
    page = reporter.open(leak).text
    assert "<strong>drips</strong>" in page
    note = re.search(rf"{leak}/notes/(\d+)/edit", page)[1]
    part = replace(reporter, headers={"hx-request": "true", "hx-target": f"note_{note}"})
    for answer in (
        part.open(f"{leak}/notes/{note}/edit"),
        part.send(f"{leak}/notes/{note}", body=" "),
        part.send(f"{leak}/notes/{note}", body="It", preview="true"),
        part.open(leak, note=note),
    ):
        assert (f'id="note_{note}"' in answer.text, "<html" in answer.text) == (True, False)
    refused = reporter.send(f"{leak}/notes/{note}", body=" ")
    assert (refused.status, f'id="note_{note}-body-problem"' in refused.text) == (422, True)
    assert reporter.send(f"{leak}/notes/{note}", body="It pours").headers["Location"].endswith(f"#note_{note}")
    assert "It pours" in reporter.open(leak).text
    assert reporter.send(f"{leak}/notes/{note}/delete").status == 303
    assert "It pours" not in reporter.open(leak).text


def test_a_comment_closes_an_issue(browse, place, leak):
    reporter = browse("reporter")
    reporter.open(leak)
    assert reporter.send(f"{leak}/notes", body="done", close="true").status == 303
    assert "Reopen issue" in reporter.open(leak).text
    assert "No issues match your filters." not in reporter.open(place, state="closed").text
    assert "Leak" not in reporter.open(place).text


def test_hidden_issues_leave_no_trace(browse, cast, place, project):
    cast.owner.post(f"/projects/{project['id']}/issues", title="Secret plan", confidential=True)
    cast.owner.put(f"/projects/{project['id']}/issues/1", state_event="close")
    cast.guest.post(f"/projects/{project['id']}/issues", title="Own plan", confidential=True)
    guest, stranger, anonymous = browse("guest"), browse("stranger"), browse("anonymous")
    group, own = f"/groups/{cast.team.path}/-/issues", {"scope": "created-by-me", "search": "plan"}
    for state in ("opened", "closed"):
        page = guest.open(place, state=state).text
        assert ("Secret plan" in page, counts_on_tabs(page)) == (False, [1, 0, 1]), state
        assert counts_on_tabs(guest.open("/dashboard/issues", state=state, **own).text) == [1, 0, 1]
        assert counts_on_tabs(guest.open("/dashboard/issues", state=state, scope="created-by-me").text) == [1, 0, 1]
        assert counts_on_tabs(guest.open(group, state=state, search="plan").text) == [1, 0, 1]
    assert counts_on_tabs(guest.open("/dashboard/issues").text) == [0, 0, 0]
    assert "There are no issues assigned to you." in guest.open("/dashboard/issues").text
    cast.owner.put(f"/projects/{project['id']}/issues/1", assignee_ids=[cast.guest.id])
    assert counts_on_tabs(guest.open("/dashboard/issues").text) == [0, 1, 1]
    cast.owner.put(f"/projects/{project['id']}/issues/1", assignee_ids=[])
    assert counts_on_tabs(browse("owner").open(place, state="all", order="due").text) == [1, 1, 2]
    assert counts_on_tabs(browse("owner").open(group, search="plan").text) == [1, 1, 2]
    assert guest.open(f"{place}/1").status == 404
    assert stranger.open(place).status == 404
    assert anonymous.open(place).status == 302
    open_issue = cast.owner.post(f"/projects/{cast.public.id}/issues", title="For everyone").json["iid"]
    page = anonymous.open(f"/{cast.public.path}/issues").text
    assert ("For everyone" in page, f'"{cast.guest.username}"' in page) == (True, False)
    page = anonymous.open(f"/{cast.public.path}/issues/{open_issue}").text
    assert "Sign in to comment." in page
    assert "authenticity_token" not in page.partition("<main")[2]
    assert anonymous.send(f"/{cast.public.path}/issues/{open_issue}/close").status in (302, 303, 422)
    assert cast.owner.get(f"/projects/{cast.public.id}/issues/{open_issue}").json["state"] == "opened"


def test_filters_and_bulk_editing(browse, cast, place, project, monkeypatch):
    for number in range(3):
        cast.owner.post(f"/projects/{project['id']}/issues", title=f"Task {number}", labels="a" if number else "b")
    owner = browse("owner")
    found = owner.open(place, label_name="a", author_username=cast.owner.username, order="oldest").text
    assert "Task 1" in found
    assert "Task 0" not in found
    assert counts_on_tabs(found) == [2, 0, 2]
    assert "No issues match your filters." in owner.open(place, assignee_username="nobody").text
    owner.open(place)
    sent = {"state_event": "close", "add_labels": "done", "subscription": "unsubscribe"}
    assert [owner.send(f"{place}/bulk", iids=["1", "2"], **sent).status for _ in range(2)] == [303, 303]
    assert cast.owner.get(f"/projects/{project['id']}/issues/1").json["subscribed"] is False
    states = {
        each["iid"]: (each["state"], each["labels"])
        for each in cast.owner.get(f"/projects/{project['id']}/issues").json
    }
    assert states == {1: ("closed", ["b", "done"]), 2: ("closed", ["a", "done"]), 3: ("opened", ["a"])}
    monkeypatch.setattr(plans, "FEW_TO_SEARCH", 2)
    cast.owner.put(f"/projects/{project['id']}/issues/3", due_date="2001-01-01")
    for asked in ({}, {"label_name": "a"}):
        page = owner.open(place, search="task", order="due", state="all", **asked).text
        assert page.index("Task 2</a>") < page.index("Task 1</a>")
    for query, counts in (
        ({}, [1, 2, 3]), ({"weight": ""}, [1, 2, 3]), ({"label_name": "a"}, [1, 1, 2]), ({"search": "task"}, [1, 2, 3]),
        ({"search": "task", "label_name": "a", "state": "closed"}, [1, 1, 2]), ({"label_name": "a,done"}, [0, 1, 1]),
    ):  # fmt: skip
        page = owner.open(place, **query).text
        assert counts_on_tabs(page) == counts, query
    assert [f'href="?label_name={each}"' in page for each in ("a", "done")] == [True, True]
    owner.open(place)
    assert owner.send(f"{place}/bulk", iids=["3"] * 101, add_labels="done").status == 303
    owner.open(place)
    assert owner.send(f"{place}/bulk", iids=[str(iid) for iid in range(1, 102)], add_labels="done").status == 422
    refused = owner.send(f"{place}/bulk", state_event="close")
    assert (refused.status, "Choose at least one in the list below" in refused.text) == (422, True)
    assert browse("guest").send(f"{place}/bulk", iids=["3"], state_event="close").status in (403, 422)
    offered = owner.open(f"/{cast.private.path}/issues").text
    assert [f'<option value="{name}">' in offered for name in ("developer", "expired")] == [True, False]


def test_issues_are_related_and_unrelated(browse, cast, place, project):
    for title in ("First", "Second"):
        cast.owner.post(f"/projects/{project['id']}/issues", title=title)
    owner = browse("owner")
    owner.open(f"{place}/1")
    for text, status in (("", 422), ("#99", 422), ("#1", 422), ("#2", 303), (f"{place}/2", 409), (LONG, 422)):
        assert owner.send(f"{place}/1/links", issue=text).status == status, text
    assert owner.send(f"{place}/1/links", issue=f"{cast.private.path}#{cast.open}").status == 303
    page = owner.open(f"{place}/1").text
    assert (">Second</a>" in page, f"{cast.private.path}#{cast.open}" in page) == (True, True)
    guest = browse("guest")
    assert "Relate an issue" not in guest.open(f"{place}/1").text
    assert guest.send(f"{place}/1/links", issue="#2").status == 403
    link = re.search(rf"{place}/1/links/(\d+)/delete", page)[1]
    assert owner.send(f"{place}/1/links/{link}/delete").status == 303
    assert [each["project_id"] for each in cast.owner.get(f"/projects/{project['id']}/issues/1/links").json] == [
        cast.private.id
    ]


def test_the_menu_of_an_issue(browse, cast, place, project):
    cast.owner.post(f"/projects/{project['id']}/issues", title="One")
    owner = browse("owner")
    owner.open(f"{place}/1")
    for verb, key, value in (
        ("lock", "discussion_locked", True), ("unlock", "discussion_locked", False), ("hide", "confidential", True),
        ("unhide", "confidential", False), ("unsubscribe", "subscribed", False), ("subscribe", "subscribed", True),
    ):  # fmt: skip
        assert owner.send(f"{place}/1/{verb}").status == 303, verb
        assert cast.owner.get(f"/projects/{project['id']}/issues/1").json[key] is value, verb
    assert owner.send(f"{place}/1/time", estimate="2h", spent="30m").status == 303
    assert "30m spent, 2h estimated" in owner.open(f"{place}/1").text
    assert owner.send(f"{place}/1/time", estimate="soon").status == 422
    assert owner.send(f"{place}/1/react", name="tada").status == 303
    assert "🎉 1" in owner.open(f"{place}/1").text
    assert owner.send(f"{place}/1/react", name="nothing").status == 422
    for verb in ("subscribe", "todo", "todo"):  # a second time changes nothing
        assert owner.send(f"{place}/1/{verb}").status == 303
    assert owner.send(f"{place}/1/move", to_project=cast.public.path).status == 303
    assert owner.send(f"{place}/1/delete").status == 303
    assert owner.open(f"{place}/1").status == 404


def test_a_long_discussion_is_shown_in_parts(browse, cast, place, project):
    cast.owner.post(f"/projects/{project['id']}/issues", title="Long")
    note = cast.owner.post(f"/projects/{project['id']}/issues/1/notes", body="word 0").json["id"]
    cast.rows(
        """INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, discussion_id,
               individual, created_at, updated_at)
           SELECT noteable_kind, noteable_id, project_id, author_id, 'word ' || n, '', discussion_id || n, individual,
               created_at, updated_at
           FROM notes, (WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 249)
               SELECT n FROM counted) AS numbers WHERE id = :id""",
        id=note,
    )
    page = browse("owner").open(f"{place}/1").text
    assert "Show 130 more" in page
    assert "word 19<" in page
    assert "word 20<" not in page
    assert "word 249<" in page
    page = browse("owner").open(f"{place}/1", note=note + 60).text
    assert ["word 59<" in page, "word 60<" in page, "word 150<" in page] == [False, True, True]
    assert re.findall(r"note=(\d+)#note_\d+\"[^>]*>Show (\d+) more", page) == [(str(note + 20), "40")]
    page = browse("owner").open(f"{place}/1", note=note + 20).text
    assert re.findall(r"note=(\d+)#note_\d+\"[^>]*>Show (\d+) more", page) == [(str(note + 120), "30")]
    page = browse("owner").open(f"{place}/1", note=note + 30).text
    assert re.findall(r">Show (\d+) more", page) == ["10", "20"]


def test_previews_uploads_and_templates(browse, cast, place, project):
    api = f"/projects/{project['id']}"
    files = [{"action": "create", "file_path": ".gitlab/issue_templates/Bug.md", "content": "## What happened"}]
    cast.owner.post(f"{api}/repository/commits", branch="master", commit_message="Add", actions=files)
    reporter, guest = browse("reporter"), browse("guest")
    assert "<option>Bug</option>" in reporter.open(f"{place}/new").text
    assert "## What happened" in reporter.open(f"{place}/new", issuable_template="Bug").text
    assert "## What" not in reporter.open(f"{place}/new", issuable_template="../../README").text
    assert "<option>Bug</option>" not in guest.open(f"{place}/new", issuable_template="Bug").text
    shown = reporter.send(place, issue={"title": "", "description": "**bold** words"}, preview="true")
    assert (shown.status, "<strong>bold</strong>" in shown.text, "**bold** words" in shown.text) == (200, True, True)
    picture = {"files[]": ("a b.png", b"picture")}
    made = reporter.send_files(place, picture, issue={"title": "With a file", "description": "See"})
    assert made.status == 303
    text = cast.owner.get(f"{api}/issues/1").json["description"]
    assert re.fullmatch(r"See\n\n!\[a_b\]\(/uploads/[0-9a-f]{32}/a_b\.png\)", text)
    reporter.open(f"{place}/1")
    assert reporter.send_files(f"{place}/1/notes", {"files[]": ("log.txt", b"lines")}, body="").status == 303
    note = cast.owner.get(f"{api}/issues/1/notes", sort="asc").json[-1]["body"]
    assert note.startswith("[log.txt](/uploads/")
    refused = reporter.send_files(f"{place}/1/notes", {"files[]": ("", b"")}, body=" ")
    assert (refused.status, 'aria-invalid="true"' in refused.text) == (422, True)
    shown = reporter.send(f"{place}/1/notes", body="*slanted*", preview="true")
    assert (shown.status, "<em>slanted</em>" in shown.text) == (200, True)
    assert [each["body"] for each in cast.owner.get(f"{api}/issues/1/notes").json].count("*slanted*") == 0
    edited = reporter.send_files(f"{place}/1", {"files[]": ("b.png", b"x")}, issue={"description": text})
    assert edited.status == 303
    assert cast.owner.get(f"{api}/issues/1").json["description"].count("/uploads/") == 2
    assert "Reporter</span>" in reporter.open(f"{place}/1").text
    cast.owner.put(api, issues_enabled=False)
    assert (reporter.open(place).status, reporter.open(f"{place}/new").status) == (404, 404)


def test_tasks_are_ticked_by_those_who_may_edit_the_description(browse, cast, place, project):
    issue = f"/projects/{project['id']}/issues/1"
    cast.owner.post(f"/projects/{project['id']}/issues", title="One", description="- [x] a\n- [ ] b")
    owner, guest = browse("owner"), browse("guest")
    page = owner.open(f"{place}/1").text
    assert "1 of 2 tasks done" in page
    assert 'form="tasks"' not in guest.open(f"{place}/1").text
    digest = re.search(r'name="digest" value="(\w+)"', page)[1]
    assert re.findall(r'form="tasks" name="tasks\[\]" value="(\d)"( checked)?', page) == [("1", " checked"), ("2", "")]
    assert guest.send(f"{place}/1/tasks", tasks=["1"], digest=digest).status == 403
    assert owner.send(f"{place}/1/tasks", tasks=["2"], digest=digest).status == 303
    assert cast.owner.get(issue).json["description"] == "- [ ] a\n- [x] b"
    assert "marked the task <strong>b</strong> as completed" in owner.open(f"{place}/1").text
    assert owner.send(f"{place}/1/tasks", digest=digest).status == 303
    assert "1 of 2 tasks done" in owner.open(f"{place}/1").text
    cast.owner.put(issue, description="- [ ] a\n\n```\n- [ ] code\n```")
    assert 'form="tasks"' not in owner.open(f"{place}/1").text
    cast.owner.put(issue, description="- [x] a")
    assert "1 of 1 task</span>" in owner.open(place).text


def test_an_issue_leads_to_what_the_reader_may_see(browse, cast, place, project):
    api, group = f"/projects/{project['id']}", f"/groups/{cast.team.id}"
    for branch, more in (("master", {}), ("topic", {"start_branch": "master"})):
        actions = [{"action": "create", "file_path": branch, "content": "b"}]
        cast.owner.post(f"{api}/repository/commits", branch=branch, commit_message=branch, actions=actions, **more)
    milestone = cast.owner.post(f"{group}/milestones", title="Of the group").json
    described = {"title": "One", "milestone_id": milestone["id"], "description": "- [x] a\n- [ ] b"}
    issue = cast.owner.post(f"{api}/issues", **described).json
    request = {"source_branch": "topic", "target_branch": "master", "title": "Mend", "description": "Closes #1"}
    assert cast.owner.post(f"{api}/merge_requests", **request).status == 201
    epic = cast.owner.post(f"{group}/-/epics", title="Larger").json
    cast.owner.post(f"{group}/-/epics/{epic['iid']}/issues/{issue['id']}")
    page = browse("owner").open(f"{place}/1").text
    for words in ("Mend</a>", f"/-/epics/{epic['iid']}", f"/-/milestones/{milestone['iid']}"):
        assert words in page.partition("<aside")[2], words
    assert "Mend" not in browse("guest").open(f"{place}/1").text
    for name, shown in (("owner", (True, True)), ("guest", (True, False))):
        row = browse(name).open(place).text
        assert ("1 of 2 tasks</span>" in row, "1 merge request</span>" in row) == shown, name


def test_a_moved_issue_leads_to_the_new_one(browse, cast, place, project):
    cast.owner.post(f"/projects/{project['id']}/issues", title="One", description="- [x] a")
    owner, guest = browse("owner"), browse("guest")
    assert "Move issue" in owner.open(f"{place}/1").text
    assert owner.send(f"{place}/1/move", to_project=cast.private.path).status == 303
    moved = owner.open(f"{place}/1").text
    assert ("Moved to" in moved, "Move issue" in moved, "Clone issue" in moved) == (True, False, True)
    assert "1 of 1 task</span>" in owner.open(f"/{cast.private.path}/issues").text
    assert "Moved to" in guest.open(f"{place}/1").text
    cast.owner.delete(f"/projects/{cast.private.id}/members/{cast.guest.id}")
    assert "Moved to" not in guest.open(f"{place}/1").text


@pytest.mark.parametrize("verb", ["move", "clone"])
def test_a_mistyped_project_is_named_by_the_form_that_moves_an_issue(browse, cast, leak, verb):
    reporter = browse("reporter")
    for typed in ("nobody/here", f"{cast.private.path}-not"):
        reporter.open(f"{leak}/{verb}")
        refused = reporter.send(f"{leak}/{verb}", to_project=typed)
        shown = (refused.status, "does not exist" in refused.text, f'value="{typed}"' in refused.text)
        assert shown == (422, True, True)


def test_a_form_names_the_assignee_who_may_not_be_assigned(browse, cast):
    """The API leaves such a user out without a word."""
    place, api = f"/{cast.private.path}/issues", f"/projects/{cast.private.id}/issues"
    before, reporter = cast.owner.get(api).headers["X-Total"], browse("reporter")
    reason = "“stranger” has no access to this project."
    reporter.open(f"{place}/new")
    refused = reporter.send(place, issue={"title": "New", "assignees": "@developer, stranger"})
    assert (refused.status, reason in refused.text, 'value="New"' in refused.text) == (422, True, True)
    assert cast.owner.get(api).headers["X-Total"] == before
    assert reporter.send(place, issue={"title": "New", "assignees": "@developer"}).status == 303
    made = cast.owner.get(api).json[0]
    here = f"{place}/{made['iid']}"
    reporter.open(f"{here}/edit")
    refused = reporter.send(here, issue={"title": "Newer", "assignees": "stranger"})
    assert (refused.status, reason in refused.text) == (422, True)
    refused = reporter.send(f"{place}/bulk", iids=[made["iid"]], assignees="stranger")
    assert (refused.status, reason in refused.text) == (422, True)
    now = cast.owner.put(f"{api}/{made['iid']}", weight=1).json
    assert (now["title"], [each["username"] for each in now["assignees"]]) == ("New", ["developer"])
    left_out = cast.reporter.post(api, title="By the API", assignee_ids=[cast.stranger.id])
    assert (left_out.status, left_out.json["assignees"]) == (201, [])
