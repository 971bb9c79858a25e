import pytest

from tests.harness.statements import statements


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def said(cast, issue):
    """What the instance says about an edit by the reporter."""

    def after(**change):
        before = {note["id"] for note in cast.reporter.get(f"{issue}/notes").json}
        assert cast.reporter.put(issue, **change).status == 200
        new = [note for note in cast.reporter.get(f"{issue}/notes", sort="asc").json if note["id"] not in before]
        assert all(note["system"] and note["author"]["username"] == "reporter" for note in new)
        return [note["body"] for note in new]

    return after


def test_closing_and_reopening(said):
    assert said(state_event="close") == ["closed"]
    assert said(state_event="close") == []
    assert said(state_event="reopen") == ["reopened"]
    assert said(state_event="reopen") == []


def test_a_new_title_is_marked_where_it_differs(said):
    assert said(title="The old title") == ["changed title from **{-Open-}** to **{+The old title+}**"]
    assert said(title="The new title") == ["changed title from **The {-old-} title** to **The {+new+} title**"]
    assert said(title="The title") == ["changed title from **The {-new -}title** to **The title**"]
    assert said(title="The title") == []


def test_a_new_description_is_told_but_not_repeated(said):
    assert said(description="first") == ["changed the description"]
    assert said(description="") == ["changed the description"]


def test_ticking_tasks_is_told_task_by_task(said):
    said(description="- [ ] buy\n- [x] sell\n1. [ ] rest")
    assert said(description="- [x] buy\n- [ ] sell\n1. [ ] rest") == [
        "marked the task **buy** as completed",
        "marked the task **sell** as incomplete",
    ]
    assert said(description="- [x] buy\n- [ ] sell all\n1. [ ] rest") == ["changed the description"]


def test_many_tasks_are_told_at_once(said):
    said(description="- [ ] x\n" * 100_000)
    assert said(description="- [x] x\n" * 100_000) == ["marked 100000 tasks as completed or incomplete"]


def test_assigning(cast, said):
    assert said(assignee_ids=[cast.guest.id]) == ["assigned to @guest"]
    assert said(assignee_ids=[cast.developer.id]) == ["assigned to @developer and unassigned @guest"]
    assert said(assignee_ids=[]) == ["removed assignee"]
    everybody = [cast.master.id, cast.developer.id, cast.guest.id]
    assert said(assignee_ids=everybody) == ["assigned to @master, @developer, and @guest"]
    assert said(assignee_ids=everybody[:1]) == ["unassigned @developer and @guest"]


def test_labels_are_named_by_their_ids(cast, said, database, loop):
    (body,) = said(labels="bug")
    label = label_ids(database, loop)
    assert body == f"added ~{label['bug']} label"
    (body,) = said(labels="ui,backend")
    label = label_ids(database, loop)
    assert body == f"added ~{label['backend']} ~{label['ui']} and removed ~{label['bug']} labels"
    assert said(labels="ui") == [f"removed ~{label['backend']} label"]
    assert said(labels="ui") == []


def label_ids(database, loop):
    async def read():
        async with database.reading() as tx:
            return dict(await tx.rows(tuple[str, int], "SELECT title, id FROM labels"))

    return loop.run_until_complete(read())


def test_a_milestone_of_the_project_by_number_and_one_of_the_group_by_title(cast, said, database, loop):
    async def make(iid, title, **owner):
        async with database.transaction() as tx:
            return await tx.value(
                """INSERT INTO milestones (iid, project_id, group_id, title, title_folded, created_at, updated_at)
                   VALUES (:iid, :project_id, :group_id, :title, :title, '', '') RETURNING id""",
                iid=iid, title=title, **{"project_id": None, "group_id": None} | owner,
            )  # fmt: skip

    mine = loop.run_until_complete(make(4, "v1", project_id=cast.private.id))
    ours = loop.run_until_complete(make(7, "spring", group_id=cast.company.id))
    assert said(milestone_id=mine) == ["changed milestone to %4"]
    assert said(milestone_id=ours) == ['changed milestone to %"spring"']
    assert said(milestone_id=0) == ["removed milestone"]


def test_switches(said):
    assert said(confidential=True) == ["made the issue confidential"]
    assert said(confidential=False) == ["made the issue visible to everyone"]
    assert said(discussion_locked=True) == ["locked this issue"]
    assert said(discussion_locked=False) == ["unlocked this issue"]


def test_one_edit_may_tell_several_things(said):
    assert said(title="Opening", state_event="close", confidential=True) == [
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
