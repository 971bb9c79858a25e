import pytest

from tests.harness.statements import statements


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def notes_after(cast, issue):
    """What the instance says about an edit by the reporter."""

    def after(**change):
        before = {note["id"] for note in cast.reporter.get(f"{issue}/notes").json}
        assert cast.reporter.put(issue, **change).status == 200
        new = [note for note in cast.reporter.get(f"{issue}/notes", sort="asc").json if note["id"] not in before]
        assert all(note["system"] and note["author"]["username"] == "reporter" for note in new)
        return [note["body"] for note in new]

    return after


def test_closing_and_reopening(notes_after):
    assert notes_after(state_event="close") == ["closed"]
    assert notes_after(state_event="close") == []
    assert notes_after(state_event="reopen") == ["reopened"]
    assert notes_after(state_event="reopen") == []


def test_a_new_title_is_marked_where_it_differs(notes_after):
    assert notes_after(title="The old title") == ["changed title from **{-Open-}** to **{+The old title+}**"]
    assert notes_after(title="The new title") == ["changed title from **The {-old-} title** to **The {+new+} title**"]
    assert notes_after(title="The title") == ["changed title from **The {-new -}title** to **The title**"]
    assert notes_after(title="The title") == []


def test_a_new_description_is_noted_but_not_repeated(notes_after):
    assert notes_after(description="first") == ["changed the description"]
    assert notes_after(description="") == ["changed the description"]


def test_each_checked_task_is_noted(notes_after):
    notes_after(description="- [ ] buy\n- [x] sell\n1. [ ] rest")
    assert notes_after(description="- [x] buy\n- [ ] sell\n1. [ ] rest") == [
        "marked the task **buy** as completed",
        "marked the task **sell** as incomplete",
    ]
    assert notes_after(description="- [x] buy\n- [ ] sell all\n1. [ ] rest") == ["changed the description"]


def test_many_tasks_are_noted_at_once(notes_after):
    notes_after(description="- [ ] x\n" * 100_000)
    assert notes_after(description="- [x] x\n" * 100_000) == ["marked 100000 tasks as completed or incomplete"]


def test_notes_name_who_was_assigned_and_unassigned(cast, notes_after):
    assert notes_after(assignee_ids=[cast.guest.id]) == ["assigned to @guest"]
    assert notes_after(assignee_ids=[cast.developer.id]) == ["assigned to @developer and unassigned @guest"]
    assert notes_after(assignee_ids=[]) == ["removed assignee"]
    everybody = [cast.master.id, cast.developer.id, cast.guest.id]
    assert notes_after(assignee_ids=everybody) == ["assigned to @master, @developer, and @guest"]
    assert notes_after(assignee_ids=everybody[:1]) == ["unassigned @developer and @guest"]


def test_labels_are_named_by_their_ids(cast, notes_after):
    (body,) = notes_after(labels="bug")
    label = label_ids(cast)
    assert body == f"added ~{label['bug']} label"
    (body,) = notes_after(labels="ui,backend")
    label = label_ids(cast)
    assert body == f"added ~{label['backend']} ~{label['ui']} and removed ~{label['bug']} labels"
    assert notes_after(labels="ui") == [f"removed ~{label['backend']} label"]
    assert notes_after(labels="ui") == []


def label_ids(cast):
    return {label["name"]: label["id"] for label in cast.guest.get(f"/projects/{cast.private.id}/labels").json}


def test_a_milestone_of_the_project_by_number_and_one_of_the_group_by_title(cast, notes_after):
    mine = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json
    ours = cast.root.post(f"/groups/{cast.company.id}/milestones", title="spring").json
    assert notes_after(milestone_id=mine["id"]) == [f"changed milestone to %{mine['iid']}"]
    assert notes_after(milestone_id=ours["id"]) == ['changed milestone to %"spring"']
    assert notes_after(milestone_id=0) == ["removed milestone"]


def test_notes_tell_of_confidentiality_and_locks(notes_after):
    assert notes_after(confidential=True) == ["made the issue confidential"]
    assert notes_after(confidential=False) == ["made the issue visible to everyone"]
    assert notes_after(discussion_locked=True) == ["locked this issue"]
    assert notes_after(discussion_locked=False) == ["unlocked this issue"]


def test_one_edit_may_tell_several_things(notes_after):
    assert notes_after(title="Opening", state_event="close", confidential=True) == [
        "changed title from **Open** to **Open{+ing+}**",
        "made the issue confidential",
        "closed",
    ]


def test_an_issue_is_born_without_notes(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.reporter.post(
        issues, title="x", labels="bug", assignee_ids=[cast.guest.id], confidential=True, discussion_locked=True
    ).json
    assert cast.reporter.get(f"{issues}/{made['iid']}/notes").json == []


def test_an_edit_of_title_and_state_costs_ten_statements_at_most(cast, issue, database):
    with statements(database) as used:
        cast.reporter.put(issue, title="Other", state_event="close")
    assert used.count <= 10


def test_an_edit_with_labels_and_assignees_costs_eighteen_statements_at_most(cast, issue, database):
    cast.reporter.put(issue, labels="a,b,c")
    cast.reporter.put(issue, labels="a,b")
    with statements(database) as used:
        cast.reporter.put(
            issue, title="Other", state_event="close", labels="b,c", assignee_ids=[cast.guest.id, cast.developer.id]
        )
    assert used.count <= 18
