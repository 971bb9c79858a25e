import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

AT = "POST /projects"


@cases(
    [
        Case("anonymous", AT, 401, {"message": "401 Unauthorized"}, {"name": "x"}, events=[]),
        Case("stranger", AT, 201, Has(name="Foo Project", path="foo-project"), {"name": "Foo Project"}),
        Case("stranger", AT, 201, Has(name="only.path", path="only.path"), {"path": "only.path"}),
        Case("stranger", AT, 201, Has(path="uni-code"), {"name": "Ünï Çode"}),
        Case("stranger", AT, 201, Has(tag_list=["a", "b"]), {"name": "x", "tag_list": ["b", "a"]}),
        Case("stranger", AT, 201, Has(visibility="private", archived=False, issues_enabled=True), {"name": "x"}),
        Case("stranger", AT, 201, Has(default_branch=None, open_issues_count=0, star_count=0), {"name": "x"}),
        Case("stranger", AT, 201, Has(issues_enabled=False), {"name": "x", "issues_enabled": "off"}),
        Case("stranger", AT, 201, Has(public_jobs=False), {"name": "x", "public_builds": False}),
        Case("external", AT, 403, Has(), {"name": "x"}, events=[]),
        Case("read_user", AT, 403, Has(error="insufficient_scope", scope="api"), {"name": "x"}),
    ]
)
def test_a_project_is_made(case, cast):
    case.holds(cast)


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, {"error": "name, path are missing, at least one parameter must be provided"}),
        ({"name": ""}, {"message": {"name": ["can't be blank"]}}),
        (
            {"name": "x", "tag_list": ["t" * 256]},
            {"message": {"tag_list": ["is too long (maximum is 255 characters)"]}},
        ),
        ({"name": "x", "topics": ["t"] * 101}, {"message": {"topics": ["is too long (maximum is 100 tags)"]}}),
        ({"name": "x" * 256, "path": "x"}, {"message": {"name": ["is too long (maximum is 255 characters)"]}}),
        ({"name": "x", "path": "-x"}, "path"),
        ({"name": "x", "path": "x.git"}, "path"),
        ({"name": "x", "path": "wikis"}, {"message": {"path": ["wikis is a reserved name"]}}),
        ({"name": "?"}, "name"),
        ({"name": "x", "visibility": "secret"}, {"error": "visibility does not have a valid value"}),
        ({"name": "x", "description": "d" * 2001}, "description"),
        ({"name": "x", "ci_config_path": "../x"}, "ci_config_path"),
        ({"name": "x", "ci_config_path": "https://example.org/ci.yml"}, "ci_config_path"),
        ({"name": "x", "ci_config_path": "ci.yml@group/project:main"}, "ci_config_path"),
        ({"name": "x", "namespace_id": "x"}, {"error": "namespace_id is invalid"}),
    ],
    ids=str,
)
def test_invalid_parameters_are_reported(cast, params, complaint):
    answer = cast.stranger.post("/projects", **params)
    assert answer.status == 400
    if isinstance(complaint, str):
        assert list(answer.json["message"]) == [complaint]
    else:
        assert answer.json == complaint


def test_a_name_and_a_path_are_taken_once(cast):
    cast.stranger.post("/projects", name="Twin", path="twin")
    both = cast.stranger.post("/projects", name="Twin")
    assert both.status == 409
    assert both.json["message"]["name"] == both.json["message"]["path"] == ["has already been taken"]
    assert "path" not in cast.stranger.post("/projects", name="Twin", path="other").json["message"]
    path = cast.stranger.post("/projects", name="Other", path="TWIN")
    assert (path.status, "name" in path.json["message"]) == (409, False)


@pytest.mark.parametrize(("who", "status"), [("owner", 201), ("root", 201), ("developer", 400), ("stranger", 400)])
def test_a_group_takes_projects_of_its_masters(cast, who, status):
    answer = getattr(cast, who).post("/projects", name="x", namespace_id=cast.team.id)
    assert answer.status == status
    if status == 201:
        assert answer.json["path_with_namespace"] == "company/department/team/x"
        assert "owner" not in answer.json
    else:
        assert answer.json == {"message": {"namespace": ["is not valid"], "limit_reached": []}}


