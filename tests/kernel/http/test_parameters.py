"""Query, form, multipart and JSON are one tree, read with this API's own leniency."""

import pytest

from mujina.planning.issues.params import QueryIssues
from tests.harness.client import Raw

ISSUES = "/projects/{0.private.id}/issues"


@pytest.fixture
def issues(cast):
    return ISSUES.format(cast)


@pytest.mark.parametrize(
    ("given", "read"),
    [(True, True), ("true", True), ("1", True), ("y", True), ("ON", True), (1, True), (0, False), ("off", False)],
)
def test_a_boolean_has_many_spellings(cast, issues, given, read):
    assert cast.reporter.post(issues, title="x", confidential=given).json["confidential"] is read


@pytest.mark.parametrize("given", [3, "3", 3.0, " 3 ", "03"])
def test_a_number_of_a_list_has_its_spellings_too(cast, issues, given):
    assert cast.reporter.post(issues, title="x", weight=given).json["weight"] == 3


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"confidential": "foo"}, "confidential is invalid"),
        ({"weight": "heavy"}, "weight does not have a valid value"),
        ({"weight": 10}, "weight does not have a valid value"),
        ({"milestone_id": 2**63}, "milestone_id is invalid"),
        ({"milestone_id": [1]}, "milestone_id is invalid"),
        ({"milestone_id": "\u0663"}, "milestone_id is invalid"),  # a digit, but no decimal text
        ({"description": {"a": 1}}, "description is invalid"),
        ({"description": "a\0b"}, "description is invalid"),
        ({"assignee_ids": ["x"]}, "assignee_ids is invalid"),
        ({"created_at": "soon"}, "created_at is invalid"),
        ({"confidential": "foo", "milestone_id": "x"}, "confidential is invalid, milestone_id is invalid"),
    ],
    ids=str,
)
def test_an_invalid_parameter_is_named(cast, issues, params, complaint):
    answer = cast.reporter.post(issues, title="x", **params)
    assert (answer.status, answer.json) == (400, {"error": complaint})


def test_no_list_is_longer_than_can_be_read_in_passing(cast, issues):
    many = cast.reporter.post(issues, title="x", assignee_ids=[1] * 10_001)
    assert (many.status, many.json) == (400, {"error": "assignee_ids has too many values (maximum is 10000)"})
    protected = f"/projects/{cast.private.id}/protected_branches"
    many = cast.master.post(protected, name="x", allowed_to_push=[{"access_level": 30}] * 1_001)
    assert (many.status, many.json) == (400, {"error": "allowed_to_push is too long (maximum is 1000)"})


def test_a_missing_parameter_is_named_in_message_and_error(cast, issues):
    answer = cast.reporter.post(issues)
    assert answer.status == 400
    assert answer.json == {"message": '400 (Bad request) "title" not given', "error": "title is missing"}
    assert cast.anonymous.post(issues).json == {"message": "401 Unauthorized"}


@pytest.mark.parametrize("blank", ["", None, "   "])
def test_a_required_text_that_is_blank_is_present(cast, issues, blank):
    assert cast.reporter.post(issues, title=blank).json == {"message": {"title": ["can't be blank"]}}


@pytest.mark.parametrize("query", ["iids[]=1&iids[]=2", "iids[0]=1&iids[1]=2", "iids=1,2", "iids%5B%5D=1&iids%5B%5D=2"])
def test_a_list_has_many_forms(cast, issues, query):
    found = cast.root.get(issues, Raw(query=query)).json
    assert sorted(issue["iid"] for issue in found) == [1, 2]


@pytest.mark.parametrize("position", ["%C2%B2", "9" * 5_000, "-1", "x"])
def test_a_position_in_a_list_is_a_number(cast, issues, position):
    answer = cast.root.get(issues, Raw(query=f"iids[{position}]=1"))
    assert (answer.status, answer.json) == (400, {"error": "iids is invalid"})


def test_a_body_on_get_has_no_effect(cast, issues):
    body = Raw(body=b'{"iids": [1]}', type="application/json")
    assert len(cast.root.get(issues, body).json) == 3
    broken = Raw(body=b"{", type="application/json")
    assert cast.root.get(issues, broken).status == 200


