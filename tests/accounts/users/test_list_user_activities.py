from datetime import UTC, date, datetime, timedelta

import pytest

from mujina.accounts.users.filters import six_months_ago
from mujina.accounts.users.profile.activity import record_activity
from mujina.kernel.permissions.actor import Actor
from tests.harness.cases import Case, cases


@pytest.fixture
def active(cast):
    """`active("guest", "2018-01-22")`: that was their last day."""
    last = "UPDATE users SET last_activity_on = :day WHERE username = :name"
    return lambda name, day: cast.run(last, day=day, name=name)


def test_activity_is_listed_from_the_oldest_to_the_newest(cast, active):
    today = datetime.now(UTC).date()
    for name, days in (("guest", 0), ("reporter", 30), ("owner", 10), ("master", 400)):
        active(name, (today - timedelta(days=days)).isoformat())
    found = cast.root.get("/user/activities").json
    assert [each["username"] for each in found] == ["reporter", "owner", "guest"]
    assert found[2] == {
        "username": "guest", "last_activity_on": today.isoformat(), "last_activity_at": today.isoformat(),
    }  # fmt: skip
    answer = cast.root.get("/user/activities", **{"from": "2016-01-01"})
    assert [each["username"] for each in answer.json] == ["master", "reporter", "owner", "guest"]
    assert answer.headers["X-Total"] == "4"


def test_the_first_day_counts(cast, active):
    active("guest", "2018-02-14")
    assert len(cast.root.get("/user/activities", **{"from": "2018-02-14"}).json) == 1
    assert cast.root.get("/user/activities", **{"from": "2018-02-15"}).json == []


def test_using_the_api_is_no_activity(cast):
    cast.guest.get("/user")
    assert cast.root.get("/user/activities").json == []


def test_using_git_is_written_down_once_a_day(cast):
    actor = Actor(id=cast.guest.id)
    today = datetime.now(UTC).date().isoformat()
    cast.root.loop.run_until_complete(record_activity(cast.database, actor, None))
    assert cast.root.get("/user/activities").json[0]["username"] == "guest"
    assert cast.root.get(f"/users/{cast.guest.id}").json["last_activity_on"] == today
    before = cast.database.statements
    cast.root.loop.run_until_complete(record_activity(cast.database, actor, today))
    assert cast.database.statements == before


def test_six_months_ago_is_a_day_of_the_calendar():
    then, today = date.fromisoformat(six_months_ago()), datetime.now(UTC).date()
    assert (today.year * 12 + today.month) - (then.year * 12 + then.month) == 6


@cases(
    [
        Case("guest", "GET /user/activities", 403, {"message": "403 Forbidden"}),
        Case("anonymous", "GET /user/activities", 401, {"message": "401 Unauthorized"}),
        Case("root", "GET /user/activities", 400, {"error": "from is invalid"}, {"from": "long ago"}),
    ]
)
def test_only_administrators_list_activities(case, cast):
    case.holds(cast)
