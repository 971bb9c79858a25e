"""Badges of projects and groups."""

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

LINK = "https://ci.example.org/%{project_path}?b=%{default_branch}&g=%{group_name}"
IMAGE = "https://ci.example.org/%{project_id}/%{commit_sha}/%{latest_tag}.svg"
HERE = "/projects/{private.id}/badges"
FIELDS = {"link_url": LINK, "image_url": IMAGE, "name": "Build"}


@pytest.fixture
def badges(cast):
    return f"/projects/{cast.private.id}/badges"


def create(person, badges, **change):
    made = person.post(badges, **{**FIELDS, **change})
    assert made.status == 201, made
    return made.json


@cases([
    Case("anonymous", f"GET {HERE}", 404),
    Case("stranger", f"GET {HERE}", 404, {"message": "404 Project Not Found"}),
    Case("guest", f"GET {HERE}", 200, []),
    Case("anonymous", "GET /projects/{public.id}/badges", 200, []),
    Case("anonymous", "GET /groups/{team.id}/badges", 200, []),
    Case("guest", f"GET {HERE}/7", 404, {"message": "404 Badge Not Found"}),
    Case("developer", f"POST {HERE}", 403, params=FIELDS, events=[]),
    Case("master", f"POST {HERE}", 201, Has(name="Build", kind="project"), FIELDS, events=["badge.created"]),
    Case("master", f"POST {HERE}", 400, Has(error="image_url is missing"), {"link_url": LINK}),
    Case("master", f"POST {HERE}", 201, Has(name=None), {**FIELDS, "name": ""}),
    Case("developer", f"GET {HERE}/render", 403, params={"link_url": LINK, "image_url": IMAGE}),
    Case("developer", "POST /groups/{team.id}/badges", 403, params=FIELDS),
    Case("owner", "POST /groups/{team.id}/badges", 201, Has(kind="group", rendered_link_url=LINK), FIELDS),
])  # fmt: skip
def test_members_see_badges_and_masters_write_them(case, cast):
    case.holds(cast)


NOT_ALLOWED = (
    "javascript:alert(1)", "JavaScript://x%0aalert(1)", " https://a.b", "%{project_name}://a.b", "data:text/html,x",
    "//a.b/c", "/c", "ftp://a.b", "https://", "https:///x", "https://a.b/" + "x" * 2000,
)  # fmt: skip


@pytest.mark.parametrize("field", ["link_url", "image_url"])
def test_only_addresses_of_web_sites_are_stored(cast, badges, field):
    made = create(cast.master, badges)
    for address in NOT_ALLOWED:
        refused = cast.master.post(badges, **{**FIELDS, field: address})
        assert (refused.status, list(refused.json["message"])) == (400, [field]), address
    assert cast.master.put(f"{badges}/{made['id']}", **{field: NOT_ALLOWED[0]}).status == 400
    assert cast.master.get(f"{badges}/render", **{**FIELDS, field: NOT_ALLOWED[0]}).status == 400
    assert cast.master.get(badges).json == [made]


def test_a_badge_is_shown_changed_and_removed(cast, badges):
    made = create(cast.master, badges)
    one = f"{badges}/{made['id']}"
    assert cast.guest.get(one).json == made
    changed = cast.master.put(one, name="Coverage", link_url="http://example.org/").json
    assert changed == made | {
        "name": "Coverage", "link_url": "http://example.org/", "rendered_link_url": "http://example.org/",
    }  # fmt: skip
    create(cast.master, badges)
    assert [each["id"] for each in cast.guest.get(badges, name="Coverage").json] == [made["id"]]
    second = cast.guest.get(badges, per_page=1, page=2)
    assert ([each["name"] for each in second.json], second.headers["X-Total"]) == (["Build"], "2")
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.master.delete(one, long_ago).status == 412
    assert [cast.developer.delete(one).status, cast.master.delete(one).status] == [403, 204]
    assert cast.master.delete(one).json == {"message": "404 Badge Not Found"}


def test_badges_of_groups_are_those_of_the_projects_below(cast, badges):
    above = create(cast.root, f"/groups/{cast.company.id}/badges", name="Above")
    create(cast.root, f"/groups/{cast.guild.id}/badges", name="Elsewhere")
    own = create(cast.master, badges)
    assert [(each["name"], each["kind"]) for each in cast.guest.get(badges).json] == [
        ("Above", "group"), ("Build", "project"),
    ]  # fmt: skip
    assert cast.owner.get(f"/groups/{cast.team.id}/badges").json == []
    shown = cast.guest.get(f"{badges}/{above['id']}").json
    assert shown["rendered_link_url"].startswith(f"https://ci.example.org/{cast.private.path}?")
    for answer in (cast.master.put(f"{badges}/{above['id']}", name="x"), cast.master.delete(f"{badges}/{above['id']}")):
        assert answer.status == 403
    assert cast.root.get(f"/groups/{cast.company.id}/badges/{own['id']}").status == 404


