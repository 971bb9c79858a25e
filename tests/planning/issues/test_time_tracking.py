"""POST …/time_estimate, reset_time_estimate, add_spent_time, reset_spent_time, and GET …/time_stats."""

import asyncio

import pytest

from tests.harness.cases import Case, cases

HERE = "/projects/{private.id}/issues/{open}"
NOTHING = {"time_estimate": 0, "total_time_spent": 0, "human_time_estimate": None, "human_total_time_spent": None}
VERBS = ["time_estimate", "reset_time_estimate", "add_spent_time", "reset_spent_time"]


@cases([
    Case(who, f"POST {HERE}/{verb}", status, params={"duration": "1h"})
    for verb in VERBS
    for who, status in [
        ("anonymous", 401), ("stranger", 404), ("guest", 403), ("reporter", 201 if verb == "add_spent_time" else 200),
    ]
] + [
    Case("anonymous", f"GET {HERE}/time_stats", 401),
    Case("stranger", f"GET {HERE}/time_stats", 404, {"message": "404 Project Not Found"}),
    Case("guest", f"GET {HERE}/time_stats", 200, NOTHING, statements=3),
    Case("guest", "GET /projects/{private.id}/issues/{confidential}/time_stats", 404, {"message": "404 Issue Not Found"}),
    Case("stranger", "POST /projects/{public.id}/issues/{open}/time_estimate", 403, params={"duration": "1h"}),
    Case("reporter", f"POST {HERE}/time_estimate", 400,
         {"message": '400 (Bad request) "duration" not given', "error": "duration is missing"}),
    Case("reporter", f"POST {HERE}/add_spent_time", 400,
         {"message": '400 (Bad request) "duration" not given', "error": "duration is missing"}),
    *(Case("reporter", f"POST {HERE}/time_estimate", 400, {"message": {"time_estimate": ["has an invalid format"]}},
           {"duration": text}) for text in ("", "soon", "0", "-1h")),
    Case("reporter", f"POST {HERE}/add_spent_time", 400, {"message": {"time_spent": ["has an invalid format"]}},
         {"duration": "soon"}),
])  # fmt: skip
def test_tracking_time_requires_permission_and_valid_durations(case, cast):
    case.holds(cast)


def test_an_estimate_is_set_and_reset(cast, issue):
    assert cast.reporter.post(f"{issue}/time_estimate", duration="3h 30m").json == NOTHING | {
        "time_estimate": 12600, "human_time_estimate": "3h 30m",
    }  # fmt: skip
    assert cast.reporter.post(f"{issue}/time_estimate", duration="1mo").json["human_time_estimate"] == "1mo"
    assert cast.guest.get(issue).json["time_stats"]["time_estimate"] == 576000
    assert cast.reporter.post(f"{issue}/reset_time_estimate").json == NOTHING


def test_spent_time_adds_up_and_is_taken_back(cast, issue):
    assert cast.reporter.post(f"{issue}/add_spent_time", duration="1h").json["total_time_spent"] == 3600
    assert cast.developer.post(f"{issue}/add_spent_time", duration="30m").json["human_total_time_spent"] == "1h 30m"
    assert cast.reporter.post(f"{issue}/add_spent_time", duration="-1h").json["human_total_time_spent"] == "30m"
    refused = cast.reporter.post(f"{issue}/add_spent_time", duration="-1h")
    assert refused.status == 400
    assert refused.json == {"message": {"time_spent": ["Time to subtract exceeds the total time spent"]}}
    assert cast.guest.get(f"{issue}/time_stats").json["total_time_spent"] == 1800
    assert cast.reporter.post(f"{issue}/reset_spent_time").json == NOTHING


def test_a_total_without_end_is_refused(cast, issue):
    for _ in range(2):
        last = cast.reporter.post(f"{issue}/add_spent_time", duration="600000000000s")
    assert last.status == 400


def test_an_author_below_reporter_may(cast):
    issues = f"/projects/{cast.private.id}/issues"
    mine = f"{issues}/{cast.guest.post(issues, title='mine').json['iid']}"
    assert cast.guest.post(f"{mine}/time_estimate", duration="1h").status == 200


def test_each_change_leaves_a_note(cast, issue):
    for verb, duration in [
        ("time_estimate", "3h 30m"), ("reset_time_estimate", None), ("add_spent_time", "1h"),
        ("add_spent_time", "-30m"), ("reset_spent_time", None), ("reset_spent_time", None),
    ]:  # fmt: skip
        cast.reporter.post(f"{issue}/{verb}", **({"duration": duration} if duration else {}))
    notes = cast.guest.get(f"{issue}/notes", sort="asc").json
    assert [note["body"] for note in notes if "time" in note["body"]] == [
        "changed time estimate to 3h 30m", "removed time estimate", "added 1h of time spent",
        "subtracted 30m of time spent", "removed time spent",
    ]  # fmt: skip


@pytest.mark.commits
def test_time_spent_at_once_is_not_lost(cast):
    path = f"/projects/{cast.private.id}/issues/{cast.open}/add_spent_time"

    async def all_at_once():
        said = [cast.reporter.exchange("POST", path, params={"duration": "1m"}) for _ in range(40)]
        return [answer.status for answer in await asyncio.gather(*said)]

    assert set(cast.reporter.loop.run_until_complete(all_at_once())) == {201}
    answer = cast.reporter.get(f"/projects/{cast.private.id}/issues/{cast.open}/time_stats")
    assert answer.json["total_time_spent"] == 2400
