"""Runners that ask at the same time."""

import asyncio

import pytest

from tests.harness.client import Raw


@pytest.mark.commits
def test_racing_runners_get_every_job_once(cast, new_runner, new_jobs, thorough):
    count, racers = (4_002, 16) if thorough else (30, 6)
    places = [cast.private, cast.internal, cast.public]
    waiting = [
        job
        for place in places
        for job in new_jobs(
            *({"name": f"job {number}"} for number in range(count // len(places))), project=place
        ).values()
    ]
    runners = [new_runner(cast.private if number % 3 == 0 else None) for number in range(racers)]
    for place in places[1:]:
        for runner in runners[::3]:
            assert cast.root.post(f"/projects/{place.id}/runners", runner_id=runner.id).status == 201

    async def work(runner):
        taken, idle = [], 0
        while idle < 3:
            answer = await cast.anonymous.exchange("POST", "/jobs/request", Raw(), {"token": runner.token})
            assert answer.status in (201, 204, 409), answer
            taken += [answer.json["id"]] if answer.status == 201 else []
            idle = idle + 1 if answer.status == 204 else 0
        return taken

    async def race():
        return await asyncio.gather(*map(work, runners))

    taken = [job for each in cast.anonymous.loop.run_until_complete(race()) for job in each]
    assert sorted(taken) == sorted(waiting)
    assert cast.rows("SELECT DISTINCT status FROM pipeline_jobs") == [("running",)]