def test_placeholders_tell_only_what_the_reader_may_read(cast, badges):
    project = f"/projects/{cast.private.id}"
    cast.master.post(f"{project}/repository/files/a.txt", branch="ma#in", content="x", commit_message="x")
    cast.owner.put(project, default_branch="ma#in")
    cast.master.post(f"{project}/repository/tags", tag_name="v1", ref="ma#in")
    head = cast.master.get(f"{project}/repository/commits").json[0]["id"]
    made = create(cast.master, badges)
    assert made["rendered_link_url"] == f"https://ci.example.org/{cast.private.path}?b=ma%23in&g=Team"
    assert made["rendered_image_url"] == f"https://ci.example.org/{cast.private.id}/{head}/v1.svg"
    for person, whole in ((cast.reporter, True), (cast.guest, False)):
        [seen] = person.get(badges).json
        assert (seen == made) is whole
        assert person.get(f"{badges}/{made['id']}").json == seen
    assert seen["rendered_image_url"] == f"https://ci.example.org/{cast.private.id}/%{{commit_sha}}/%{{latest_tag}}.svg"
    assert seen["rendered_link_url"] == f"https://ci.example.org/{cast.private.path}?b=%{{default_branch}}&g=Team"
    rendered = cast.master.get(f"{badges}/render", link_url=LINK, image_url=IMAGE).json
    assert rendered == {name: made[name] for name in rendered}
    assert list(rendered) == ["link_url", "image_url", "rendered_link_url", "rendered_image_url"]


def test_the_latest_tag_is_read_and_quoted(cast, badges):
    def latest():
        shown = cast.master.get(f"{badges}/render", link_url=LINK, image_url="https://a.b/%{latest_tag}").json
        return shown["rendered_image_url"].removeprefix("https://a.b/")

    project = f"/projects/{cast.private.id}"
    assert latest() == "%{latest_tag}"
    cast.master.post(f"{project}/repository/files/a.txt", branch="main", content="x", commit_message="x")
    for tag in ("v8", "v9", "a"):  # of one commit: the last by name
        cast.master.post(f"{project}/repository/tags", tag_name=tag, ref="main")
    assert latest() == "v9"
    cast.master.post(f"{project}/repository/tags", tag_name="w/é", ref="main", message="Later")
    assert latest() == "w/%C3%A9"


def test_the_home_page_shows_badges_and_loads_no_picture_of_another_site(browse, cast, badges):
    base = cast.guest.get(f"/projects/{cast.private.id}").json["web_url"].removesuffix(f"/{cast.private.path}")
    create(cast.master, badges, name="<b>Build")
    create(cast.master, badges, name="Own", image_url=f"{base}/%{{project_path}}/badges/master/pipeline.svg")
    create(cast.master, badges, name="Hidden", image_url=f"{base}/x/badges/..%2f..%2fusers/leave.svg")
    page = browse("guest").open(f"/{cast.private.path}").text
    assert "&lt;b&gt;Build</a>" in page
    assert f'<img src="{base}/{cast.private.path}/badges/master/pipeline.svg" alt="Own"' in page
    assert ("Hidden</a>" in page, "leave.svg" in page) == (True, False)


@pytest.mark.parametrize(("kind", "person"), [("project", "master"), ("group", "owner")])
def test_badges_are_managed_on_a_page_of_settings(browse, cast, kind, person):
    here = (
        f"/{cast.private.path}/settings/badges" if kind == "project" else f"/groups/{cast.team.path}/-/settings/badges"
    )
    browser = browse(person)
    assert "Badges are small linked pictures" in browser.open(here).text
    refused = browser.send(here, **{"badge[link_url]": "javascript:x", "badge[image_url]": "https://a.b/c"})
    assert (refused.status, "Only allowed schemes" in refused.text) == (422, True)
    sent = {"badge[name]": "Build", "badge[link_url]": "https://a.b/", "badge[image_url]": "https://a.b/c"}
    assert browser.send(here, **sent).status == 303
    listed = f"/{kind}s/{cast.private.id if kind == 'project' else cast.team.id}/badges"
    [badge] = getattr(cast, person).get(listed).json
    assert f"{here}/{badge['id']}/edit" in browser.open(here).text
    assert "https://a.b/c" in browser.open(f"{here}/{badge['id']}/edit").text
    assert browser.send(f"{here}/{badge['id']}", **{**sent, "badge[name]": "New"}).status == 303
    assert getattr(cast, person).get(listed).json[0]["name"] == "New"
    assert browse("developer").open(here).status == 403
    assert browser.send(f"{here}/delete", id=badge["id"]).status == 303
    assert getattr(cast, person).get(listed).json == []
