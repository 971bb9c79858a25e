from tests.harness.cases import Case, cases


def test_a_discussion_is_shown_whole_and_only_where_it_is(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.guest.post(f"{issues}/{cast.open}/discussions", body="what about this?").json
    cast.developer.post(f"{issues}/{cast.open}/discussions/{made['id']}/notes", body="fine")
    shown = cast.reporter.get(f"{issues}/{cast.open}/discussions/{made['id']}").json
    assert (shown["id"], [note["body"] for note in shown["notes"]]) == (made["id"], ["what about this?", "fine"])
    elsewhere = cast.reporter.get(f"{issues}/{cast.confidential}/discussions/{made['id']}")
    assert (elsewhere.status, elsewhere.json) == (404, {"message": "404 Discussion Not Found"})


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/discussions/x", 401),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/discussions/x", 404, {"message": "404 Issue Not Found"}),
    ]
)  # fmt: skip
def test_invalid_requests_for_a_discussion_are_refused(case, cast):
    case.holds(cast)
