"""Times and days are read as programs print them."""

import time
from contextlib import contextmanager
from datetime import timedelta

import pytest

from mujina.kernel import clock
from mujina.kernel.db.clock_recovery import recover_clock, waited_for
from mujina.kernel.http.params import BadValue, read_timestamp
from mujina.kernel.jobs.processes import _fold
from mujina.kernel.jobs.queue import enqueue
from mujina.migrations.metadata import tables
from mujina.product import PRODUCT

TEN = "2018-01-02T10:00:00.000Z"


@pytest.mark.parametrize(
    "text",
    [
        "2018-01-02T10:00:00Z", "2018-01-02T10:00:00.000999Z", "2018-01-02 10:00", "20180102T100000Z",
        "2018-01-02T15:30:00+05:30", "2018-01-02 10:00:00 UTC", "2018-01-02 11:00:00 +0100",
        "Tue, 02 Jan 2018 10:00:00 GMT", "Tue, 02 Jan 2018 05:00:00 -0500", "Tuesday, 02-Jan-18 10:00:00 GMT",
        "Tue Jan  2 10:00:00 2018", "2018-1-2T10:00:00Z", "2018/01/02 10:00", "2018/1/2 11:00:00 +0100",
        "Jan 2 2018 10:00", "2 January 2018 10:00:00 UTC", "Tue, Jan 2, 2018 11:00:00 +0100", "2018-Jan-02 10:00:00",
        "02-Jan-2018 10:00", "2018-Jan-2 11:00:00 +0100", "20180102T110000+0100",
    ],
)  # fmt: skip
def test_an_instant_has_many_forms(text):
    assert clock.read_instant(text) == TEN


@pytest.mark.parametrize(
    "text",
    [
        "2018-01-02", "2018-01-02T00:30:00+05:30", "2018-01-02 23:30:00 -0800", "20180102", "2018-1-2", "2018/01/02",
        "Jan 2 2018", "2 Jan 2018", "January 2, 2018", "2018-Jan-02", "02-Jan-2018", "2-jan-18", "Tuesday, 2 January 2018",
        "Tue Jan 2 2018", "Tue, 02 Jan 2018 23:30:00 -0800",
    ],
)  # fmt: skip
def test_a_day_is_the_one_that_is_written(text):
    assert clock.read_day(text) == "2018-01-02"


