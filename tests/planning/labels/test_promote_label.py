"""PUT /projects/:id/labels/:label_id/promote and PUT /projects/:id/labels/promote."""

import asyncio

import pytest

from tests.harness.cases import Case, cases
from tests.harness.creation import make_project


@cases([
    Case("anonymous", "PUT /projects/{private.id}/labels/bug/promote", 401),
    Case("stranger", "PUT /projects/{private.id}/labels/bug/promote", 404, {"message": "404 Project Not Found"}),
    Case("guest", "PUT /projects/{private.id}/labels/bug/promote", 403),
    Case("owner", "PUT /projects/{private.id}/labels/bug/promote", 404, {"message": "404 Label Not Found"}),
    Case("owner", "PUT /projects/{private.id}/labels/promote", 404, {"message": "404 Label Not Found"}, {"name": "bug"}),
])  # fmt: skip
def test_only_those_who_edit_labels_promote_them(case, cast):
    case.holds(cast)


@pytest.fixture
def bug(cast):
    """A label of each of two projects, on an issue there."""
    made = {}
    for project in (cast.private, cast.public):
        here = f"/projects/{project.id}"
        made[project] = cast.reporter.post(f"{here}/labels", name="bug", color="#ff0000", priority=3).json
        cast.reporter.put(f"{here}/issues/{cast.open}", labels="bug")
    return made


def test_labels_of_the_same_name_are_merged_into_one_of_the_group(cast, bug):
    board = cast.master.post(f"/projects/{cast.public.id}/boards", name="Board").json
    lists = f"/projects/{cast.public.id}/boards/{board['id']}/lists"
    cast.master.post(lists, label_id=bug[cast.public]["id"])
    promoted = cast.owner.put(f"/projects/{cast.private.id}/labels/bug/promote")
    assert (promoted.status, promoted.json["id"]) == (200, bug[cast.private]["id"])
    assert [label["id"] for label in cast.owner.get(f"/groups/{cast.team.id}/labels").json] == [promoted.json["id"]]
    assert cast.events()[-1] == "label.promoted"
    for project in (cast.private, cast.public):
        here = f"/projects/{project.id}"
        assert cast.reporter.get(f"{here}/issues/{cast.open}").json["labels"] == ["bug"]
        assert [issue["iid"] for issue in cast.reporter.get(f"{here}/issues", labels="bug").json] == [cast.open]
        (label,) = [each for each in cast.reporter.get(f"{here}/labels").json if each["name"] == "bug"]
        assert (label["id"], label["priority"], label["open_issues_count"]) == (promoted.json["id"], 3, 1)
    assert [each["label"]["id"] for each in cast.master.get(lists).json if each["label"]] == [promoted.json["id"]]


def test_a_label_of_the_group_takes_the_place_of_the_promoted_one(cast, bug):
    cast.run("UPDATE labels SET group_id = :id, project_id = NULL WHERE id = :label", id=cast.team.id,
             label=bug[cast.public]["id"])  # fmt: skip
    promoted = cast.owner.put(f"/projects/{cast.private.id}/labels/{bug[cast.private]['id']}/promote").json
    assert promoted["id"] == bug[cast.public]["id"]
    assert cast.owner.get(f"/projects/{cast.private.id}/issues/{cast.open}").json["labels"] == ["bug"]
    again = cast.owner.put(f"/projects/{cast.private.id}/labels/bug/promote")
    assert again.status == 404


def test_a_member_of_the_project_alone_may_not_promote(cast, bug):
    assert cast.reporter.put(f"/projects/{cast.private.id}/labels/bug/promote").status == 403
    assert cast.reporter.get(f"/projects/{cast.private.id}/labels/bug").json["id"] == bug[cast.private]["id"]


def test_a_project_of_a_user_has_no_group(cast):
    project = make_project(cast.guest, "mine")
    cast.guest.post(f"/projects/{project['id']}/labels", name="bug", color="red")
    refused = cast.guest.put(f"/projects/{project['id']}/labels/promote", name="bug")
    assert refused.status == 400
    assert "does not belong to a group" in refused.json["message"]


def test_labels_of_groups_above_are_left_out_on_request(cast, bug):
    cast.owner.post(f"/groups/{cast.team.id}/labels", name="of the group", color="red")
    here = f"/projects/{cast.private.id}/labels"
    assert len(cast.owner.get(here).json) == 2
    own = cast.owner.get(here, include_ancestor_groups=False, with_counts=True)
    assert ([label["name"] for label in own.json], own.headers["X-Total"]) == (["bug"], "1")


@pytest.mark.commits
def test_concurrent_promotions_promote_a_label_once(cast, bug):
    paths = [f"/projects/{project.id}/labels/{id_}/promote" for project in bug for id_ in ("bug", bug[project]["id"])]

    async def all_at_once():
        return await asyncio.gather(*(cast.owner.exchange("PUT", path) for path in paths))

    answers = cast.owner.loop.run_until_complete(all_at_once())
    assert sorted(answer.status for answer in answers) == [200, 404, 404, 404]
    assert cast.events().count("label.promoted") == 1
    assert [label["name"] for label in cast.owner.get(f"/groups/{cast.team.id}/labels").json] == ["bug"]
