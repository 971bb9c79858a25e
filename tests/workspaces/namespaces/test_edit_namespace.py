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
        Case(
            "root",
            AT,
            400,
            {"error": "plan, shared_runners_minutes_limit are missing, at least one parameter must be provided"},
            {},
        ),
        Case("root", "PUT /namespaces/999999", 404, {"message": "404 Namespace Not Found"}, {"plan": "gold"}),
    ]
)
def test_administrators_choose_a_plan(case, cast):
    case.holds(cast)


def test_the_limit_of_minutes_is_changed_without_the_plan(cast):
    """The group and the user that own the namespace show the same limit."""
    cast.root.put(f"/namespaces/{cast.team.id}", plan="gold")
    changed = cast.root.put(f"/namespaces/{cast.team.id}", shared_runners_minutes_limit=50)
    assert (changed.status, changed.json["shared_runners_minutes_limit"], changed.json["plan"]) == (200, 50, "gold")
    assert cast.root.get(f"/groups/{cast.team.id}").json["shared_runners_minutes_limit"] == 50
    assert cast.root.put("/namespaces/guest", shared_runners_minutes_limit=7).json["shared_runners_minutes_limit"] == 7
    assert cast.root.get(f"/users/{cast.guest.id}").json["shared_runners_minutes_limit"] == 7
    assert cast.root.get("/namespaces", search="guest").json[0]["shared_runners_minutes_limit"] == 7
    for path in (f"/namespaces/{cast.team.id}", "/namespaces"):
        assert "shared_runners_minutes_limit" not in cast.owner.get(path).text
    negative = cast.root.put("/namespaces/guest", shared_runners_minutes_limit=-1)
    problem = {"shared_runners_minutes_limit": ["must be greater than or equal to 0"]}
    assert (negative.status, negative.json) == (400, {"message": problem})


def test_owners_see_the_plan(cast):
    cast.root.put(f"/namespaces/{cast.team.id}", plan="bronze")
    assert cast.owner.get(f"/namespaces/{cast.team.id}").json["plan"] == "bronze"
