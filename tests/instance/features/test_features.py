from tests.harness.cases import Case, Has, cases

OFF = {"key": "boolean", "value": False}


def test_a_feature_is_on_or_off_for_everybody(cast):
    assert cast.root.post("/features/new_den", value="true").json == {
        "name": "new_den", "state": "on", "gates": [{"key": "boolean", "value": True}],
    }  # fmt: skip
    assert cast.root.post("/features/new_den", value="false").json == {
        "name": "new_den",
        "state": "off",
        "gates": [OFF],
    }


def test_a_feature_is_on_for_a_share_of_the_time(cast):
    for share in (34, "50"):
        assert cast.root.post("/features/new_den", value=share).json == {
            "name": "new_den", "state": "conditional",
            "gates": [OFF, {"key": "percentage_of_time", "value": int(share)}],
        }  # fmt: skip


def test_a_feature_is_on_for_some(cast):
    cast.root.post("/features/new_den", value="true", feature_group="diggers")
    feature = cast.root.post("/features/new_den", value="true", user="Guest").json
    assert feature["state"] == "conditional"
    assert feature["gates"] == [
        OFF,
        {"key": "actors", "value": [f"User:{cast.guest.id}"]},
        {"key": "groups", "value": ["diggers"]},
    ]
    feature = cast.root.post("/features/new_den", value="false", user="guest").json
    assert feature["gates"] == [OFF, {"key": "groups", "value": ["diggers"]}]


def test_features_are_listed_by_name(cast):
    assert cast.root.get("/features").json == []
    for name, value in (("b", "true"), ("a", "false")):
        cast.root.post(f"/features/{name}", value=value)
    assert cast.root.post("/features/c", value="0000" + "9" * 5_000).json == {"error": "value is invalid"}
    assert [(each["name"], each["state"]) for each in cast.root.get("/features").json] == [("a", "off"), ("b", "on")]


@cases(
    [
        Case("root", "POST /features/x", 400, Has(error="value is missing")),
        Case("root", "POST /features/x", 400, {"error": "value is invalid"}, {"value": "often"}),
        Case("root", "POST /features/x", 400, {"error": "value is invalid"}, {"value": "101"}),
        Case("root", "POST /features/x", 404, {"message": "404 User Not Found"}, {"value": "true", "user": "nobody"}),
        Case("guest", "POST /features/x", 403, {"message": "403 Forbidden"}, {"value": "true"}),
        Case("guest", "GET /features", 403, {"message": "403 Forbidden"}),
        Case("anonymous", "GET /features", 401),
        Case(
            "root",
            "POST /features/x",
            400,
            {"message": {"feature_group": ["is too long (maximum is 255 characters)"]}},
            {"value": "true", "feature_group": "x" * 256},
        ),
    ]
)
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)
