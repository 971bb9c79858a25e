import pytest

from tests.harness.cases import Case, cases

EVENTS = {
    "new_note", "new_issue", "reopen_issue", "close_issue", "reassign_issue", "new_merge_request",
    "push_to_merge_request", "reopen_merge_request", "close_merge_request", "reassign_merge_request",
    "merge_merge_request", "failed_pipeline", "success_pipeline",
}  # fmt: skip


@pytest.fixture(params=["groups", "projects"])
def place(request, cast):
    return f"/{request.param}/{(cast.team if request.param == 'groups' else cast.private).id}/notification_settings"


def test_the_default_level_is_participating(cast, place):
    assert cast.developer.get("/notification_settings").json == {
        "level": "participating", "notification_email": "developer@example.org",
    }  # fmt: skip
    assert cast.developer.get(place).json == {"level": "global"}


def test_users_set_their_notification_level(cast, place):
    assert cast.developer.put("/notification_settings", level="watch").json["level"] == "watch"
    assert cast.developer.put(place, level="mention").json == {"level": "mention"}
    assert cast.developer.get(place).json == {"level": "mention"}
    assert cast.reporter.get(place).json == {"level": "global"}


def test_single_events_are_chosen_at_the_level_custom(cast, place):
    for path in ("/notification_settings", place):
        settings = cast.developer.put(path, level="custom", new_note=True, close_issue=True).json
        assert set(settings["events"]) == EVENTS
        assert {name for name, enabled in settings["events"].items() if enabled} == {"new_note", "close_issue"}
        settings = cast.developer.put(path, new_note=False).json
        assert {name for name, enabled in settings["events"].items() if enabled} == {"close_issue"}
        assert "events" not in cast.developer.put(path, level="watch").json


def test_the_notification_email_must_belong_to_the_user(cast):
    answer = cast.guest.put("/notification_settings", notification_email="reporter@example.org")
    assert answer.json == {"message": {"notification_email": ["is not an email you own"]}}
    cast.guest.post("/user/emails", email="unconfirmed@example.org")
    assert cast.guest.put("/notification_settings", notification_email="unconfirmed@example.org").status == 400
    cast.root.put(f"/users/{cast.guest.id}", email="new@example.org", skip_reconfirmation=True)
    settings = cast.guest.put("/notification_settings", notification_email="Guest@example.org").json
    assert settings["notification_email"] == "guest@example.org"
    (old,) = (each for each in cast.guest.get("/user/emails").json if each["email"] == "guest@example.org")
    cast.guest.delete(f"/user/emails/{old['id']}")
    assert cast.guest.get("/notification_settings").json["notification_email"] == "new@example.org"


def test_permissions_show_the_notification_level(cast):
    cast.developer.put(f"/projects/{cast.private.id}/notification_settings", level="watch")
    access = cast.developer.get(f"/projects/{cast.private.id}").json["permissions"]["project_access"]
    assert access["notification_level"] == 2


@cases(
    [
        Case(
            "guest", "PUT /notification_settings", 400, {"error": "level does not have a valid value"}, {"level": "x"}
        ),
        Case("stranger", "GET /projects/{private.id}/notification_settings", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "PUT /projects/{private.id}/notification_settings", 404, params={"level": "watch"}),
        Case("anonymous", "GET /notification_settings", 401),
        Case("anonymous", "GET /projects/{public.id}/notification_settings", 401),
        Case("root", "GET /groups/999999/notification_settings", 404, {"message": "404 Group Not Found"}),
    ]
)
def test_invalid_levels_and_strangers_are_refused(case, cast):
    case.holds(cast)
