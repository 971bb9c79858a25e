from tests.harness.cases import Case, cases


def test_an_unblocked_user_is_active_again(cast):
    answer = cast.root.post(f"/users/{cast.blocked.id}/unblock")
    assert (answer.status, answer.text) == (201, "true")
    assert cast.blocked.get("/user").json["state"] == "active"


@cases(
    [
        Case("root", "POST /users/{blocked.id}/unblock", 201, True, events=["user.unblocked"]),
        Case("root", "POST /users/{guest.id}/unblock", 201, False, events=[]),
        Case("root", "POST /users/99999/unblock", 404, {"message": "404 User Not Found"}),
        Case("guest", "POST /users/{blocked.id}/unblock", 403, {"message": "403 Forbidden"}, events=[]),
        Case("blocked", "POST /users/{blocked.id}/unblock", 403, {"message": "403 Forbidden - User is blocked"}),
        Case("anonymous", "POST /users/{blocked.id}/unblock", 401, {"message": "401 Unauthorized"}),
    ]
)
def test_only_administrators_unblock_users(case, cast):
    case.holds(cast)
