"""Worlds that tests describe: what is refused in one sentence, and what is built although it is unusual."""

from typing import Any

import pytest

from mujina.testing.client import Mujina, RequestRefused

HUGE = (1e9, 2**63, 1e308, 1_000_000, -1)
"""Numbers of days that lead before 1970, or into the future."""


def _app(**parts: Any) -> dict[str, Any]:
    return {"users": [{"username": "ann"}], "projects": [{"path": "ann/app", "files": {"a": "a"}, **parts}]}


REFUSED: list[tuple[dict[str, Any], str]] = [
    *((_app(days_ago=days), "Expected `float` .* at `\\$.projects\\[0\\].days_ago`") for days in HUGE),
    *((_app(issues=[{"title": "x", "days_ago": days}]), "issues\\[0\\].days_ago`") for days in HUGE),
    ({"groups": [{"path": "gg"}], "projects": [{"path": "app"}]}, "`app` is no path of a project: write `user/app`"),
    ({"projects": [{"path": "nobody/app"}]}, "there is no user or group nobody"),
    ({"groups": [{"path": "nobody/tools"}]}, "there is no group nobody"),
    (_app(issues=[{"title": "x", "author": "nobody"}]), "there is no user nobody"),
    ({"users": [{"username": ""}]}, "length >= 1 - at `\\$.users\\[0\\].username`"),
    ({"users": [{"username": " "}]}, "users\\[0\\].username`"),
    ({"groups": [{"path": ""}]}, "groups\\[0\\].path`"),
    (_app(labels={"": "#d9534f"}), "length >= 1 .*labels`"),
    (_app(milestones=[""]), "length >= 1 .*milestones\\[0\\]`"),
    (_app(tags={"": "master"}), "length >= 1 .*tags`"),
    (_app(commits=[{"message": "x", "branch": "", "files": {"b": "b"}}]), "length >= 1 .*branch`"),
    (_app(hooks=[{"url": "http://hooks.test/", "events": ["issue"]}]), "push\\|tag_push\\|issues\\|.*events\\[0\\]`"),
    (_app(hooks=[{"url": "http://hooks.test/"}] * 2), "the hook of ann/app `http://hooks.test/` is described twice"),
    ({"users": [{"username": "ann"}, {"username": "Ann"}]}, "the user `Ann` is described twice"),
    ({"groups": [{"path": "team"}, {"path": "TEAM"}]}, "the group `TEAM` is described twice"),
    ({"projects": [{"path": "ann/app"}, {"path": "ann/App"}]}, "the project `ann/App` is described twice"),
    (_app(members={"ann": "guest", "ANN": "guest"}), "the member of ann/app `ANN` is described twice"),
    (_app(labels={"bug": "#d9534f", " bug": "#d9534f"}), "the label of ann/app `bug` is described twice"),
    (_app(milestones=["1.0", "1.0"]), "the milestone of ann/app `1.0` is described twice"),
    (
        _app(issues=[{"title": "It rains"}, {"title": "It rains "}]),
        "the issue of ann/app `It rains` is described twice",
    ),
    (_app(merge_requests=[{"title": "x", "source_branch": "a"}] * 2), "the merge request of ann/app `x` is described"),
    (_app(merge_requests=[{"title": "x", "source_branch": "a"}]), "the merge request “x” needs the branch a, which"),
    (_app(members={"ann": "owner"}), "Invalid enum value 'owner' - at `\\$.projects\\[0\\].members"),
]


def test_a_bad_world_is_refused_with_one_sentence_and_leaves_nothing(instance: Mujina):
    for world, message in REFUSED:
        with pytest.raises(RequestRefused, match=message) as error:
            instance.seed(world)
        assert error.value.status == 400
    assert [user["username"] for user in instance.request("GET", "/users")] == ["root"]
    assert instance.request("GET", "/groups") == []


def test_a_file_is_deleted_and_created_again(instance: Mujina):
    ids = instance.seed(
        _app(
            commits=[
                {"message": "Delete it", "files": {"a": None}},
                {"message": "Create it again", "files": {"a": "again"}},
            ]
        )
    )
    path = f"/projects/{ids.projects['ann/app'].id}/repository/files/a?ref=master"
    assert instance.request("GET", path)["size"] == len("again")


def test_a_number_as_a_name_is_no_id(instance: Mujina):
    ids = instance.seed(
        {
            "users": [{"username": "ann"}, {"username": "2"}],
            "groups": [{"path": "team"}, {"path": "team/1"}, {"path": "1"}, {"path": "1/tools"}],
            "projects": [{"path": "2/app"}, {"path": "1/app"}, {"path": "1/tools/app"}],
        }
    )
    paths = [instance.request("GET", f"/projects/{each.id}")["path_with_namespace"] for each in ids.projects.values()]
    assert paths == ["2/app", "1/app", "1/tools/app"]


def test_ids_are_found_by_the_title_as_it_is_described(instance: Mujina):
    ids = instance.seed(_app(issues=[{"title": " It rains"}], milestones=[" 1.0 "]))
    assert ids.projects["ann/app"].issues == {" It rains": 1}
