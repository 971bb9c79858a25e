from tests.harness.cases import Case, Has, cases

AT = "POST /projects/{private.id}/archive"


@cases(
    [
        Case("anonymous", AT, 401),
        Case("stranger", AT, 404),
        Case("master", AT, 403, {"message": "403 Forbidden"}, events=[]),
        Case("owner", AT, 201, Has(archived=True), events=["project.archived"]),
        Case("owner", "POST /projects/{private.id}/unarchive", 201, Has(archived=False), events=[]),
        Case("master", "POST /projects/{private.id}/unarchive", 403),
    ]
)
def test_owners_archive(case, cast):
    case.holds(cast)


def test_archiving_twice_is_archiving_once_and_issues_stay_open(cast):
    path = f"/projects/{cast.private.id}"
    assert [cast.owner.post(f"{path}/archive").json["archived"] for _ in range(2)] == [True, True]
    assert cast.guest.post(f"{path}/issues", title="still here").status == 201
    assert [cast.owner.post(f"{path}/unarchive").json["archived"] for _ in range(2)] == [False, False]
