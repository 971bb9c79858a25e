from tests.harness.cases import Case, cases

LAST = "403 Forbidden - The last administrator cannot be blocked, deleted or made an ordinary user"


def test_a_blocked_user_is_refused_from_the_next_request_on(cast):
    answer = cast.root.post(f"/users/{cast.guest.id}/block")
    assert (answer.status, answer.text) == (201, "true")
    refused = cast.guest.get("/user")
    assert (refused.status, refused.json) == (403, {"message": "403 Forbidden - User is blocked"})
    assert {person["username"] for person in cast.root.get("/users", blocked="true").json} == {"guest", "blocked"}


def test_a_blocked_user_stays_member_and_author(cast):
    cast.root.post(f"/users/{cast.reporter.id}/block")
    issue = cast.root.get(f"/projects/{cast.private.id}/issues/{cast.open}").json
    assert (issue["author"]["username"], issue["author"]["state"]) == ("reporter", "blocked")
    members = cast.root.get(f"/projects/{cast.private.id}/members", per_page=100).json
    assert "reporter" in {member["username"] for member in members}


def test_sudo_to_a_blocked_person_still_works(cast):
    assert cast.root.get("/user", sudo="blocked").json["username"] == "blocked"


def test_the_last_administrator_cannot_be_blocked(cast):
    cast.root.put(f"/users/{cast.guest.id}", admin=True)
    assert cast.root.post(f"/users/{cast.guest.id}/block").text == "true"
    assert cast.root.post(f"/users/{cast.root.id}/block").status == 403


@cases(
    [
        Case("root", "POST /users/{guest.id}/block", 201, True, events=["user.blocked"]),
        Case("root", "POST /users/{blocked.id}/block", 201, False, events=[]),
        Case("root", "POST /users/{root.id}/block", 403, {"message": LAST}, events=[]),
        Case("root", "POST /users/99999/block", 404, {"message": "404 User Not Found"}),
        Case("guest", "POST /users/{reporter.id}/block", 403, {"message": "403 Forbidden"}, events=[]),
        Case("anonymous", "POST /users/{reporter.id}/block", 401, {"message": "401 Unauthorized"}),
    ]
)
def test_only_administrators_block_users(case, cast):
    case.holds(cast)


def test_users_blocked_by_the_directory_cannot_be_blocked_or_unblocked(cast):
    cast.run("UPDATE users SET state = 'ldap_blocked' WHERE id = :id", id=cast.guest.id)
    for verb, word in (("block", "modified"), ("unblock", "unblocked")):
        answer = cast.root.post(f"/users/{cast.guest.id}/{verb}")
        text = f"403 Forbidden - LDAP blocked users cannot be {word} by the API"
        assert (answer.status, answer.json) == (403, {"message": text})
    assert cast.root.get(f"/users/{cast.guest.id}").json["state"] == "blocked"
    assert cast.guest.get("/user").status == 403
