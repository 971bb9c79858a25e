def test_replies_join_it(cast, issue, discussion):
    answer = cast.developer.post(f"{issue}/discussions/{discussion['id']}/notes", body="fine")
    assert (answer.status, answer.json["body"]) == (201, "fine")
    there = cast.guest.get(f"{issue}/discussions/{discussion['id']}").json
    assert [note["body"] for note in there["notes"]] == ["what about this?", "fine"]
    assert cast.guest.get(issue).json["user_notes_count"] == 2


def test_a_comment_that_is_replied_to_becomes_a_discussion(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    (plain,) = cast.guest.get(f"{issue}/discussions").json
    assert cast.reporter.post(f"{issue}/discussions/{plain['id']}/notes", body="yes").status == 201
    there = cast.guest.get(f"{issue}/discussions/{plain['id']}").json
    assert (there["individual_note"], len(there["notes"])) == (False, 2)


def test_commands_alone_are_no_reply(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    (plain,) = cast.guest.get(f"{issue}/discussions").json
    assert cast.reporter.post(f"{issue}/discussions/{plain['id']}/notes", body="/weight 3").status == 202
    assert cast.guest.get(f"{issue}/discussions/{plain['id']}").json["individual_note"] is True


def test_after_a_move_both_issues_are_discussed_apart(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    (plain,) = cast.guest.get(f"{issue}/discussions").json
    moved = cast.owner.post(f"{issue}/move", to_project_id=cast.internal.id).json
    there = f"/projects/{cast.internal.id}/issues/{moved['iid']}/discussions/{plain['id']}"
    assert cast.reporter.post(f"{there}/notes", body="yes").status == 201
    assert cast.reporter.get(there).json["individual_note"] is False
    assert cast.guest.get(f"{issue}/discussions/{plain['id']}").json == plain


def test_a_locked_issue_is_discussed_by_members(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    made = cast.stranger.post(f"{issue}/discussions", body="x").json
    cast.reporter.put(issue, discussion_locked=True)
    assert cast.stranger.post(f"{issue}/discussions", body="x").status == 403
    assert cast.stranger.post(f"{issue}/discussions/{made['id']}/notes", body="x").status == 403
    assert cast.guest.post(f"{issue}/discussions/{made['id']}/notes", body="x").status == 201
