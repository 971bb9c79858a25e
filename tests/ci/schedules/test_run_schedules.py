"""What schedules start, by the clock and by hand."""

import pytest

NIGHTLY = {"description": "Nightly", "ref": "topic", "cron": "0 4 * * *"}


@pytest.fixture
def schedule(ci):
    """Create a schedule of a new branch, to which every developer may push; its id."""

    def create(person="inherited", **changes):
        ci.cast.owner.post(f"{ci.path}/repository/branches", branch="topic", ref="master")
        made = getattr(ci.cast, person).post(f"{ci.path}/pipeline_schedules", **{**NIGHTLY, **changes})
        assert made.status == 201, made
        return made.json["id"]

    return create


def state(ci, schedule_id):
    found = ci.cast.owner.get(f"{ci.path}/pipeline_schedules/{schedule_id}").json
    return found["active"], found["next_run_at"] > "2026"


def test_a_schedule_that_is_due_starts_one_pipeline_however_late_it_is(cast, ci, schedule, tick):
    schedule_id = schedule(cron="* * * * *")
    here = f"{ci.path}/pipeline_schedules/{schedule_id}"
    assert cast.inherited.post(f"{here}/variables", key="A", value="b").status == 201
    before = len(ci.pipelines)
    assert tick(schedule_id) == [schedule_id]
    assert tick() == []
    assert len(ci.pipelines) == before + 1
    started = ci.pipelines[0]
    assert (started["source"], started["ref"]) == ("schedule", "topic")
    full = cast.owner.get(f"{ci.path}/pipelines/{started['id']}").json
    assert full["user"]["username"] == "inherited"
    variables = cast.owner.get(f"{ci.path}/pipelines/{started['id']}/variables").json
    assert [(each["key"], each["value"]) for each in variables] == [("A", "b")]
    assert cast.inherited.get(here).json["last_pipeline"] == {
        "id": started["id"], "sha": full["sha"], "ref": "topic", "status": full["status"],
    }  # fmt: skip
    assert [each["id"] for each in cast.inherited.get(f"{here}/pipelines").json] == [started["id"]]
    assert state(ci, schedule_id) == (True, True)


def test_a_task_that_runs_again_starts_no_second_pipeline(cast, ci, schedule, tick):
    schedule_id = schedule(cron="* * * * *")
    before = len(ci.pipelines)
    tick(schedule_id, times=3)
    assert (len(ci.pipelines), state(ci, schedule_id)) == (before + 1, (True, True))
    tick(schedule_id, at="2018-01-02")
    assert len(ci.pipelines) == before + 2, "the next time that is due"
    for _ in range(2):
        assert cast.inherited.post(f"{ci.path}/pipeline_schedules/{schedule_id}/play").status == 201
    assert len(ci.pipelines) == before + 4, "a user starts it as often as they want"


def test_inactive_schedules_and_those_of_deleted_projects_start_nothing(cast, ci, schedule, tick):
    inactive, active = schedule(active=False), schedule()
    assert tick(inactive) == []
    assert cast.owner.delete(ci.path).status == 204
    tick(active)
    assert cast.value("SELECT count(*) FROM pipelines WHERE source = 'schedule'") == 0


REFUSALS = {
    "the ref is gone": lambda ci: ci.cast.owner.delete(f"{ci.path}/repository/branches/topic"),
    "the ref is protected": lambda ci: ci.cast.owner.post(f"{ci.path}/protected_branches", name="topic"),
    "the owner is blocked": lambda ci: ci.cast.root.post(f"/users/{ci.cast.inherited.id}/block"),
    "the owner is demoted": lambda ci: ci.cast.root.put(
        f"/groups/{ci.cast.company.id}/members/{ci.cast.inherited.id}", access_level=20
    ),
    "the owner has left": lambda ci: ci.cast.root.delete(
        f"/groups/{ci.cast.company.id}/members/{ci.cast.inherited.id}"
    ),
    "jobs are disabled": lambda ci: ci.cast.root.put(ci.path, jobs_enabled=False),
}
FILES = {"invalid": "x: 1", "without jobs": "rspec: {script: a, only: [tags]}", "empty": ""}


@pytest.mark.parametrize("cause", [*REFUSALS, *FILES])
def test_a_schedule_that_cannot_start_is_switched_off_and_nothing_is_kept(cast, ci, schedule, tick, cause):
    if cause in FILES:
        ci.commit(action="update", **{".gitlab-ci.yml": FILES[cause]})
    schedule_id = schedule()
    if cause in REFUSALS:
        assert REFUSALS[cause](ci).status in {200, 201, 204}
    assert tick(schedule_id) == [schedule_id]
    [(active, next_run_at)] = cast.rows(
        "SELECT active, next_run_at FROM pipeline_schedules WHERE id = :id", id=schedule_id
    )
    assert not active
    assert next_run_at > "2026"
    assert cast.value("SELECT count(*) FROM pipelines WHERE source = 'schedule'") == 0


def test_a_developer_runs_a_schedule_at_once(cast, ci, schedule):
    here = f"{ci.path}/pipeline_schedules/{schedule()}"
    assert cast.stranger.post(f"{here}/play").status == 404
    played = cast.inherited.post(f"{here}/play")
    assert (played.status, played.json) == (201, {"message": "201 Created"})
    assert (ci.pipelines[0]["source"], ci.pipelines[0]["ref"]) == ("schedule", "topic")
    cast.owner.post(f"{ci.path}/protected_branches", name="topic")
    refused = cast.inherited.post(f"{here}/play")
    assert refused.json == {"message": {"base": ["Insufficient permissions for protected ref 'topic'"]}}


def test_a_schedule_that_never_comes_again_is_switched_off(cast, ci, schedule, tick):
    schedule_id = schedule()
    cast.run("UPDATE pipeline_schedules SET cron = '0 0 31 2 *' WHERE id = :id", id=schedule_id)
    tick(schedule_id)
    assert not cast.owner.get(f"{ci.path}/pipeline_schedules/{schedule_id}").json["active"]
    assert tick() == []
