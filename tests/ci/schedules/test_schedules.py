"""Schedules of a project as resources; what they start is in `test_run_schedules.py`."""

from datetime import UTC, datetime

import pytest

from mujina.ci.schedules.cron import next_time
from mujina.ci.schedules.zones import ENGLISH_ZONES, find_zone
from tests.harness.cases import ANYTHING, Case, Has, cases

HERE = "/projects/{private.id}/pipeline_schedules"
NIGHTLY = {"description": "Nightly", "ref": "master", "cron": "0 4 * * *"}
VERBS = [
    ("GET", ""), ("POST", ""), ("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1"), ("POST", "/1/take_ownership"),
    ("GET", "/1/pipelines"), ("POST", "/1/variables"), ("PUT", "/1/variables/A"), ("DELETE", "/1/variables/A"),
]  # fmt: skip
GIVEN = {**NIGHTLY, "key": "A", "value": "x"}
SYNTAX = [" is invalid syntax"]


@cases([
    *(Case(who, f"{verb} {HERE}{rest}", status, ANYTHING, GIVEN, events=[])
      for who, status in (("anonymous", 401), ("stranger", 404)) for verb, rest in VERBS),
    *(Case("developer", f"{verb} {HERE}{rest}", 404, {"message": "404 Pipeline Schedule Not Found"}, GIVEN, events=[])
      for verb, rest in VERBS[2:]),
    Case("reporter", f"POST {HERE}", 403, ANYTHING, NIGHTLY, events=[]),
    Case("reporter", f"GET {HERE}", 200, [], statements=5),
    Case("developer", f"POST {HERE}", 201,
         Has(description="Nightly", ref="master", cron="0 4 * * *", cron_timezone="UTC", active=True, last_pipeline=None,
             variables=[], owner=Has(username="developer")), NIGHTLY, events=["schedule.created"]),
    Case("developer", f"POST {HERE}", 201, Has(cron_timezone="Eastern Time (US & Canada)", active=False),
         {**NIGHTLY, "cron_timezone": "Eastern Time (US & Canada)", "active": "false"}),
    *(Case("developer", f"POST {HERE}", 400, {"message": {"cron": SYNTAX}}, {**NIGHTLY, "cron": cron}, events=[])
      for cron in ("", "x", "0 4 * *", "0 4 * * * *", "60 * * * *", "0 0 31 2 *", "0 0 */29 2 MON#5", "9" * 300, "0 0 0 * *")),
    *(Case("developer", f"POST {HERE}", 400, {"message": {"cron_timezone": SYNTAX}}, {**NIGHTLY, "cron_timezone": zone})
      for zone in ("", "Nowhere", "../../etc/passwd", "localtime", "right/UTC", "America", "Europe/Berlin\n")),
    Case("developer", f"POST {HERE}", 400, {"message": {"description": ["can't be blank"], "ref": ["can't be blank"]}},
         {**NIGHTLY, "description": "", "ref": " "}),
    Case("developer", f"POST {HERE}", 400, Has(error="description is missing, ref is missing, cron is missing")),
])  # fmt: skip
def test_managing_schedules_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


def test_a_schedule_is_listed_shown_edited_and_deleted(cast):
    here = f"/projects/{cast.private.id}/pipeline_schedules"
    made = cast.developer.post(here, **NIGHTLY).json
    there = f"{here}/{made['id']}"
    assert made["next_run_at"].endswith("T04:00:00.000Z")
    full = {*made}
    assert full == {
        "id", "description", "ref", "cron", "cron_timezone", "next_run_at", "active", "created_at", "updated_at", "owner",
        "last_pipeline", "variables",
    }  # fmt: skip
    [listed] = cast.reporter.get(here).json
    assert set(listed) == full - {"last_pipeline", "variables"}
    assert cast.developer.get(there).json == made
    edited = cast.developer.put(there, cron="30 5 * * *", cron_timezone="Asia/Kolkata", active=False).json
    assert edited["next_run_at"].endswith("T00:00:00.000Z")
    assert [cast.reporter.get(here, scope=scope).headers["x-total"] for scope in ("active", "inactive")] == ["0", "1"]
    assert cast.developer.put(there, cron="never").json == {"message": {"cron": SYNTAX}}
    assert cast.developer.delete(there).status == 204
    assert cast.events()[-3:] == ["schedule.created", "schedule.updated", "schedule.deleted"]


