import pytest

from tests.harness.cases import Case, Has, cases

PLACE = "/broadcast_messages"
MISSING = {"message": "404 Broadcast Message Not Found"}


@pytest.fixture
def message(cast):
    answer = cast.root.post(PLACE, message="Back soon")
    assert answer.status == 201, answer
    return answer.json


def test_create_broadcast_message(message):
    assert set(message) == {"id", "message", "starts_at", "ends_at", "color", "font", "active"}
    assert (message["color"], message["font"], message["active"]) == ("#E75E40", "#FFFFFF", True)
    assert message["starts_at"] < message["ends_at"]


def test_a_message_is_active_between_its_times(cast):
    for starts, ends, active in (("2001-01-01", "2001-01-02", False), ("2001-01-01", "2999-01-01", True),
                                 ("2999-01-01", "2999-01-02", False)):  # fmt: skip
        said = cast.root.post(PLACE, message="x", starts_at=f"{starts}T00:00:00Z", ends_at=f"{ends}T00:00:00Z").json
        assert said["active"] is active
        assert said["starts_at"] == f"{starts}T00:00:00.000Z"


def test_list_and_show_broadcast_messages(cast, message):
    answer = cast.root.get(PLACE)
    assert (answer.json, answer.headers["X-Total"]) == ([message], "1")
    assert cast.root.get(f"{PLACE}/{message['id']}").json == message
    assert cast.root.get(f"{PLACE}/99999").json == MISSING


def test_edit_broadcast_message(cast, message):
    place = f"{PLACE}/{message['id']}"
    assert cast.root.put(place, font="#000", message="Soon").json == message | {"font": "#000", "message": "Soon"}
    assert cast.root.put(place, color="red").json == {"message": {"color": ["must be a valid color code"]}}
    assert cast.root.put(place, message="").json == {"message": {"message": ["can't be blank"]}}
    assert cast.root.put(f"{PLACE}/99999").json == MISSING


def test_delete_broadcast_message(cast, message):
    assert cast.root.delete(f"{PLACE}/{message['id']}").status == 204
    assert cast.root.delete(f"{PLACE}/{message['id']}").json == MISSING


@cases(
    [
        Case("root", f"POST {PLACE}", 400, Has(error="message is missing")),
        Case("root", f"POST {PLACE}", 400, {"error": "ends_at is invalid"}, {"message": "x", "ends_at": "late"}),
        Case("guest", f"GET {PLACE}", 403, {"message": "403 Forbidden"}),
        Case("guest", f"POST {PLACE}", 403, params={"message": "x"}, events=[]),
        Case("anonymous", f"GET {PLACE}", 401),
        Case("root", f"POST {PLACE}", 201, params={"message": "x"}, events=["broadcast_message.created"]),
    ]
)
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)
