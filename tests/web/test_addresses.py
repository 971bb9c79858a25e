"""Which page an address leads to: by the path of a project, group or user, and by what follows it."""

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


@pytest.mark.parametrize(
    ("later", "now"), [("{public.path}.git", "{public.path}"), ("projects/{public.id}", "{public.path}")]
)
def test_other_addresses_of_a_page_lead_to_it(browse, cast, later, now):
    answer = browse("guest").open("/" + later.format(**cast.names), page=2)
    assert (answer.status, answer.headers["Location"]) == (301, f"/{now.format(**cast.names)}?page=2")


def test_former_paths_lead_to_the_new_ones_of_those_who_may_read(browse, cast):
    assert cast.owner.put(f"/projects/{cast.private.id}", path="renamed").status == 200
    now = cast.private.path.rpartition("/")[0] + "/renamed"
    answer = browse("guest").open(f"/{cast.private.path}", a="b c")
    assert (answer.status, answer.headers["Location"]) == (302, f"/{now}?a=b+c")
    assert browse("stranger").open(f"/{cast.private.path}").status == 404
    assert browse("anonymous").open(f"/{cast.private.path}").headers["Location"].startswith("/users/sign_in")
    assert cast.owner.put(f"/groups/{cast.team.id}", path="crew").status == 200
    assert browse("owner").open(f"/groups/{cast.team.path}").headers["Location"].endswith("/crew")


def test_a_page_for_others_says_that_it_does_not_exist(browse):
    for name in ("owner", "anonymous"):
        answer = browse(name).open("/%ff%fe")
        assert answer.status == 404
