from tests.harness.cases import Case, Has, cases
from tests.harness.creation import chain

MISSING = {"message": "404 Namespace Not Found"}


@cases(
    [
        Case("anonymous", "GET /namespaces/{team.id}", 401),
        Case("owner", "GET /namespaces/{team.id}", 200, Has(kind="group", plan="default"), statements=4),
        Case("owner", "GET /namespaces/{team.encoded}", 200, Has(full_path="company/department/team")),
        Case("owner", "GET /namespaces/owner", 200, Has(kind="user", name="owner", parent_id=None)),
        Case("owner", "GET /namespaces/OWNER", 200, Has(path="owner")),
        Case("inherited", "GET /namespaces/{team.id}", 200, Has(full_path="company/department/team")),
        Case("stranger", "GET /namespaces/{team.id}", 404, MISSING),
        Case("guest", "GET /namespaces/{team.id}", 404, MISSING),
        Case("stranger", "GET /namespaces/owner", 404, MISSING),
        Case("root", "GET /namespaces/owner", 200, Has(kind="user")),
        Case("root", "GET /namespaces/{company.id}", 200, Has(members_count_with_descendants=2)),
        Case("root", "GET /namespaces/999999", 404, MISSING),
        Case("root", "GET /namespaces/{private.encoded}", 404, MISSING),
    ]
)
def test_members_see_a_namespace(case, cast):
    case.holds(cast)


def test_a_namespace_is_the_same_by_id_and_by_path(cast):
    by_path = cast.root.get("/namespaces/root").json
    assert cast.root.get(f"/namespaces/{by_path['id']}").json == by_path


def test_a_developer_does_not_see_counts(cast):
    shown = cast.inherited.get(f"/namespaces/{cast.team.id}").json
    assert not {"plan", "members_count_with_descendants"} & set(shown)


def test_a_master_from_above_sees_counts(cast):
    top, _, bottom = chain(cast.owner, "top", "middle", "bottom")
    cast.owner.post(f"/groups/{top['id']}/members", user_id=cast.stranger.id, access_level=40)
    assert cast.stranger.get(f"/namespaces/{bottom['id']}").json["members_count_with_descendants"] == 1
