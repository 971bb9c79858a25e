from datetime import timedelta

from mujina.kernel.jobs.queue import enqueue
from tests.harness.composed import TASKS
from tests.harness.creation import drain, make_group

TASK = "members.forget_expired"


def test_the_job_deletes_expired_rows_only(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    assert len(cast.reporter.put(issue, assignee_ids=[cast.expired.id, cast.guest.id]).json["assignees"]) == 2
    assert len(cast.expired.get("/todos").json) == 1
    for person, day in ((cast.stranger, "2018-01-01"), (cast.guest, "2999-01-01")):
        cast.owner.post(f"/groups/{cast.team.id}/members", user_id=person.id, access_level=30, expires_at=day)
    before = cast.rows("SELECT count(*) FROM members")[0][0]
    cast.transact(lambda tx: enqueue(tx, TASK, ""))
    drain(cast)
    gone = 1 + 3  # the stranger, and the one who expired yesterday in each project
    assert cast.rows("SELECT count(*) FROM members") == [(before - gone,)]
    assert cast.rows("SELECT user_id FROM members WHERE user_id IN :ids", ids=[cast.stranger.id, cast.expired.id]) == []
    assert cast.rows("SELECT count(*) FROM project_shares") == [(3,)]
    # Assignments and todos end as for a member who is removed.
    assert [person["id"] for person in cast.reporter.get(issue).json["assignees"]] == [cast.guest.id]
    assert cast.expired.get("/todos").json == []


def test_the_last_owner_of_a_group_stays_listed_without_access(cast):
    """Old data may have one whose access has ended; of several, one stays."""
    group = make_group(cast.owner, "orphan", name="Orphan")["id"]
    cast.owner.post(f"/groups/{group}/members", user_id=cast.developer.id, access_level=50)
    cast.owner.post(f"/groups/{group}/members", user_id=cast.guest.id, access_level=30)
    owners = "SELECT user_id FROM members WHERE source_kind = 'group' AND source_id = :group"

    async def expire(tx):
        await tx.run(
            "UPDATE members SET expires_on = '2018-01-01' WHERE source_kind = 'group' AND source_id = :id", id=group
        )
        await enqueue(tx, TASK, "")

    cast.transact(expire)
    drain(cast)
    assert cast.rows(owners, group=group) == [(max(cast.owner.id, cast.developer.id),)]
    assert [person.get(f"/groups/{group}").status for person in (cast.owner, cast.developer)] == [404, 404]


def test_the_job_runs_every_day():
    [task] = [task for task in TASKS if task.name == TASK]
    assert task.every == timedelta(days=1)
