"""GET /users/:id/status; GET, PUT, PATCH /user/status."""

import pytest

from tests.harness.cases import Case, Has, cases

NONE = {"emoji": None, "message": None, "availability": None, "message_html": None, "clear_status_at": None}


@cases([
    Case("anonymous", "GET /users/guest/status", 200, NONE),
    Case("stranger", "GET /users/{guest.id}/status", 200, NONE),
    Case("stranger", "GET /users/nobody/status", 404, {"message": "404 User Not Found"}),
    Case("anonymous", "GET /user/status", 401),
    Case("read_user", "GET /user/status", 200, NONE),
    Case("read_user", "PUT /user/status", 403),
    Case("anonymous", "PUT /user/status", 401),
    Case("guest", "PUT /user/status", 200,
         Has(emoji="speech_balloon", message="<Out>", message_html="&lt;Out&gt;", availability="not_set"),
         {"message": "<Out>"}),
    Case("guest", "PUT /user/status", 200, Has(emoji="coffee", message="", availability="busy"),
         {"emoji": ":coffee:", "availability": "busy"}),
    Case("guest", "PUT /user/status", 400, {"error": "emoji is invalid"}, {"emoji": "<b>"}),
    Case("guest", "PUT /user/status", 400, {"error": "availability does not have a valid value"}, {"availability": "x"}),
    Case("guest", "PATCH /user/status", 400, {"error": "clear_status_after does not have a valid value"},
         {"clear_status_after": "9_days"}),
    Case("guest", "PUT /user/status", 400,
         {"message": {"message": ["is too long (maximum is 100 characters)"]}}, {"message": "x" * 101}),
])  # fmt: skip
def test_users_say_what_they_are_doing(case, cast):
    case.holds(cast)


@pytest.fixture
def guest(cast):
    assert cast.guest.put("/user/status", emoji="coffee", message="Out", availability="busy").status == 200
    return cast.guest


def test_everyone_reads_it_by_name(cast, guest):
    shown = cast.anonymous.get(f"/users/{guest.username}/status").json
    assert (shown["emoji"], shown["message"], shown["availability"]) == ("coffee", "Out", "busy")


def test_put_clears_what_is_not_given_and_patch_leaves_it(guest):
    patched = guest.patch("/user/status", message="Back soon").json
    assert (patched["emoji"], patched["message"], patched["availability"]) == ("coffee", "Back soon", "busy")
    replaced = guest.put("/user/status", message="Here").json
    assert (replaced["emoji"], replaced["availability"]) == ("speech_balloon", "not_set")
    assert guest.put("/user/status").json == NONE


def test_a_status_ends(cast, guest):
    ends = guest.patch("/user/status", clear_status_after="3_hours").json["clear_status_at"]
    assert ends is not None
    assert guest.patch("/user/status", message="Still").json["clear_status_at"] == ends
    cast.run("UPDATE user_statuses SET clear_at = '2018-01-01T00:00:00.000Z'")
    assert guest.get("/user/status").json == NONE


def test_a_deleted_user_leaves_none(cast, guest):
    assert cast.root.delete(f"/users/{guest.id}").status == 204
    assert cast.rows("SELECT user_id FROM user_statuses") == []
