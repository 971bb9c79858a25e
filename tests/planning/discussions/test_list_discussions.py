from tests.harness.statements import statements


def test_a_plain_comment_and_what_the_instance_says_stand_alone(cast, issue):
    cast.guest.post(f"{issue}/notes", body="plain")
    cast.reporter.put(issue, state_event="close")
    plain, closed = cast.guest.get(f"{issue}/discussions").json
    assert plain["individual_note"]
    assert closed["individual_note"]
    assert closed["notes"][0]["system"] is True
    assert cast.guest.post(f"{issue}/discussions/{closed['id']}/notes", body="why?").status == 403


def test_discussions_come_in_pages_the_oldest_first_each_whole(cast, issue, database):
    for n in range(3):
        made = cast.guest.post(f"{issue}/discussions", body=str(n)).json
        cast.guest.post(f"{issue}/discussions/{made['id']}/notes", body="reply")
    with statements(database) as used:
        answer = cast.guest.get(f"{issue}/discussions", per_page=2)
    assert [one["notes"][0]["body"] for one in answer.json] == ["0", "1"]
    assert [len(one["notes"]) for one in answer.json] == [2, 2]
    assert answer.headers["X-Total"] == "3"
    assert used.count <= 6


def test_a_hidden_cross_reference_is_no_discussion(cast):
    there = f"/projects/{cast.public.id}/issues/{cast.open}"
    private = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.post(f"{private}/notes", body=f"see {cast.public.path}#{cast.open}")
    (hidden,) = cast.reporter.get(f"{there}/discussions").json
    answer = cast.stranger.get(f"{there}/discussions")
    assert (answer.json, answer.headers["X-Total"]) == ([], "0")
    assert cast.stranger.get(f"{there}/discussions/{hidden['id']}").json == {"message": "404 Discussion Not Found"}
