from tests.harness.cases import Case, cases
from tests.harness.creation import chain, make_group, paths


def listed(who, group, **query):
    answer = who.get(f"/groups/{group}/subgroups", **query)
    assert answer.status == 200, answer
    return paths(answer.json)


def test_only_direct_subgroups_are_listed(cast):
    top, *_ = chain(cast.owner, "top", "middle", "bottom")
    make_group(cast.owner, "other", parent_id=top["id"])
    assert listed(cast.owner, "top") == ["top/middle", "top/other"]
    assert listed(cast.owner, "top%2Fmiddle") == ["top/middle/bottom"]
    assert listed(cast.owner, "top%2Fmiddle%2Fbottom") == []


def test_anonymous_callers_see_the_public_subgroups_of_a_public_group(cast):
    assert listed(cast.anonymous, cast.company.id) == ["company/department"]


def test_signed_in_callers_see_their_own_subgroups_unless_they_ask_for_all(cast):
    assert listed(cast.stranger, cast.company.id) == []
    assert listed(cast.stranger, cast.company.id, all_available=True) == ["company/department"]
    assert listed(cast.inherited, cast.company.id) == ["company/department"]
    assert listed(cast.root, cast.company.id) == ["company/department"]


def test_the_filters_of_groups_apply(cast):
    top = make_group(cast.owner, "top")
    for path in ("alpha", "beta", "gamma"):
        make_group(cast.owner, path, parent_id=top["id"])
    assert listed(cast.owner, "top", search="bet") == ["top/beta"]
    assert listed(cast.owner, "top", sort="desc") == ["top/gamma", "top/beta", "top/alpha"]
    assert listed(cast.root, "top", owned=True) == []
    assert "statistics" in cast.root.get("/groups/top/subgroups", statistics=True).json[0]


@cases(
    [
        Case("stranger", "GET /groups/hidden/subgroups", 404, {"message": "404 Group Not Found"}),
        Case("anonymous", "GET /groups/hidden/subgroups", 404, {"message": "404 Group Not Found"}),
        Case("owner", "GET /groups/hidden/subgroups", 200, [], statements=5),
        Case("owner", "GET /groups/nowhere/subgroups", 404, {"message": "404 Group Not Found"}),
    ]
)
def test_a_hidden_group_is_not_found(case, cast):
    make_group(cast.owner, "hidden")
    case.holds(cast)


def test_the_groups_at_any_depth_below_are_listed(cast):
    chain(cast.owner, "top", "middle", "bottom")
    below = cast.owner.get("/groups/top/descendant_groups")
    assert (paths(below.json), below.headers["X-Total"]) == (["top/middle/bottom", "top/middle"], "2")
    assert paths(cast.owner.get("/groups/top/descendant_groups", search="mid").json) == ["top/middle"]
    assert cast.owner.get("/groups/top%2Fmiddle%2Fbottom/descendant_groups").json == []
    assert cast.stranger.get("/groups/top/descendant_groups").json == {"message": "404 Group Not Found"}
