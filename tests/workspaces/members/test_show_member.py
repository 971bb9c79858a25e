from tests.harness.cases import Case, Has, cases

MISSING = {"message": "404 Member Not Found"}


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/members/{guest.id}", 401),
        Case("guest", "GET /projects/{private.id}/members/{guest.id}", 200, Has(username="guest", access_level=10)),
        Case("stranger", "GET /projects/{private.id}/members/{guest.id}", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "GET /groups/{team.id}/members/{owner.id}", 200, Has(access_level=50, expires_at=None)),
        Case("owner", "GET /projects/{private.id}/members/{inherited.id}", 404, MISSING),
        Case("owner", "GET /projects/{private.id}/members/{expired.id}", 404, MISSING),
        Case("owner", "GET /projects/{private.id}/members/999999", 404, MISSING),
        Case("owner", "GET /groups/{team.id}/members/{stranger.id}", 404, MISSING),
        Case("owner", "GET /groups/999999/members/{owner.id}", 404, {"message": "404 Group Not Found"}),
        Case("owner", "GET /groups/{team.id}/members/somebody", 400, {"error": "user_id is invalid"}),
    ]
)
def test_a_direct_member_is_shown(case, cast):
    case.holds(cast)
