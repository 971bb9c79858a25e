import pytest


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def command(cast, issue):
    """What a note of nothing but commands, by the reporter, changes; and the issue after it."""

    def give(body, by=cast.reporter):
        answer = by.post(f"{issue}/notes", body=body)
        assert answer.status == 202, answer
        assert len(answer.json["summary"]) <= body.count("/") + body.count("\n") + 1
        return answer.json["commands_changes"], cast.reporter.get(issue).json

    return give


def test_a_note_of_nothing_but_commands_leaves_no_note(cast, issue):
    answer = cast.reporter.post(f"{issue}/notes", body="/close")
    assert (answer.status, answer.json) == (
        202,
        {"commands_changes": {"state_event": "close"}, "summary": ["Closed this issue."]},
    )
    assert [note["body"] for note in cast.reporter.get(f"{issue}/notes").json] == ["closed"]
    assert cast.reporter.get(issue).json["user_notes_count"] == 0


def test_commands_are_removed_from_the_text(cast, issue):
    note = cast.reporter.post(f"{issue}/notes", body="that is it\n/close\n")
    assert (note.status, note.json["body"]) == (201, "that is it")
    assert cast.reporter.get(issue).json["state"] == "closed"
    bodies = [note["body"] for note in cast.reporter.get(f"{issue}/notes", sort="asc").json]
    assert bodies == ["that is it", "closed"]


def test_commands_in_comments_code_and_quotes_are_text(cast, issue):
    for text in ("<!--\n/close\n-->", "```\n/close\n```", "> /close", "<pre>\n/close\n</pre>"):
        note = cast.reporter.post(f"{issue}/notes", body=text)
        assert (note.status, note.json["body"]) == (201, text)
    assert cast.reporter.get(issue).json["state"] == "opened"


def test_state_and_title(command):
    assert command("/close")[1]["state"] == "closed"
    assert command("/close")[0] == {}
    assert command("/reopen")[1]["state"] == "opened"
    assert command("/title Better")[1]["title"] == "Better"
    assert command(f"/title {'x' * 300}") == ({}, command("/reopen")[1])
    changes, issue = command(f"/title {'x' * 300}\n/close")
    assert (changes, issue["state"]) == ({"state_event": "close"}, "closed")


def test_an_issue_becomes_confidential(cast, command):
    changes, issue = command("/confidential", by=cast.developer)
    assert (changes, issue["confidential"]) == ({"confidential": True}, True)
    assert command("/confidential") == ({}, issue)


def test_commands_assign_and_unassign(cast, command):
    names = lambda issue: sorted(user["username"] for user in issue["assignees"])  # noqa: E731
    changes, issue = command("/assign @guest")
    assert (changes, names(issue)) == ({"assignee_ids": [cast.guest.id]}, ["guest"])
    changes, issue = command("/assign me, @Developer @nobody")
    assert changes == {"assignee_ids": [cast.guest.id, cast.reporter.id, cast.developer.id]}
    assert names(issue) == ["developer", "guest", "reporter"]
    assert names(command("/unassign @guest")[1]) == ["developer", "reporter"]
    assert names(command("/unassign")[1]) == []
    assert command("/assign @nobody")[0] == {}


def test_commands_add_and_remove_labels(cast, command):
    made = {
        name: cast.reporter.post(f"/projects/{cast.private.id}/labels", name=name, color="#112233").json["id"]
        for name in ("bug", "to do", "ui")
    }
    changes, issue = command('/label ~"to do" ~unknown ~bug')
    assert (changes["add_label_ids"], issue["labels"]) == ([made["to do"], made["bug"]], ["bug", "to do"])
    assert command(f"/label ~{made['ui']}")[1]["labels"] == ["bug", "to do", "ui"]
    assert command("/unlabel bug ui")[1]["labels"] == ["to do"]
    assert command("/relabel ~ui ~bug")[1]["labels"] == ["bug", "ui"]
    assert command("/unlabel")[1]["labels"] == []
    assert command("/label ~unknown")[0] == {}
    assert command("/label ~bug\n/label ~ui")[1]["labels"] == ["bug", "ui"]


