from tests.harness.cases import Case, cases
from tests.harness.creation import chain, make_group
from tests.harness.statements import statements


def listed(who, **query):
    answer = who.get("/namespaces", **query)
    assert answer.status == 200, answer
    return [each["full_path"] for each in answer.json]


def test_listing_namespaces_requires_a_caller(cast):
    assert cast.anonymous.get("/namespaces").status == 401


def test_a_user_sees_their_own_namespace_and_those_of_direct_memberships(cast):
    assert listed(cast.stranger) == ["stranger"]
    assert listed(cast.owner) == ["owner", "company/department/team"]
    assert listed(cast.inherited) == ["inherited", "company"]
    assert listed(cast.guest) == ["guest"]


def test_expired_membership_shows_nothing(cast):
    group = make_group(cast.owner, "fresh")
    cast.owner.post(
        f"/groups/{group['id']}/members", user_id=cast.stranger.id, access_level=30, expires_at="2018-01-01"
    )
    assert listed(cast.stranger) == ["stranger"]


def test_administrators_see_all(cast):
    everything = listed(cast.root, per_page=100)
    assert {"root", "stranger", "company", "company/department/team"} <= set(everything)


def test_namespaces_are_found_by_name_or_path(cast):
    assert listed(cast.root, search="depart") == ["company/department"]
    found = cast.root.get("/namespaces", search="root").json
    assert [(each["full_path"], each["kind"]) for each in found] == [("root", "user")]
    assert listed(cast.stranger, search="root") == []


def test_namespaces_are_found_by_their_full_path(cast):
    below = ["company/department", "company/department/team"]
    assert listed(cast.root, search="company/depart") == []
    assert listed(cast.root, search="company/depart", full_path_search=True) == below
    assert listed(cast.owner, search="company/depart", full_path_search=True) == below[1:]


def test_only_owned_or_topmost_namespaces_are_listed(cast):
    assert listed(cast.owner, owned_only=True) == ["owner", "company/department/team"]
    assert listed(cast.owner, top_level_only=True) == ["owner"]
    assert listed(cast.inherited, owned_only=True) == ["inherited"]
    assert listed(cast.root, owned_only=True)[0] == "root"
    assert "stranger" not in listed(cast.root, owned_only=True)
    assert "company/department" not in listed(cast.root, top_level_only=True, per_page=100)
    assert cast.owner.get("/namespaces", owned_only="perhaps").status == 400


def test_the_oldest_come_first(cast):
    ids = [each["id"] for each in cast.root.get("/namespaces", per_page=100).json]
    assert ids == sorted(ids)


def test_a_namespace_in_the_list(cast):
    own, group = cast.owner.get("/namespaces").json
    assert own == {
        "id": own["id"], "name": "owner", "path": "owner", "kind": "user", "full_path": "owner", "parent_id": None,
    }  # fmt: skip
    assert group == {
        "id": cast.team.id,
        "name": "Team",
        "path": "team",
        "kind": "group",
        "full_path": "company/department/team",
        "parent_id": cast.department.id,
        "members_count_with_descendants": 1,
        "plan": "default",
    }


def test_counts_and_plan_are_for_masters_and_owners(cast):
    group = make_group(cast.owner, "fresh")
    at = f"/groups/{group['id']}/members"
    cast.owner.post(at, user_id=cast.stranger.id, access_level=30)
    assert not {"plan", "members_count_with_descendants"} & set(cast.stranger.get("/namespaces").json[1])
    cast.owner.put(f"{at}/{cast.stranger.id}", access_level=40)
    shown = cast.stranger.get("/namespaces").json[1]
    assert (shown["plan"], shown["members_count_with_descendants"]) == ("default", 2)
    assert cast.root.get("/namespaces", search="fresh").json[0]["members_count_with_descendants"] == 2


def test_members_of_subgroups_are_counted_once(cast):
    top, middle, bottom = chain(cast.owner, "top", "middle", "bottom")
    for group, person in ((middle, cast.guest), (bottom, cast.guest), (bottom, cast.reporter)):
        cast.owner.post(f"/groups/{group['id']}/members", user_id=person.id, access_level=10)
    counts = {each["id"]: each.get("members_count_with_descendants") for each in cast.owner.get("/namespaces").json}
    assert [counts[group["id"]] for group in (top, middle, bottom)] == [3, 3, 3]


def test_pages_add_up(cast):
    pages = [cast.root.get("/namespaces", per_page=7, page=number) for number in (1, 2, 3)]
    total = int(pages[0].headers["X-Total"])
    assert sum(len(page.json) for page in pages) == total == 18


@cases([Case(who, "GET /namespaces", 200, statements=5) for who in ("root", "owner", "stranger", "inherited")])
def test_the_list_takes_few_statements(case, cast):
    case.holds(cast)


def test_the_list_takes_as_many_statements_whatever_its_length(cast):
    make_group(cast.stranger, "first")
    with statements(cast.database) as one:
        cast.stranger.get("/namespaces")
    for number in range(5):
        make_group(cast.stranger, f"g{number}")
    with statements(cast.database) as many:
        cast.stranger.get("/namespaces")
    assert many.count == one.count