def test_owners_and_masters_manage_a_schedule(cast):
    here = f"/projects/{cast.private.id}/pipeline_schedules"
    there = f"{here}/{cast.developer.post(here, **NIGHTLY).json['id']}"
    for verb, path in (
        ("PUT", there),
        ("POST", f"{there}/take_ownership"),
        ("DELETE", there),
        ("POST", f"{there}/variables"),
    ):
        params = {"key": "A", "value": "x"}
        assert cast.inherited.ask(verb, path, params=params).json == {"message": "403 Forbidden"}
    cast.run("UPDATE pipeline_schedules SET next_run_at = '2018-01-01T04:00:00.000Z'")
    taken = cast.master.post(f"{there}/take_ownership")
    assert taken.json["next_run_at"] > "2026"
    assert (taken.status, taken.json["owner"]["username"]) == (201, "master")
    assert cast.developer.put(there, active=False).status == 403
    assert cast.master.put(there, active=False).json["active"] is False


def test_variables_are_for_those_who_may_edit_the_schedule(cast):
    here = f"/projects/{cast.private.id}/pipeline_schedules"
    there = f"{here}/{cast.developer.post(here, **NIGHTLY).json['id']}"
    made = cast.developer.post(f"{there}/variables", key="A_KEY", value="a-secret-value")
    assert (made.status, made.json) == (201, {"key": "A_KEY", "variable_type": "env_var", "value": "a-secret-value"})
    again = cast.developer.post(f"{there}/variables", key="A_KEY", value="x")
    assert (again.status, again.json) == (400, {"message": {"key": ["has already been taken"]}})
    assert cast.developer.post(f"{there}/variables", key="A-B", value="x").status == 400
    edited = cast.developer.put(f"{there}/variables/A_KEY", value="another-value", variable_type="file")
    assert edited.json == {"key": "A_KEY", "variable_type": "file", "value": "another-value"}
    assert cast.master.get(there).json["variables"] == [edited.json]
    assert "variables" not in cast.reporter.get(there).json
    assert cast.value("SELECT value FROM pipeline_schedule_variables").startswith("v1:")
    missing = cast.developer.put(f"{there}/variables/NONE", value="x")
    assert (missing.status, missing.json) == (404, {"message": "404 Pipeline Schedule Variable Not Found"})
    removed = cast.developer.delete(f"{there}/variables/A_KEY")
    assert (removed.status, removed.json) == (202, edited.json)
    assert cast.developer.get(there).json["variables"] == []


def test_every_english_name_is_a_zone():
    assert [name for name in ENGLISH_ZONES if find_zone(name) is None] == []
    assert len(ENGLISH_ZONES) > 150
    assert find_zone("Berlin") == find_zone("Europe/Berlin")


TIMES = [
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00"),  # 02:30 is skipped: at 03:00 summer time
    ("30 2 * * *", "Europe/Berlin", "2026-03-29T12:00", "2026-03-30T00:30"),
    ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", "2026-10-25T00:30"),  # 02:30 comes twice: at the first
    ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30", "2026-10-26T01:30"),
    ("0 * * * *", "Berlin", "2026-10-25T00:00", "2026-10-25T01:00"),  # every hour, also the repeated one
    ("*/15 9-17 * * mon-fri", "UTC", "2026-11-20T17:45", "2026-11-23T09:00"),
    ("0 0 29 2 *", "UTC", "2026-01-01T00:00", "2028-02-29T00:00"),
    ("0 4 * * *", "Eastern Time (US & Canada)", "2026-07-01T00:00", "2026-07-01T08:00"),
    ("0 0 31 2 *", "UTC", "2026-01-01T00:00", None),
]


@pytest.mark.parametrize(("cron", "zone", "after", "expected"), TIMES)
def test_the_next_time_follows_the_clocks_of_the_zone(cron, zone, after, expected):
    found = next_time(cron, find_zone(zone), datetime.fromisoformat(after).replace(tzinfo=UTC))
    assert (found and found.astimezone(UTC).isoformat()[:16]) == expected
