"""Which page an address leads to: by the path of a project, group or user, and by what follows it."""

import re
from itertools import product

import pytest


def test_projects_and_groups_of_any_depth_are_found(browse, cast):
    owner = browse("owner")
    for path in (cast.private.path, cast.private.path.upper(), cast.team.path, f"groups/{cast.team.path}"):
        assert owner.open(f"/{path}").status == 200, path
    for path in (
        f"{cast.private.path}/no/such/page",
        f"{cast.team.path}/nothing",
        f"groups/{cast.private.path}",
        "a/" * 40,
    ):
        assert owner.open(f"/{path}").status == 404, path


def test_missing_and_hidden_projects_look_the_same(browse, cast):
    stranger, anonymous = browse("stranger"), browse("anonymous")
    for path in (cast.private.path, f"{cast.private.path}/edit", f"{cast.team.path}/nothing", "nothing/here"):
        answer = stranger.open(f"/{path}")
        assert (answer.status, "Page not found" in answer.text) == (404, True), path
        assert cast.private.path not in answer.text
        answer = anonymous.open(f"/{path}", x="1")
        assert (answer.status, answer.headers["Location"]) == (302, f"/users/sign_in?target=/{path}%3Fx%3D1"), path
    assert anonymous.open(f"/{cast.public.path}").status == 200


def test_no_method_tells_the_hidden_from_the_missing(browse, cast):
    """Below a group that everybody may read: names in it cannot be guessed."""
    team = cast.team.path
    for name in ("hidden", "issues"):
        made = {"name": name, "path": name, "visibility": "private"}
        assert cast.owner.post("/projects", **made, namespace_id=cast.team.id).status == 201
    for name in ("secret", "merge_requests"):
        secret = {"name": name, "path": name, "visibility": "private", "parent_id": cast.team.id}
        made = cast.owner.post("/groups", **secret)
        assert made.status == 201, made
    project = cast.owner.get(f"/projects/{cast.team.encoded}%2Fhidden").json["id"]
    assert cast.owner.put(f"/projects/{project}", path="hidder").status == 200
    visitors = [browse("anonymous"), browse("stranger")]

    def answers(path):
        for visitor, verb, accept in product(visitors, ("GET", "HEAD", "POST"), ("text/html", "*/*")):
            answer = visitor.call(verb, f"//{path}", {"accept": accept})
            said = f"{answer.status} {sorted(answer.headers.items())} {answer.text}"
            varies = r"(nonce-|nonce=\"|content=\"|value=\"|_service_session=|'x-request-id', ')[\w+/=-]+"
            yield re.sub(varies, r"\1", f"{verb} {accept} {said}")

    for hidden, paths in {
        "hidder": ("{}", "{}/issues", "{}/issues/new", "groups/{}"),
        "hidden": ("{}",),
        "secret": ("{}", "groups/{}/-/issues", "groups/{}/-/edit"),
    }.items():
        for path in paths:
            missing = [said.replace("nobody", hidden) for said in answers(path.format(f"{team}/nobody"))]
            assert list(answers(path.format(f"{team}/{hidden}"))) == missing, path
    for visitor in visitors:
        for name in ("issues", "merge_requests"):
            answer = visitor.open(f"/groups/{team}/{name}")
            assert (answer.status, answer.headers["Location"]) == (301, f"/groups/{team}/-/{name}")
    assert visitors[0].send(f"/{team}/hidder/issues").headers["Location"] == "/users/sign_in?target=/"


@pytest.mark.parametrize(
    ("later", "now"), [("{public.path}.git", "{public.path}"), ("projects/{public.id}", "{public.path}")]
)
def test_other_addresses_of_a_page_lead_to_it(browse, cast, later, now):
    answer = browse("guest").open("/" + later.format(**cast.names), page=2)
    assert (answer.status, answer.headers["Location"]) == (301, f"/{now.format(**cast.names)}?page=2")


def test_a_path_with_percent_signs_stays_as_it_is(browse, cast):
    answer = browse("guest").open(f"/{cast.public.path}/-/blob/master/50%2541%3F.md")
    assert (answer.status, answer.headers["Location"]) == (301, f"/{cast.public.path}/blob/master/50%2541%3F.md")


def test_former_paths_lead_to_the_new_ones_of_those_who_may_read(browse, cast):
    owner = browse("owner")
    assert owner.open(f"/{cast.private.path}").status == owner.open(f"/{cast.private.path}/issues").status == 200
    assert cast.owner.put(f"/projects/{cast.private.id}", path="renamed").status == 200
    now = cast.private.path.rpartition("/")[0] + "/renamed"
    answer = browse("guest").open(f"/{cast.private.path}", a="b c")
    assert (answer.status, answer.headers["Location"]) == (302, f"/{now}?a=b+c")
    assert owner.open(f"/{cast.private.path}/issues").headers["Location"] == f"/{now}/issues"
    name = cast.private.path.rpartition("/")[2]
    assert cast.owner.post("/projects", name="Another", path=name, namespace_id=cast.team.id).status == 201
    assert "Another" in owner.open(f"/{cast.private.path}/issues").text
    assert cast.owner.delete(f"/projects/{cast.team.encoded}%2F{name}").status == 204
    assert browse("stranger").open(f"/{cast.private.path}").status == 404
    assert browse("anonymous").open(f"/{cast.private.path}").headers["Location"].startswith("/users/sign_in")
    assert cast.owner.put(f"/groups/{cast.team.id}", path="crew").status == 200
    assert browse("owner").open(f"/groups/{cast.team.path}").headers["Location"].endswith("/crew")


def test_a_page_for_others_says_that_it_does_not_exist(browse):
    for name in ("owner", "anonymous"):
        answer = browse(name).open("/%ff%fe")
        assert answer.status == 404