def test_nothing_in_a_group_is_more_visible_than_the_group(cast):
    group = cast.root.post("/groups", name="closed", path="closed").json["id"]
    answer = cast.root.post("/projects", name="x", namespace_id=group, visibility="public")
    assert answer.json == {"message": {"visibility_level": ["public is not allowed in a private group."]}}


def test_only_masters_see_the_runners_token(cast):
    project = cast.stranger.post("/projects", name="x", visibility="public").json
    assert project["runners_token"]
    assert "runners_token" not in cast.guest.get(f"/projects/{project['id']}").json
    assert "permissions" not in project


def test_form_multipart_query_and_json_are_equivalent(cast):
    forms = [Raw.form(name="a b", issues_enabled="no"), Raw.multipart({}, name="a c", issues_enabled="no")]
    forms.append(Raw(query="name=a+d&issues_enabled=no"))
    answers = [cast.stranger.post("/projects", form) for form in forms]
    assert [answer.status for answer in answers] == [201, 201, 201]
    assert [answer.json["issues_enabled"] for answer in answers] == [False, False, False]


@pytest.mark.parametrize("path", ["x.wiki", "x.git", "x.atom", "X.WIKI", "X.Git", "X.ATOM"])
def test_no_project_gets_a_path_with_the_suffix_of_another_address(cast, path):
    """A wiki, a repository or a feed is there."""
    refused = cast.stranger.post("/projects", name="x", path=path)
    assert (refused.status, list(refused.json["message"])) == (400, ["path"])
    project = cast.stranger.post("/projects", name="y").json
    assert list(cast.stranger.put(f"/projects/{project['id']}", path=path).json["message"]) == ["path"]


@pytest.mark.parametrize("symbol", [*"<>$=+~|^`", "\u20ac", "\u00b1", "/", "\\", '"', "&", "#", "!", "\n"])
def test_symbols_are_not_part_of_a_name(cast, symbol):
    for name in (f"{symbol}name", f"a{symbol}name", f"name{symbol}"):
        refused = cast.stranger.post("/projects", name=name, path="x")
        assert (refused.status, list(refused.json["message"])) == (400, ["name"]), name


@pytest.mark.parametrize(
    "name",
    ["a \u2014 b", "a \u2013 b", "\U0001f99d", "a \U0001f44b\U0001f3fd", "\u2764\ufe0f \u65e5\u672c", "\u00a9 a_b.c-d"],
)
def test_dashes_and_emoji_are_part_of_a_name(cast, name):
    created = cast.stranger.post("/projects", name=name, path="x")
    assert (created.status, created.json.get("name")) == (201, name)


@pytest.mark.parametrize("word", ["info", "environments", "gitlab-lfs"])
def test_words_that_only_begin_an_address_are_not_reserved_below_a_namespace(cast, word):
    assert cast.stranger.post("/projects", name=word).status == 201
    assert cast.owner.post("/groups", name=word, path=word, parent_id=cast.team.id).status == 201


def test_a_project_may_begin_with_a_readme(cast):
    for params, branch in (({}, "master"), ({"default_branch": "trunk"}, "trunk")):
        made = cast.guest.post("/projects", name=f"On {branch}", initialize_with_readme=True, **params)
        assert (made.status, made.json["default_branch"], made.json["empty_repo"]) == (201, branch, False)
        at = f"/projects/{made.json['id']}/repository"
        assert cast.guest.get(f"{at}/files/README.md/raw").body == f"# On {branch}\n".encode()
        assert [commit["title"] for commit in cast.guest.get(f"{at}/commits").json] == ["Initial commit"]


def test_features_are_also_set_by_their_newer_names(cast):
    names = {"issues": "issues", "merge_requests": "merge_requests", "builds": "jobs", "wiki": "wiki",
             "snippets": "snippets", "container_registry": "container_registry"}  # fmt: skip
    made = cast.guest.post("/projects", name="x", **{f"{name}_access_level": "disabled" for name in names}).json
    assert [made[f"{shown}_enabled"] for shown in names.values()] == [False] * 6
    here = f"/projects/{made['id']}"
    assert cast.guest.put(here, wiki_access_level="enabled").json["wiki_enabled"] is True
    refused = cast.guest.put(here, wiki_access_level="private")
    assert (refused.status, refused.json) == (400, {"error": "wiki_access_level does not have a valid value"})
