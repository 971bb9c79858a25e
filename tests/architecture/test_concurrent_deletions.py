"""Of two requests that delete the same thing at once, one does: neither fails, and one event tells of it."""

import asyncio

import pytest

from tests.architecture import samples
from tests.harness.client import Raw
from tests.harness.composed import ROUTES
from tests.harness.permission_world import fill

DELETIONS = sorted(
    (route for route in ROUTES if route.verb == "DELETE"),
    # What is below something goes before it, and the credential that all requests show goes last.
    key=lambda route: (route.path.endswith("/self"), -len(route.segments), route.path),
)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)  # SQLite has one writer at a time
def test_what_two_requests_delete_at_once_is_deleted_once(stage):
    with stage.committed_world() as (cast, ids):
        failures, done = {}, 0
        for route in DELETIONS:
            before = cast.value("SELECT max(id) FROM events")
            answers = delete_twice(cast, route, ids)
            told = cast.rows(
                """SELECT kind, subject_id, count(*) FROM events WHERE id > :before
                   GROUP BY kind, subject_id, project_id, group_id, changes HAVING count(*) > 1""",
                before=before,
            )
            statuses = sorted(answer.status for answer in answers)
            done += statuses[0] < 300
            if told or statuses[-1] >= 500:
                failures[route.path] = (statuses, told)
    assert failures == {}
    assert done > len(DELETIONS) / 2


def delete_twice(cast, route, ids):
    path, params = fill(route.path, ids, route.verb), samples.params(route, cast.names, ids)
    for verb, earlier_path, earlier_params in samples.BEFORE.get(f"{route.verb} {route.path}", []):
        cast.root.ask(verb, fill(earlier_path, ids), params=earlier_params)

    async def at_once():
        raw = samples.BODIES.get(f"{route.verb} {route.path}", Raw())
        return await asyncio.gather(*(cast.root.exchange(route.verb, path, raw, params) for _ in range(2)))

    return cast.root.loop.run_until_complete(at_once())
