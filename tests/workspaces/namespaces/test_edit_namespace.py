from tests.harness.cases import Case, Has, cases

AT = "PUT /namespaces/{team.id}"


@cases(
    [
        Case("anonymous", AT, 401, params={"plan": "gold"}, events=[]),
        Case("owner", AT, 403, params={"plan": "gold"}, events=[]),
        Case("root", AT, 200, Has(plan="gold", path="team"), {"plan": "gold"}, events=["namespace.updated"]),
        Case("root", "PUT /namespaces/{team.encoded}", 200, Has(plan="silver"), {"plan": "silver"}),
        Case("root", AT, 200, Has(plan="default"), {"plan": ""}),
        Case("root", AT, 400, {"message": {"plan": ["is not included in the list"]}}, {"plan": "tin"}, events=[]),
        Case("root", AT, 400, {"error": "plan are missing, at least one parameter must be provided"}, {}),
        Case("root", "PUT /namespaces/999999", 404, {"message": "404 Namespace Not Found"}, {"plan": "gold"}),
    ]
)
def test_administrators_choose_a_plan(case, cast):
    case.holds(cast)


def test_owners_see_the_plan(cast):
    cast.root.put(f"/namespaces/{cast.team.id}", plan="bronze")
    assert cast.owner.get(f"/namespaces/{cast.team.id}").json["plan"] == "bronze"
