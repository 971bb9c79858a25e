"""DELETE /projects/:id/labels?name= and DELETE /projects/:id/labels/:label_id."""

import asyncio

import pytest

from tests.harness.client import Raw
from tests.harness.creation import make_project


def test_a_label_is_deleted_by_its_name_in_query_or_body(cast, label):
    labels = f"/projects/{cast.private.id}/labels"
    label("one")
    label("two")
    assert cast.reporter.delete(f"{labels}?name=one").status == 204
    assert cast.reporter.delete(labels, name="two").status == 204
    assert cast.reporter.get(labels).json == []
    gone = cast.reporter.delete(labels, name="two")
    assert (gone.status, gone.json) == (404, {"message": "404 Label Not Found"})


def test_a_label_is_deleted_by_its_id_in_the_path(cast, label):
    bug = label("bug")
    assert cast.reporter.delete(f"/projects/{cast.private.id}/labels/{bug['id']}").status == 204
    assert cast.events()[-1] == "label.deleted"


def test_issues_lose_it(cast, label):
    label("bug")
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.put(issue, labels="bug,ui")
    cast.reporter.delete(f"/projects/{cast.private.id}/labels", name="bug")
    assert cast.reporter.get(issue).json["labels"] == ["ui"]


def test_only_reporters_delete_labels(cast, label):
    label("bug")
    labels = f"/projects/{cast.private.id}/labels"
    assert cast.anonymous.delete(labels, name="bug").status == 401
    assert cast.stranger.delete(labels, name="bug").status == 404
    assert cast.guest.delete(labels, name="bug").status == 403
    assert cast.reporter.delete(labels).json["error"] == "name is missing"


def test_a_label_of_the_group_is_not_deleted_here(cast, label):
    wide = label("wide", of="team")
    assert cast.owner.delete(f"/projects/{cast.private.id}/labels/{wide['id']}").status == 403
    assert cast.owner.delete(f"/groups/{cast.team.id}/labels/{wide['id']}").status == 204


def test_a_label_changed_since_the_given_time_is_kept(cast, label):
    label("bug")
    raw = Raw(query="name=bug", headers={"If-Unmodified-Since": "Tue, 01 Jan 2013 00:00:00 GMT"})
    assert cast.reporter.delete(f"/projects/{cast.private.id}/labels", raw=raw).status == 412


@pytest.mark.commits
def test_concurrently_deleted_labels_do_not_block_edits(cast):
    who = cast.stranger
    here = f"/projects/{make_project(who, 'busy')['id']}"
    lists = f"{here}/boards/{who.post(f'{here}/boards', name='Board').json['id']}/lists"
    for number in range(4):
        who.post(f"{here}/issues", title=f"{number}", labels=f"a{number}")

    async def use(n):
        label = f"a{n % 4}"
        put = await who.exchange("PUT", f"{here}/issues/{n % 4 + 1}", params={"labels": f"{label},a{(n + 1) % 4}"})
        shown = await who.exchange("GET", f"{here}/labels/{label}")
        listed = await who.exchange("POST", lists, params={"label_id": shown.json.get("id", 0)})
        moved = await who.exchange("PUT", f"{lists}/{listed.json.get('id', 0)}", params={"position": 0})
        gone = await who.exchange("DELETE", f"{here}/labels/{label}")
        return [put, shown, listed, moved, gone]

    async def all_at_once():
        return [answer for some in await asyncio.gather(*map(use, range(32))) for answer in some]

    assert {answer.status for answer in who.loop.run_until_complete(all_at_once())} <= {200, 201, 204, 400, 404}
    found = [one["position"] for one in who.get(lists).json]
    assert found == list(range(len(found)))