def test_an_empty_object_on_delete_is_no_matter(cast, issues):
    assert cast.owner.delete(f"{issues}/{cast.open}", Raw(body=b"{}", type="application/json")).status == 204


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"title": "\xff"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"title=x", "application/foo", 415),
        (b"title=x", "text/plain", 400),
        (b'{"title": "x"}', "", 201),
        (b'{"title": "x"}', "application/json; charset=utf-8", 201),
        (b"title=x", "application/x-www-form-urlencoded", 201),
        (b"title=%ff", "application/x-www-form-urlencoded", 400),
        (b"title=\xff", "application/x-www-form-urlencoded", 400),
        (b"no boundary", "multipart/form-data", 400),
    ],
    ids=str,
)
def test_a_body_is_read_by_its_type(cast, issues, body, kind, status):
    answer = cast.reporter.post(issues, Raw(body=body, type=kind))
    assert answer.status == status, answer
    assert answer.json


@pytest.mark.parametrize("form", [b"title=%ff", b"title=\xff"])
def test_the_error_for_a_form_that_is_not_utf8_names_the_body_or_the_query(cast, issues, form):
    answer = cast.reporter.post(issues, Raw(body=form, type="application/x-www-form-urlencoded"))
    assert (answer.status, answer.json) == (400, {"error": "body is invalid"})
    answer = cast.reporter.get(issues, Raw(query="title=%ff"))
    assert (answer.status, answer.json) == (400, {"error": "query is invalid"})


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x"])
def test_the_error_for_a_malformed_multipart_body_names_multipart(cast, issues, kind):
    error = cast.reporter.post(issues, Raw(body=b"--y\r\n", type=kind)).json["error"]
    assert "multipart/form-data" in error
    assert "json" not in error


@pytest.mark.parametrize("form", ["title=Zoë+日本", "title=Zo%C3%AB%20%E6%97%A5%E6%9C%AC"])
def test_a_form_may_contain_unencoded_characters(cast, issues, form):
    answer = cast.reporter.post(issues, Raw(body=form.encode(), type="application/x-www-form-urlencoded"))
    assert answer.json["title"] == "Zoë 日本"


def test_a_body_of_no_known_type_is_named(cast, issues):
    answer = cast.reporter.post(issues, Raw(body=b"x", type="application/foo"))
    assert answer.json == {"error": "The provided content-type 'application/foo' is not supported."}


def test_a_body_that_is_too_large_is_refused(cast, issues):
    answer = cast.reporter.post(issues, Raw(body=b'{"title": "' + b"x" * 11_000_000 + b'"}', type="application/json"))
    assert (answer.status, answer.json) == (413, {"message": "413 Request Entity Too Large"})


def test_another_format_is_not_served(cast, issues):
    answer = cast.reporter.get(issues, format="xml")
    assert (answer.status, answer.json) == (406, {"error": "The requested format 'xml' is not supported."})
    assert cast.reporter.get(issues, format="json").status == 200


def test_a_plus_in_a_time_is_written_as_it_must(cast, issues):
    assert cast.root.get(issues, Raw(query="created_after=2018-01-01T00:00:00%2B05:30")).status == 200
    assert cast.root.get(issues, Raw(query="created_after=2018-01-01T00:00:00+05:30")).json == {
        "error": "created_after is invalid"
    }


def test_times_come_as_programs_print_them(cast, issues):
    for moment in ("2018-01-02 10:00:00 UTC", "2018-01-02 11:00:00 +0100", "Tue, 02 Jan 2018 10:00:00 GMT"):
        made = cast.root.post(issues, title="x", created_at=moment, due_date="2018-01-02T00:30:00+05:30").json
        assert (made["created_at"], made["due_date"]) == ("2018-01-02T10:00:00.000Z", "2018-01-02")
        assert len(cast.root.get(issues, created_before=moment).json) > 0


def test_path_captures_win_over_the_body(cast, issues):
    answer = cast.reporter.post(issues, title="x", id=cast.public.id)
    assert answer.json["project_id"] == cast.private.id


def test_unknown_parameters_are_dropped(cast, issues):
    assert cast.reporter.post(issues, title="x", colour="red").status == 201


@pytest.mark.parametrize(
    ("given", "filtered"),
    [({}, False), ({"search": ""}, False), ({"state": "all", "sort": "asc"}, False), ({"search": "x"}, True),
     ({"confidential": False}, True), ({"weight": 0}, True), ({"labels": []}, False)],
)  # fmt: skip
def test_a_filter_is_a_parameter_with_a_value(given, filtered):
    assert QueryIssues(**given).filtered is filtered