@pytest.mark.parametrize(
    "text",
    [
        "", "0", "soon", "UTC", "2018-02-30", "2018-01-02T05:30:00 05:30", "Tue Jan 02 2018 10:00:00 GMT+0100 (CET)",
        "Tue, 02 Jan 2018 10:00:00 here", "1 Jan 99999999999 1:01", "Fri, 31 Dec 9999 23:59:59 -2300",
        "0001-01-01T00:00:00+14:00", "2018-13-1", "2018/2/30", "2018-1/2", "2018-1-222", "18-1-2", "2018/1/2/3",
        "Feb 30 2018", "31-Apr-2018", "2018-Feb-30", "Jan 2018", "2 Jan", "January", "2 1 2018", "1/2/2018", "2018-Jan-2018",
        "12018-Jan-02", "Janitor 2 2018", "2 Jan 2018 3", "2 Jan 2018 here", "Jan 2 2018 25:00",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(BadValue):
        read_timestamp(text)


HOUR = 3_600


@pytest.fixture
def set_back(monkeypatch):
    """Set the system's clock back by an hour."""
    real = time.time

    def jump():
        monkeypatch.setattr(clock, "time", lambda: real() - HOUR)

    return jump


def test_it_does_not_run_backwards_when_the_systems_clock_is_set_back(set_back):
    before = clock.timestamp()
    set_back()
    after = [clock.timestamp() for _ in range(3)]
    assert after == sorted(after)
    assert before <= after[0] < before + 60
    time.sleep(0.02)
    assert clock.timestamp() > after[-1], "it stands still"


def test_it_agrees_with_the_systems_clock_once_that_is_ahead(monkeypatch):
    real = time.time
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "time", lambda: real() + 0.05)
        before = real()
        assert clock.timestamp() >= before + 0.05
    time.sleep(0.11)
    before, shown, after = real(), clock.timestamp(), real()
    assert before <= shown <= after


def test_no_row_is_changed_before_it_was_created(cast, set_back):
    issue = cast.owner.post(f"/projects/{cast.private.id}/issues", title="before").json
    set_back()
    changed = cast.owner.put(f"/projects/{cast.private.id}/issues/{issue['iid']}", title="after").json
    assert changed["updated_at"] >= changed["created_at"] == issue["created_at"]
    later = cast.owner.post(f"/projects/{cast.private.id}/issues", title="later").json
    assert later["created_at"] >= issue["created_at"]


def test_a_process_that_starts_after_the_clock_was_set_back_is_not_behind_the_newest_event(
    cast, loop, database, monkeypatch
):
    cast.owner.post(f"/projects/{cast.private.id}/issues", title="before")
    newest = clock.timestamp()
    real = time.time
    monkeypatch.setattr(clock, "time", lambda: real() - HOUR)
    monkeypatch.setattr(clock, "_latest", newest - HOUR)
    loop.run_until_complete(recover_clock(database, PRODUCT))
    assert newest - 60 < clock.timestamp() < newest + 60


@pytest.mark.commits
def test_no_job_waits_for_a_clock_that_was_days_ahead_before_the_process_started(cast, loop, database, ahead):
    async def enqueue_job():
        async with database.transaction() as tx:
            await enqueue(tx, "mails.deliver", 7, after=timedelta(minutes=2))

    async def next_job_at():
        async with database.reading() as tx:
            return await tx.value("SELECT max(ready_at) FROM jobs")

    right = clock.timestamp()
    with ahead(3 * 24 * HOUR):
        cast.owner.post(f"/projects/{cast.private.id}/issues", title="ahead")
        loop.run_until_complete(enqueue_job())
    assert clock.seconds_until(loop.run_until_complete(next_job_at())) > 2 * 24 * HOUR
    loop.run_until_complete(recover_clock(database, PRODUCT))
    assert clock.seconds_until(loop.run_until_complete(next_job_at())) <= 0
    assert clock.timestamp() < right + HOUR


@pytest.fixture
def ahead(monkeypatch):
    """Inside, the clock is ahead by these seconds; afterward it is right again, as after a restart."""

    @contextmanager
    def ahead(seconds):
        real, right = time.time, clock.timestamp()
        with monkeypatch.context() as patched:
            patched.setattr(clock, "_latest", right)
            patched.setattr(clock, "time", lambda: real() + seconds)
            yield

    return ahead


def test_a_sign_of_life_tells_that_the_clock_was_ahead_though_no_event_does(cast, loop, database, ahead):
    async def begin():
        async with database.transaction() as tx:
            await _fold(tx, ["a process that is gone"])
            await enqueue(tx, "mails.deliver", 7)

    async def next_job_at():
        async with database.reading() as tx:
            return await tx.value("SELECT max(ready_at) FROM jobs")

    with ahead(3 * 24 * HOUR):
        loop.run_until_complete(begin())
    loop.run_until_complete(recover_clock(database, PRODUCT))
    assert clock.seconds_until(loop.run_until_complete(next_job_at())) <= 0


def test_mails_that_were_sent_with_a_wrong_clock_do_not_count_until_that_time_comes(cast, ahead):
    def invite():
        invited = cast.owner.post(f"/projects/{cast.private.id}/invitations", email="new@mujina.test", access_level=10)
        cast.owner.delete(f"/projects/{cast.private.id}/invitations/new@mujina.test")
        return invited.json["status"]

    with ahead(3 * 24 * HOUR):
        assert [invite() for _ in range(6)] == ["success"] * 5 + ["error"]
    assert invite() == "success"


NOT_BEFORE = {"ready_at", "again_at", "due_at"}
HAS_COME = {("pipeline_schedules", "due_at")}
"""The last time that a schedule was due: a pipeline is started for it at once."""


def test_nothing_waits_for_a_time_that_a_start_does_not_correct():
    declared = {(table.name, column.name) for table in tables().sorted_tables for column in table.columns}
    waiting = {each for each in declared if each[1] in NOT_BEFORE or each[1].endswith("_until")} - HAS_COME
    assert waiting
    assert waiting <= set(waited_for(PRODUCT)) <= declared
