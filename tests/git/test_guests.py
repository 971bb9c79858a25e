"""Who pushes is known from one request to the next, and for no longer than a moment."""

import pytest

from mujina.git import guests
from mujina.git.access import FRESH_SECONDS
from mujina.git.guests import Guests
from tests.git import wire
from tests.git.wire import ZERO


@pytest.fixture
def hours():
    return [100.0]


@pytest.fixture
def known(hours):
    return Guests[str](lambda: hours[0])


def test_the_very_same_is_recognised_for_a_moment(known, hours):
    known.remember("Basic ada", "group/project", seen="ada")
    assert known.recognise("Basic ada", "group/project") == "ada"
    assert known.recognise("Basic ben", "group/project") is None
    assert known.recognise("Basic ada", "group/other") is None
    hours[0] += FRESH_SECONDS
    assert known.recognise("Basic ada", "group/project") is None


def test_no_more_are_remembered_than_there_is_room_for(known, hours, monkeypatch):
    monkeypatch.setattr(guests, "MOST", 2)
    for name in ("ada", "ben", "cleo"):
        known.remember(name, seen=name)
    assert [known.recognise(name) for name in ("ada", "ben", "cleo")] == [None, "ben", "cleo"]


def test_whoever_was_let_in_and_lost_their_access_since_pushes_nothing(forge):
    project, copy = forge.filled("lost-since")
    tip = copy.do("rev-parse", "HEAD")
    body = wire.request(f"{ZERO} {tip} refs/heads/late", pack=wire.pack_of(copy, tip))
    path = f"/{project['path_with_namespace']}.git/info/refs?service=git-receive-pack"
    assert forge.ask("GET", path, headers=forge.basic("developer")).status == 200
    forge.values("UPDATE projects SET archived = TRUE WHERE id = :id", id=project["id"])
    answer = wire.push(forge, project, "developer", body)
    assert b"ok refs/heads/late" not in answer.body
    assert list(forge.refs(project)) == ["refs/heads/master"]