def test_commands_set_and_remove_the_milestone(cast, command):
    path = f"/projects/{cast.private.id}/milestones"
    one, two = (cast.developer.post(path, title=title).json for title in ("v1", "next one"))
    assert command("/milestone %v1")[0] == {"milestone_id": one["id"]}
    assert command('/milestone %"next one"')[1]["milestone"]["id"] == two["id"]
    assert command(f"/milestone %{one['iid']}")[1]["milestone"]["id"] == one["id"]
    assert command("/milestone next one")[1]["milestone"]["id"] == two["id"]
    assert command("/milestone %none")[0] == {}
    assert command("/remove_milestone")[1]["milestone"] is None


def test_dates_and_weights(command):
    assert command("/due 2030-05-06")[1]["due_date"] == "2030-05-06"
    assert command("/due soonish")[0] == {}
    assert command("/remove_due_date")[1]["due_date"] is None
    assert command("/weight 7")[1]["weight"] == 7
    assert command("/weight 10")[0] == {}
    assert command("/clear_weight")[1]["weight"] is None


def test_commands_track_time(cast, command):
    changes, issue = command("/estimate 1w 3d")
    assert (changes["time_estimate"], issue["time_stats"]["human_time_estimate"]) == (230400, "1w 3d")
    assert command("/remove_estimate")[1]["time_stats"]["time_estimate"] == 0
    changes, issue = command("/spend 1h30m 2018-01-02")
    assert changes["spend_time"] == {"duration": 5400, "user_id": cast.reporter.id, "spent_at": "2018-01-02"}
    assert issue["time_stats"]["total_time_spent"] == 5400
    assert command("/spend 1h 2999-01-01")[0] == {}
    assert command("/spend -2h")[0] == {}
    assert command("/spend -30m")[1]["time_stats"]["total_time_spent"] == 3600
    assert command("/remove_time_spent")[1]["time_stats"]["total_time_spent"] == 0
    assert command("/estimate never")[0] == {}


def test_todos_and_subscriptions(cast, issue, command):
    assert command("/todo")[0] == {"todo_event": "add"}
    assert len(cast.reporter.get("/todos").json) == 1
    assert command("/todo")[0] == {}
    assert command("/done")[0] == {"todo_event": "done"}
    assert cast.reporter.get("/todos").json == []
    assert command("/subscribe")[0] == {}
    assert command("/unsubscribe")[1]["subscribed"] is False
    assert command("/subscribe")[1]["subscribed"] is True


def test_emoji_are_given_and_taken_back(cast, issue, command):
    assert command("/award :tada:")[0] == {"emoji_award": "tada"}
    assert [award["name"] for award in cast.guest.get(f"{issue}/award_emoji").json] == ["tada"]
    command("/award :tada:")
    assert cast.guest.get(f"{issue}/award_emoji").json == []
    assert command("/award :nonsense:")[0] == {}
    assert command("/award :thumbsup:")[0] == {}


def test_duplicates_are_closed_and_both_say_so(cast, issue, command):
    other = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    assert command(f"/duplicate #{cast.confidential}")[1]["state"] == "closed"
    bodies = [note["body"] for note in cast.reporter.get(f"{issue}/notes", sort="asc").json]
    assert bodies == ["closed", f"marked this issue as a duplicate of #{cast.confidential}"]
    there = [note["body"] for note in cast.reporter.get(f"{other}/notes").json]
    assert there == [f"marked #{cast.open} as a duplicate of this issue"]
    assert [note["body"] for note in cast.guest.get(f"{issue}/notes").json] == ["closed"]
    assert command("/duplicate #99999")[0] == {}


