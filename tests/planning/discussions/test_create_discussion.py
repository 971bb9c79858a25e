import re

from tests.harness.cases import Case, Has, cases


def test_a_discussion_begins_with_a_note(cast, issue, discussion):
    assert re.fullmatch(r"[0-9a-f]{40}", discussion["id"])
    assert discussion["individual_note"] is False
    (note,) = discussion["notes"]
    assert (note["body"], note["author"]["username"], note["noteable_type"]) == ("what about this?", "guest", "Issue")
    assert cast.reporter.get(f"{issue}/discussions/{discussion['id']}").json == discussion
    assert cast.reporter.get(f"{issue}/notes/{note['id']}").json == note


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/discussions", 401),
        Case("stranger", "GET /projects/{private.id}/issues/{open}/discussions", 404, {"message": "404 Project Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/discussions", 404, {"message": "404 Issue Not Found"}),
        Case("guest", "GET /projects/{private.id}/issues/{open}/discussions/nothing", 404, {"message": "404 Discussion Not Found"}),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions", 400, Has(error="body is missing")),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions", 400,
             {"message": {"note": ["can't be blank"]}}, {"body": ""}),
        Case("guest", "POST /projects/{private.id}/issues/{open}/discussions/nothing/notes", 404, params={"body": "x"}),
    ]
)  # fmt: skip
def test_invalid_discussions_are_refused(case, cast):
    case.holds(cast)
