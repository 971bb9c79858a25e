"""GET …/resource_label_events, …_state_events, …_milestone_events and …_weight_events of issues and merge requests."""

import pytest

from tests.harness.cases import Case, cases

OPEN = "/projects/{private.id}/issues/{open}"


@cases([
    Case("anonymous", f"GET {OPEN}/resource_label_events", 401),
    Case("stranger", f"GET {OPEN}/resource_state_events", 404, {"message": "404 Project Not Found"}),
    Case("guest", f"GET {OPEN}/resource_milestone_events", 200, []),
    Case("guest", f"GET {OPEN}/resource_weight_events", 200, []),
    Case("guest", f"GET {OPEN}/resource_label_events/1", 404, {"message": "404 Resource Event Not Found"}),
    Case("guest", "GET /projects/{private.id}/issues/{confidential}/resource_label_events", 404,
         {"message": "404 Issue Not Found"}),
    Case("guest", "GET /projects/{private.id}/merge_requests/1/resource_state_events", 404),
])  # fmt: skip
def test_those_who_read_an_issue_read_what_happened_to_it(case, cast):
    case.holds(cast)


@pytest.fixture
def issue(cast):
    """An issue with two labels, which loses one of them, is closed and reopened."""
    made = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="Roof", labels="one,two").json
    here = f"/projects/{cast.private.id}/issues/{made['iid']}"
    for change in ({"labels": "one"}, {"state_event": "close"}, {"state_event": "reopen"}, {"title": "Roofs"}):
        assert cast.developer.put(here, **change).status == 200
    return here


def test_labels_and_states_are_events_and_the_creation_is_none(cast, issue):
    labels = cast.guest.get(f"{issue}/resource_label_events").json
    assert sorted((event["action"], event["label"]["name"]) for event in labels[:2]) == [("add", "one"), ("add", "two")]
    assert [(event["action"], event["label"]["name"]) for event in labels[2:]] == [("remove", "two")]
    assert [event["user"]["id"] for event in labels] == [cast.reporter.id, cast.reporter.id, cast.developer.id]
    assert set(labels[0]) == {"id", "user", "created_at", "resource_type", "resource_id", "label", "action"}
    assert set(labels[0]["label"]) == {"id", "name", "color", "description"}
    shown = cast.guest.get(issue).json
    assert (labels[0]["resource_type"], labels[0]["resource_id"]) == ("Issue", shown["id"])
    states = cast.guest.get(f"{issue}/resource_state_events").json
    assert [event["state"] for event in states] == ["closed", "reopened"]
    assert cast.guest.get(f"{issue}/resource_state_events/{states[1]['id']}").json == states[1]
    assert cast.guest.get(f"{issue}/resource_label_events/{states[1]['id']}").status == 404
    second = cast.guest.get(f"{issue}/resource_label_events", per_page=2, page=2)
    assert (second.json, second.headers["X-Total"]) == (labels[2:], "3")


def test_a_deleted_label_is_null(cast, issue):
    cast.reporter.delete(f"/projects/{cast.private.id}/labels/two")
    labels = cast.guest.get(f"{issue}/resource_label_events").json
    assert [event["label"]["name"] for event in labels if event["label"]] == ["one"]
    assert len(labels) == 3


def test_a_deleted_user_is_null(cast, issue):
    cast.root.delete(f"/users/{cast.developer.id}")
    assert [event["user"] for event in cast.guest.get(f"{issue}/resource_state_events").json] == [None, None]


def test_milestones_and_weights_are_events(cast, issue):
    milestone = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json
    for change in ({"milestone_id": milestone["id"]}, {"milestone_id": 0}, {"weight": 3}, {"weight": 5}):
        cast.developer.put(issue, **change)
    events = cast.guest.get(f"{issue}/resource_milestone_events").json
    assert [(event["action"], event["milestone"]["id"]) for event in events] == [
        ("add", milestone["id"]), ("remove", milestone["id"]),
    ]  # fmt: skip
    assert [event["weight"] for event in cast.guest.get(f"{issue}/resource_weight_events").json] == [3, 5]
    first = cast.guest.get(f"{issue}/resource_weight_events").json[0]
    assert cast.guest.get(f"{issue}/resource_weight_events/{first['id']}").json == first


def test_a_promoted_label_stays_in_the_events(cast, issue):
    cast.owner.put(f"/projects/{cast.private.id}/labels/one/promote")
    names = {event["label"]["name"] for event in cast.guest.get(f"{issue}/resource_label_events").json}
    assert names == {"one", "two"}