def test_a_command_moves_the_issue_to_a_project(cast, issue, command):
    assert command(f"/move {cast.public.path}")[1]["state"] == "closed"
    assert command("/move no/such")[0] == {}


def test_moving_along_the_board(cast, command):
    made = cast.owner.post(f"/projects/{cast.private.id}/boards", name="Only").json
    for name in ("doing", "done"):
        label = cast.reporter.post(f"/projects/{cast.private.id}/labels", name=name, color="#112233").json
        cast.reporter.post(f"/projects/{cast.private.id}/boards/{made['id']}/lists", label_id=label["id"])
    assert command("/board_move ~doing")[1]["labels"] == ["doing"]
    assert command("/board_move ~done")[1]["labels"] == ["done"]
    assert command("/board_move ~unknown")[0] == {}


def test_commands_of_users_who_may_not_update_the_issue_are_plain_text(cast, issue):
    note = cast.guest.post(f"{issue}/notes", body="/close")
    assert (note.status, note.json["body"]) == (201, "/close")
    assert cast.guest.get(issue).json["state"] == "opened"


def test_an_author_below_reporter_may_close_but_not_triage(cast):
    issues = f"/projects/{cast.private.id}/issues"
    mine = f"{issues}/{cast.guest.post(issues, title='mine').json['iid']}"
    answer = cast.guest.post(f"{mine}/notes", body="/weight 3\n/assign me\n/due tomorrow\n/estimate 1h\n/close")
    assert (answer.status, answer.json["commands_changes"]) == (202, {"state_event": "close"})
    after = cast.guest.get(mine).json
    assert (after["state"], after["weight"], after["assignees"], after["due_date"]) == ("closed", None, [], None)
    note = cast.guest.post(f"{mine}/notes", body="hello\n/weight 3")
    assert note.json["body"] == "hello"


def test_a_user_named_by_a_command_is_not_mentioned(cast, issue):
    cast.reporter.post(f"{issue}/notes", body="over to you\n/assign @guest")
    (todo,) = cast.guest.get("/todos").json
    assert todo["action_name"] == "assigned"


def test_commands_work_in_discussions_too(cast, issue):
    assert cast.reporter.post(f"{issue}/discussions", body="/close").status == 202
    assert cast.reporter.get(issue).json["state"] == "closed"
    made = cast.reporter.post(f"{issue}/discussions", body="why?\n/reopen").json
    assert made["notes"][0]["body"] == "why?"
    assert cast.reporter.post(f"{issue}/discussions/{made['id']}/notes", body="/close").status == 202


