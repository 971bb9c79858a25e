import pytest

from tests.harness.client import Raw
from tests.harness.creation import make_project


def paths(answer):
    assert answer.status == 200, answer
    return sorted(project["path"] for project in answer.json)


@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("anonymous", ["public"]),
        ("external", ["public"]),
        ("stranger", ["internal", "public"]),
        ("expired", ["internal", "public"]),
        ("left", ["internal", "public"]),
        ("guest", ["internal", "private", "public"]),
        ("inherited", ["internal", "private", "public"]),
        ("shared", ["internal", "private", "public"]),
        ("root", ["internal", "private", "public"]),
    ],
)
def test_callers_list_the_projects_they_may_read(cast, who, seen):
    answer = getattr(cast, who).get("/projects")
    assert paths(answer) == seen
    assert answer.headers["X-Total"] == str(len(seen))


def test_filters_narrow_the_list(cast):
    mine = make_project(cast.guest, "Mine", description="a hidden gem")
    cast.guest.post(f"/projects/{cast.public.id}/star")
    assert paths(cast.guest.get("/projects", owned=True)) == ["mine"]
    assert paths(cast.stranger.get("/projects", membership=True)) == []
    assert paths(cast.guest.get("/projects", membership=True)) == ["internal", "mine", "private", "public"]
    assert paths(cast.guest.get("/projects", starred=True)) == ["public"]
    assert paths(cast.guest.get("/projects", starred=True, owned=True)) == []
    assert paths(cast.guest.get("/projects", visibility="internal")) == ["internal"]
    assert paths(cast.guest.get("/projects", search="HIDDEN gem")) == ["mine"]
    assert paths(cast.guest.get("/projects", search="mi")) == []
    cast.guest.put(f"/projects/{mine['id']}", issues_enabled=False)
    assert "mine" not in paths(cast.guest.get("/projects", with_issues_enabled=True))
    cast.guest.post(f"/projects/{mine['id']}/archive")
    assert "mine" not in paths(cast.guest.get("/projects"))
    assert paths(cast.guest.get("/projects", archived=True)) == ["mine"]


def test_the_list_keeps_to_a_level_and_to_topics(cast):
    cast.guest.post("/projects", name="mine", topics=["sewing", "a b"])
    cast.guest.post("/projects", name="other", tag_list=["sewing", "sew", "x"])
    assert paths(cast.guest.get("/projects", min_access_level=10)) == ["internal", "mine", "other", "private", "public"]
    assert paths(cast.guest.get("/projects", min_access_level=20)) == ["mine", "other"]
    assert paths(cast.developer.get("/projects", membership=True, min_access_level=40)) == []
    assert paths(cast.anonymous.get("/projects", min_access_level=10)) == []
    assert cast.guest.get("/projects", min_access_level=15).status == 400
    listed = cast.guest.get("/projects", topic="sewing")
    assert (paths(listed), listed.headers["X-Total"]) == (["mine", "other"], "2")
    assert paths(cast.guest.get("/projects", topic="x,sewing")) == ["other"]
    assert paths(cast.guest.get("/projects", topic="a b")) == ["mine"]
    for nothing in ("sewin", "Sewing", "ew", "x,a b", "%"):
        assert paths(cast.guest.get("/projects", topic=nothing)) == []


def test_administrators_see_custom_attributes_on_request(cast):
    for key, value in (("tier", "gold"), ("area", "51")):
        cast.root.put(f"/projects/{cast.private.id}/custom_attributes/{key}", value=value)
    expected = [{"key": "area", "value": "51"}, {"key": "tier", "value": "gold"}]
    shown = {p["id"]: p["custom_attributes"] for p in cast.root.get("/projects", with_custom_attributes=True).json}
    assert shown == {cast.private.id: expected, cast.internal.id: [], cast.public.id: []}
    path = f"/projects/{cast.private.id}"
    assert cast.root.get(path, with_custom_attributes=True).json["custom_attributes"] == expected
    assert "custom_attributes" not in cast.root.get(path).json
    assert "custom_attributes" not in cast.owner.get(path, with_custom_attributes=True).json


def test_simple_projects_have_names_and_addresses(cast):
    (project,) = cast.anonymous.get("/projects", simple=True).json
    assert sorted(project) == [
        "http_url_to_repo", "id", "name", "name_with_namespace", "path", "path_with_namespace", "ssh_url_to_repo",
        "web_url",
    ]  # fmt: skip


