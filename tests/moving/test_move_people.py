"""Who is who in a move in the browser: administrators map everybody, others only the user of their token to themselves."""

import json
from types import SimpleNamespace

import pytest

from mujina.kernel.jobs.queue import enqueue
from mujina.moving.personal_moves import operations
from tests.harness.creation import drain
from tests.moving.move_world import ANNA, NEW, TOKEN, number, row, ticks

BEN = {"id": 8, "username": "ben", "name": "Ben"}


@pytest.fixture
def authors(source):
    """The token belongs to Anna, who wrote an issue; Ben commented on it."""
    source.answers["/api/v4/user"] = ANNA
    note = {"id": 3, "body": "Hm, @anna", "author": BEN, "created_at": "2020-01-02T00:00:00Z", "system": False}
    note["updated_at"] = note["created_at"]
    discussion = {"id": "d" * 40, "individual_note": True, "notes": [note]}
    source.answers["/api/v4/projects/1/issues/11/discussions"] = [discussion]
    return source


def begin(visitor, source):
    visitor.open(NEW)
    return visitor.send(NEW, address=source.url, source_token=TOKEN).headers["Location"]


def written(person, owner):
    """Who wrote the issue and the comment of the moved project."""
    here = f"/projects/{owner}%2Fapp/issues/11"
    [note] = person.get(f"{here}/notes").json
    return person.get(here).json["author"]["username"], note["author"]["username"], note["body"]


def test_the_user_of_the_token_maps_only_themselves(authors, visit, cast):
    stranger = visit("stranger")
    move = begin(stranger, authors)
    page = stranger.open(move)
    assert "I am anna on this server" in page.text
    assert 'name="people"' not in page.text
    assert stranger.send(f"{move}/start", people='{"ben": "owner"}', **ticks(page, "team/app")).status == 403
    assert stranger.send(f"{move}/start", mine="true", **ticks(page, "team/app")).status == 303
    assert row(cast, move).status == "finished"
    assert written(cast.stranger, "stranger") == ("stranger", "ben-imported", "Hm, @stranger")
    [member] = cast.stranger.get("/projects/stranger%2Fapp/members").json
    assert member["username"] == "stranger"


def test_a_matching_name_maps_no_one(authors, visit, cast):
    for name in ("user", "users/7", "users/8"):  # a source says what it likes
        authors.answers[f"/api/v4/{name}"] = {**ANNA, "username": "owner", "email": "owner@example.org"}
    authors.answers["/api/v4/projects/1/issues"][0]["author"] = {**ANNA, "username": "owner"}
    stranger = visit("stranger")
    move = begin(stranger, authors)
    page = stranger.open(move)
    stranger.send(f"{move}/start", act="people", **ticks(page, "team/app"))
    stranger.send(f"{move}/start", **ticks(stranger.open(move), "team/app"))
    assert written(cast.stranger, "stranger")[0] == "owner-imported"


def test_people_of_the_selected_projects_are_listed(authors, visit, cast):
    stranger = visit("stranger")
    move = begin(stranger, authors)
    page = stranger.open(move)
    assert stranger.send(f"{move}/start", act="people", listed=ticks(page)["listed"]).status == 422
    assert stranger.send(f"{move}/start", act="people", **ticks(page, "team/app")).status == 303
    assert row(cast, move).status == "listed"
    page = stranger.open(move)
    shown = page.text.partition("People</h2>")[2]
    assert [name in shown for name in ("Anna", "Ben", "owner")] == [True, True, False]
    assert page.text.count(" checked") == 1
    assert (row(cast, move).login, row(cast, move).token is None) == ("anna", False)


def test_an_administrator_maps_everybody_from_the_list_of_confirmed_addresses(authors, visit, cast):
    address = cast.owner.get("/user").json["email"]
    authors.answers["/api/v4/users/7"] = {**ANNA, "email": address}
    authors.answers["/api/v4/users/8"] = BEN
    root = visit("root")
    move = begin(root, authors)
    root.send(f"{move}/start", act="people", **ticks(root.open(move), "team/app"))
    page = root.open(move)
    area = page.text.partition('name="people"')[2].partition("</textarea>")[0].partition(">")[2]
    assert json.loads(area.replace("&#34;", '"').replace("&quot;", '"')) == {"anna": "owner", "ben": None}
    for people in (
        '{"anna": "nobody-here"}',
        "[]",
        '{"anna": 1}',
        '{"an\\u0000na": "owner"}',
        '{"anna": "o\\u0000"}',
        "\ud83d",
    ):
        refused = root.send(f"{move}/start", people=people.encode("utf-8", "replace"), **ticks(page, "team/app"))
        assert refused.status == 422, people
    people = json.dumps({"anna": "owner", "ben": "developer"})
    assert root.send(f"{move}/start", people=people, **ticks(page, "team/app")).status == 303
    assert written(cast.root, "root") == ("owner", "developer", "Hm, @owner")
    members = {each["username"] for each in cast.root.get("/projects/root%2Fapp/members").json}
    assert members == {"root"}


def test_a_former_administrator_maps_no_one(authors, visit, cast, client_there):
    root = visit("root")
    move = begin(root, authors)
    people = json.dumps({"anna": "owner", "ben": "developer"})
    root.send(f"{move}/start", act="keep", people=people, **ticks(root.open(move), "team/app"))

    async def demote_and_start(tx):
        await tx.run("UPDATE users SET admin = :admin WHERE id = :id", admin=False, id=cast.root.id)
        await tx.run(
            """UPDATE moves SET status = 'moving',
               namespace_id = (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id) WHERE id = :id""",
            id=number(move), user_id=cast.root.id,
        )  # fmt: skip
        await enqueue(tx, operations.MOVE, number(move))

    cast.transact(demote_and_start)
    drain(SimpleNamespace(root=client_there))
    assert written(cast.root, "root")[:2] == ("anna-imported", "ben-imported")