def test_a_locked_issue_takes_no_commands_from_outside(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.reporter.put(issue, discussion_locked=True)
    assert cast.stranger.post(f"{issue}/notes", body="/close").status == 403


@pytest.fixture
def summary(cast, issue):
    """What a note of nothing but commands, by the reporter, claims and changes."""

    def give(body):
        answer = cast.reporter.post(f"{issue}/notes", body=body).json
        return answer["summary"], answer["commands_changes"]

    return give


def test_the_summary_says_who_was_assigned_and_who_was_not(cast, issue, summary):
    assert summary("/assign @stranger") == (["Could not assign @stranger."], {})
    ids = {"assignee_ids": [cast.guest.id]}
    assert summary("/assign @guest @stranger") == (["Assigned @guest. Could not assign @stranger."], ids)
    assert summary("/assign @guest") == (["Everybody named is assigned already."], {})
    assert summary("/assign @nobody") == (['Found no user "nobody".'], {})
    assert summary("/unassign me") == (["Nobody named is assigned."], {})
    assert summary("/unassign @guest") == (["Removed @guest from the assignees."], {"assignee_ids": []})
    assert summary("/unassign") == (["Nobody is assigned."], {})


def test_the_summary_says_which_labels_were_added_and_removed(cast, summary):
    bug, ui = (
        cast.reporter.post(f"/projects/{cast.private.id}/labels", name=name, color="#112233").json["id"]
        for name in ("bug", "ui")
    )
    assert summary("/unlabel ~bug") == (["The issue has none of these labels."], {})
    assert summary("/label ~bug") == (["Added ~bug."], {"add_label_ids": [bug]})
    assert summary("/label ~bug ~ui") == (["Added ~ui."], {"add_label_ids": [ui]})
    assert summary("/label ~bug") == (["The issue has these labels already."], {})
    assert summary("/unlabel ~bug") == (["Removed ~bug."], {"remove_label_ids": [bug]})
    assert summary("/unlabel") == (["Removed all labels."], {"label_ids": []})
    assert summary("/unlabel") == (["The issue has no labels."], {})


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("/due soonish", 'Could not read the date "soonish".'),
        ("/remove_due_date", "The issue has no due date."),
        ("/clear_weight", "The issue has no weight."),
        ("/remove_milestone", "The issue has no milestone."),
        ("/milestone %none", 'Found no milestone "%none".'),
        ("/label ~none", 'Found no label "~none".'),
        ("/weight 10", "A weight is a number from 0 to 9."),
        ("/estimate never", 'Could not read the duration "never".'),
        ("/spend 1h 2999-01-01", "Time cannot be spent on 2999-01-01."),
        ("/spend -2h", "Could not carry out /spend."),
        ("/award :nonsense:", 'Found no emoji ":nonsense:".'),
        ("/duplicate #99999", "Could not carry out /duplicate."),
        ("/move no/such", "Could not carry out /move."),
        ("/reopen", "This issue is open already."),
        (f"/due {'x' * 10_000}", f'Could not read the date "{"x" * 100}…".'),
    ],
    ids=lambda value: value[:30],
)
def test_the_summary_says_what_was_not_done(summary, body, sentence):
    assert summary(body) == ([sentence], {})


def test_the_last_of_repeated_commands_counts(cast, issue, command):
    assert command("/weight 3\n/weight 4\n/clear_weight\n/weight 5")[1]["weight"] == 5
    assert command("/due 2030-01-01\n/remove_due_date")[1]["due_date"] is None
    assert command("/spend 1h\n/spend 2h")[1]["time_stats"]["total_time_spent"] == 7200
    after = command("/assign @guest\n/assign @master\n/unassign @guest\n/assign @developer")[1]
    assert sorted(user["username"] for user in after["assignees"]) == ["developer", "master"]
    after = command("/assign @guest\n/unassign\n/assign me")[1]
    assert [user["username"] for user in after["assignees"]] == ["reporter"]


FLOODS = {
    "spend": "/spend 1m\n" * 20_000,
    "duplicate": "/duplicate #{confidential}\n" * 20_000,
    "label": "/label ~x\n" * 99_000,
    "labels in one line": "/label " + "~x " * 330_000,
    "labels that do not exist": "\n".join(f"/label ~x{number}" for number in range(60_000)),
    "assign": "/assign @guest\n/unassign @guest\n" * 30_000,
    "award": "/award :tada:\n" * 70_000,
    "blanks": "/spend 1m" + " " * 900_000 + "x",
    "mentions": "@guest " * 140_000,
    "users that do not exist": " ".join(f"@user{number}" for number in range(90_000)),
    "references": "#{confidential} " * 60_000,
}


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)  # the text is read before any statement is sent
def test_a_note_full_of_commands_or_references_takes_few_statements(cast, issue, flood):
    cast.reporter.post(f"/projects/{cast.private.id}/labels", name="x", color="#112233")
    body = FLOODS[flood].replace("{confidential}", str(cast.confidential))
    before = cast.database.statements
    assert cast.reporter.post(f"{issue}/notes", body=body).status in (201, 202)
    assert cast.database.statements - before < 60
    notes = cast.reporter.get(f"{issue}/notes", per_page=100)
    assert len(notes.json) <= 3
    assert cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", description=body).status == 201
    assert cast.database.statements - before < 120