def test_the_list_has_the_requested_order(cast):
    def order(**query):
        return [project["path"] for project in cast.root.get("/projects", **query).json]

    assert order(order_by="name", sort="asc") == ["internal", "private", "public"]
    assert order(order_by="path", sort="desc") == ["public", "private", "internal"]
    assert order(order_by="id", sort="asc") == order()[::-1]
    assert cast.root.get("/projects", order_by="size").json == {"error": "order_by does not have a valid value"}


def test_anonymous_callers_see_no_rights(cast):
    (project,) = cast.anonymous.get("/projects").json
    assert project.keys().isdisjoint(
        {"permissions", "runners_token", "import_error", "repository_storage", "statistics"}
    )
    assert "permissions" in cast.stranger.get(f"/projects/{cast.public.id}").json


def test_a_page_takes_as_many_statements_whatever_its_length(cast):
    for n in range(12):
        cast.root.post("/projects", name=f"p{n}")

    def cost(size):
        before = cast.database.statements
        assert len(cast.root.get("/projects", per_page=size).json) == size
        return cast.database.statements - before

    page = 1 if cast.database.engine == "postgres" else 2  # PostgreSQL reads the total with it
    assert cost(2) == 1 + page  # the token
    assert cost(15) == cost(14) == 2 + page  # the groups with which some are shared


def test_the_list_keeps_to_ids_and_times(cast):
    first, middle, last = sorted(cast.guest.get("/projects", simple=True).json, key=lambda project: project["id"])
    around = {"id_after": first["id"], "id_before": last["id"]}
    found = cast.guest.get("/projects", **around, min_access_level=10)
    assert (paths(found), found.headers["X-Total"]) == ([middle["path"]], "1")
    assert paths(cast.guest.get("/projects", id_after="", id_before=first["id"])) == []
    for name in ("last_activity", "updated"):
        assert paths(cast.guest.get("/projects", **{f"{name}_after": "2001-01-01"})) == [
            "internal",
            "private",
            "public",
        ]
        assert paths(cast.guest.get("/projects", **{f"{name}_before": "2001-01-01"})) == []
    for order in ("star_count", "similarity", "repository_size", "storage_size", "packages_size", "wiki_size"):
        assert paths(cast.guest.get("/projects", order_by=order)) == ["internal", "private", "public"]
    cast.guest.post(f"/projects/{middle['id']}/star")
    assert cast.guest.get("/projects", order_by="star_count", per_page=1).json[0]["id"] == middle["id"]


@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_a_list_that_is_followed_by_ids_shows_each_project_once(cast, sort):
    expected = [project["id"] for project in cast.guest.get("/projects", order_by="id", sort=sort).json]
    query = {"pagination": "keyset", "order_by": "id", "sort": sort, "per_page": 2, "simple": True}
    first = cast.guest.get("/projects", **query)
    assert not {"x-total", "x-total-pages", "x-page", "x-next-page", "x-prev-page"} & set(first.headers)
    assert cast.guest.post("/projects", name="fresh").status == 201
    link = first.headers["Link"]
    assert link.endswith('>; rel="next"')
    assert link.count("rel=") == 1
    second = cast.guest.get(link.partition("/api/v4")[2].partition(">")[0])
    found = [project["id"] for project in [*first.json, *second.json]]
    assert [each for each in found if each in expected] == expected
    assert second.headers.get("Link") is None
    other = cast.guest.get("/projects", pagination="keyset", order_by="name", per_page=2)
    assert other.headers["X-Total"] == "4"


def test_a_list_shows_each_project_as_it_is_shown_alone_after_every_change(cast):
    at = f"/projects/{cast.private.id}"
    band = cast.owner.post("/groups", name="band", path="band").json["id"]
    readers = [cast.root, cast.owner, cast.guest, cast.shared, cast.anonymous]
    changes = [
        ("put", at, {"description": "a gem", "topics": ["sewing"]}),
        ("post", f"{at}/issues", {"title": "counted"}),
        ("put", at, {"issues_enabled": False, "squash_option": "always"}),
        ("post", f"{at}/star", {}),
        ("post", f"{at}/share", {"group_id": band, "group_access": 20}),
        ("post", f"{at}/fork", {}),
        ("put", f"/groups/{cast.team.id}", {"name": "Crew", "lfs_enabled": False}),
    ]
    for verb, path, body in changes:
        assert getattr(cast.owner, verb)(path, **body).status in (200, 201)
        for reader in readers:
            for raw in (Raw(), Raw(headers={"Host": "elsewhere.example"})):
                first, again = (reader.get("/projects", raw).json for _ in range(2))
                assert first == again == [reader.get(f"/projects/{project['id']}", raw).json for project in first]
