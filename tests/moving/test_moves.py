"""Moving in from another forge in the browser: listed, chosen, moved by jobs with the rights of the person."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run
from mujina.moving.personal_moves import operations, tasks
from tests.harness.creation import drain, make_group
from tests.moving.move_world import NEW, TOKEN, issue, number, row, ticks


def test_chosen_projects_are_moved_with_a_report(listed, cast, visit, source):
    stranger, move = listed
    page = stranger.open(move)
    assert [each in page.text for each in ("team/app", "team/tool", "team/website", TOKEN)] == [True, True, True, False]
    assert "team/tool" not in stranger.open(move, search="APP").text.partition("<main")[2]
    assert visit("owner").open(move).status == 404
    assert stranger.send(f"{move}/start", act="keep", **ticks(page, "team/app")).status == 303
    page = stranger.open(move)
    assert page.text.count(" checked") == 1
    started = stranger.send(f"{move}/start", act="start", path="team/tool", **ticks(page, "team/app"))
    assert (started.status, row(cast, move).status, row(cast, move).token) == (303, "finished", None)
    page = stranger.open(move).text
    assert "2 of 2 projects imported" in page
    assert "/stranger/app/import" in page
    assert "Imported objects by kind" in stranger.open("/stranger/app/import").text
    report = stranger.open(f"{move}/report.json").json
    assert [(each["path"], each["status"]) for each in report["projects"]] == [
        ("team/app", "moved"),
        ("team/tool", "moved"),
    ]
    assert report["projects"][0]["report"]["created"]["issues"] == 1
    assert f"{source.url}/team/app.git" in [each["address"] for each in report["projects"][0]["report"]["problems"]]
    [moved] = cast.stranger.get("/projects/stranger%2Fapp/issues").json
    assert (moved["iid"], moved["author"]["username"], moved["labels"]) == (11, "anna-imported", ["of the group"])
    assert moved["description"] == "See http://mujina.test/stranger/tool/-/issues/12."
    assert cast.stranger.get("/projects/stranger%2Fapp").json["visibility"] == "public"
    [member] = cast.stranger.get("/projects/stranger%2Fapp/members").json
    assert member["username"] == "stranger"
    assert cast.stranger.get("/projects/stranger%2Fwebsite").status == 404
    assert "Finished" in stranger.open("/import").text


def test_moving_again_brings_what_changed_to_the_same_project(listed, cast, source):
    stranger, move = listed
    stranger.open(move)
    stranger.send(f"{move}/start", path="team/app")
    source.answers["/api/v4/projects/1/issues"].append(issue(20, "New"))
    stranger.open(NEW)
    again = stranger.send(NEW, address=source.url, source_token=TOKEN).headers["Location"]
    stranger.open(again)
    stranger.send(f"{again}/start", path="team/app")
    assert [each["iid"] for each in cast.stranger.get("/projects/stranger%2Fapp/issues", sort="asc").json] == [11, 20]
    [shown] = stranger.open(f"{again}/report.json").json["projects"]
    assert (shown["status"], shown["report"]["created"]) == ("moved", {"issues": 1})


def test_a_move_of_another_user_never_reaches_the_project(listed, cast, visit, source):
    stranger, move = listed
    stranger.open(move)
    stranger.send(f"{move}/start", path="team/app")
    other = visit("owner")
    other.open(NEW)
    theirs = other.send(NEW, address=source.url, source_token=TOKEN).headers["Location"]
    other.open(theirs)
    source.answers["/api/v4/projects/1/issues"][0]["title"] = "Overwritten"
    source.answers["/api/v4/projects/1/issues"][0]["updated_at"] = "2021-01-01T00:00:00Z"
    assert other.send(f"{theirs}/start", path="team/app").status == 303
    assert cast.stranger.get("/projects/stranger%2Fapp/issues").json[0]["title"] == "Title"
    assert cast.owner.get("/projects/owner%2Fapp/issues").json[0]["title"] == "Overwritten"


def test_a_former_manager_neither_changes_nor_sees_a_project_through_moves(listed, cast, source):
    stranger, move = listed
    stranger.open(move)
    group = make_group(cast.owner, "team", visibility="private")["id"]
    cast.owner.post(f"/groups/{group}/members", user_id=cast.stranger.get("/user").json["id"], access_level=40)
    stranger.send(f"{move}/start", path="team/app", namespace=str(group))
    path = "/projects/team%2Fapp"
    assert cast.owner.post(f"{path}/archive").status == 201
    assert cast.owner.get(path).json["description"] is None
    source.answers["/api/v4/projects/team%2Fapp"]["description"] = "Other"
    stranger.open(NEW)
    again = stranger.send(NEW, address=source.url, source_token=TOKEN).headers["Location"]
    stranger.open(again)
    stranger.send(f"{again}/start", path="team/app", namespace=str(group))
    found = cast.owner.get(path).json
    assert (found["archived"], found["description"]) == (True, None)
    assert "/team/app/import" in stranger.open(move).text
    cast.owner.delete(f"/groups/{group}/members/{cast.stranger.get('/user').json['id']}")
    cast.owner.delete(f"{path}/members/{cast.stranger.get('/user').json['id']}")
    assert cast.stranger.get(path).status == 404
    assert "/team/app/import" not in stranger.open(move).text
    [shown] = stranger.open(f"{move}/report.json").json["projects"]
    assert (shown["path"], shown["path_with_namespace"], shown["report"]) == ("team/app", None, None)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_path_that_is_too_long_is_not_listed(listed, cast):
    stranger, move = listed
    stranger.open(move)
    assert stranger.send(f"{move}/start", path="\U0001f98a" * 4_000).status == 422
    assert row(cast, move).status == "listed"


def test_a_run_that_broke_off_is_continued(listed, cast, client_there):
    stranger, move = listed
    stranger.open(move)
    stranger.send(f"{move}/start", path="team/app")

    async def break_off(tx):
        await tx.run("UPDATE moves SET status = 'moving' WHERE id = :id", id=number(move))
        await tx.run(
            "UPDATE move_projects SET status = 'moving' WHERE move_id = :id AND status = 'moved'", id=number(move)
        )
        await tx.run("UPDATE projects SET import_status = 'started' WHERE path = 'app'")
        await enqueue(tx, operations.MOVE, number(move))

    cast.transact(break_off)
    assert 'http-equiv="refresh"' in stranger.open(move).text
    assert stranger.send(f"{move}/start", path="team/tool").status == 409
    drain(SimpleNamespace(root=client_there))
    assert row(cast, move).status == "finished"
    assert cast.stranger.get("/projects/stranger%2Fapp/import").json["import_status"] == "finished"
    assert len(cast.stranger.get("/projects/stranger%2Fapp/issues").json) == 1


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_what_the_person_may_not_do_is_not_done(listed, cast, client_there):
    stranger, move = listed
    stranger.open(move)
    group = make_group(cast.owner, "elsewhere", visibility="public")["id"]
    assert stranger.send(f"{move}/start", path="team/app", namespace=str(group)).status in (404, 422)
    assert stranger.send(f"{move}/start").status == 422
    assert row(cast, move).status == "listed"

    async def force(tx):  # the right was lost after the start
        await tx.run("UPDATE moves SET status = 'moving', namespace_id = :to WHERE id = :id", id=number(move), to=group)
        await tx.run(
            "UPDATE move_projects SET status = 'chosen' WHERE move_id = :id AND path = 'team/app'", id=number(move)
        )
        await enqueue(tx, operations.MOVE, number(move))

    cast.transact(force)
    drain(SimpleNamespace(root=client_there))
    [shown] = stranger.open(f"{move}/report.json").json["projects"]
    assert (shown["status"], shown["project_id"], shown["report"]) == ("failed", None, None)
    assert cast.owner.get(f"/groups/{group}/projects").json == []


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_addresses_are_guarded(browse, listed, cast, source):
    refused = browse("stranger")  # of an instance that may not call this machine
    refused.open(NEW)
    for address in (
        source.url,
        "http://169.254.169.254",
        "ftp://x.example",
        "http://u:p@x.example",
        "x",
        "http://[::1",
    ):
        assert refused.send(NEW, address=address, source_token=TOKEN).status == 422, address
    stranger, _ = listed
    asked = len(source.asked)
    source.files["/api/v4/projects"] = "http://127.0.0.2:1/latest/meta-data"
    stranger.open(NEW)
    move = stranger.send(NEW, address=source.url, source_token=TOKEN).headers["Location"]
    found = row(cast, move)
    assert (found.status, found.token, "127.0.0.2" in (found.error or "")) == ("failed", None, True)
    assert len(source.asked) > asked
    del source.files["/api/v4/projects"]
    source.answers["/api/v4/version"] = {"version": "16.0"}


def test_a_person_has_three_open_moves(listed, source):
    stranger, _ = listed
    statuses = []
    for _ in range(3):
        stranger.open(NEW)
        statuses.append(stranger.send(NEW, address=source.url).status)
    assert statuses == [303, 303, 422]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_source_that_answers_no_more_ends_the_move(listed, cast, source):
    stranger, move = listed
    page = stranger.open(move)
    source.limited = [{"Retry-After": "0"}] * 4
    stranger.send(f"{move}/start", **ticks(page, "team/app", "team/tool"))
    assert (row(cast, move).status, row(cast, move).token) == ("failed", None)
    shown = stranger.open(f"{move}/report.json").json
    assert [each["status"] for each in shown["projects"]] == ["failed", "chosen"]
    assert "Not started" in stranger.open(move).text


def test_nothing_is_moved_for_a_blocked_user(listed, cast, client_there):
    _, move = listed

    async def force(tx):
        await tx.run("UPDATE moves SET status = 'moving', namespace_id = 1 WHERE id = :id", id=number(move))
        await tx.run("UPDATE move_projects SET status = 'chosen' WHERE move_id = :id", id=number(move))
        await tx.run("UPDATE users SET state = 'blocked' WHERE id = :id", id=cast.stranger.id)
        await enqueue(tx, operations.MOVE, number(move))

    cast.transact(force)
    drain(SimpleNamespace(root=client_there))
    errors = cast.transact(lambda tx: tx.values("SELECT DISTINCT mp.error FROM move_projects mp"))
    assert (errors, row(cast, move).token) == (["The user who moves it is blocked."], None)


def test_a_move_is_canceled(listed, cast):
    stranger, move = listed
    stranger.open(move)
    assert stranger.send(f"{move}/cancel").status == 303
    assert (row(cast, move).status, row(cast, move).token) == ("canceled", None)
    assert stranger.send(f"{move}/start", path="team/app").status == 409
    assert "Import canceled" in stranger.open(move).text


def test_a_running_move_is_canceled(listed, cast, source, services, monkeypatch):
    stranger, move = listed
    reached, canceled = threading.Event(), threading.Event()

    def wait(_query):
        reached.set()
        canceled.wait(60)
        return []

    source.answers["/api/v4/projects/1/issues"] = wait
    monkeypatch.setattr(tasks, "SECONDS", 0.05)

    async def start(tx):
        await tx.run(
            "UPDATE move_projects SET status = 'chosen' WHERE move_id = :id AND path = 'team/app'", id=number(move)
        )
        await tx.run(
            """UPDATE moves SET status = 'moving',
               namespace_id = (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id) WHERE id = :id""",
            id=number(move), user_id=cast.stranger.id,
        )  # fmt: skip

    async def cancel():
        await asyncio.to_thread(reached.wait, 60)
        async with services.database.transaction() as tx:
            await operations.end(tx, number(move), "canceled")

    async def both():
        await asyncio.gather(tasks.move_next_project(Run(services, 1, cast.stranger.id), str(number(move))), cancel())

    cast.transact(start)
    cast.root.loop.run_until_complete(both())
    canceled.set()
    [shown] = stranger.open(f"{move}/report.json").json["projects"]
    assert (shown["status"], shown["error"]) == ("failed", "The import was canceled.")
    assert cast.stranger.get("/projects/stranger%2Fapp/import").json["import_status"] == "failed"


def test_no_token_stays_with_a_move_that_is_left_alone(listed, cast, visit):
    _, move = listed

    async def expire(tx):
        await tx.run("UPDATE moves SET updated_at = '2020-01-01T00:00:00.000Z'")
        await enqueue(tx, "moves.expire", "")

    cast.transact(expire)
    drain(cast)
    assert (row(cast, move).status, row(cast, move).token) == ("failed", None)
