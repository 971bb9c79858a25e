"""The rules of statuses and stages against oracles that spell them out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mujina.ci.jobs.states import JobState, advance, may_start
from mujina.code.pipelines.statuses import combine

STATUSES = ["created", "pending", "running", "success", "failed", "canceled", "skipped", "manual"]
OVER = ("success", "failed", "canceled", "skipped")
WHENS = ["on_success", "on_failure", "always", "manual"]


def counted_status(parts):
    """The ten rules as counts, in their order."""
    kept = [status for status, may_fail in parts if not (may_fail and status in ("failed", "canceled", "manual"))]
    warnings = any(may_fail and status in ("failed", "canceled") for status, may_fail in parts)

    def n(*statuses):
        return sum(status in statuses for status in kept)

    total = len(kept)
    rules = [
        (total == n("skipped") and warnings, "success"),
        (total == n("skipped"), "skipped"),
        (total == n("success"), "success"),
        (total == n("created"), "created"),
        (total == n("success", "skipped"), "success"),
        (total == n("success", "skipped", "canceled"), "canceled"),
        (total == n("created", "skipped", "pending"), "pending"),
        (n("running", "pending") > 0, "running"),
        (n("manual") > 0, "manual"),
        (n("created") > 0, "running"),
        (True, "failed"),
    ]
    return next(status for holds, status in rules if holds)


@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.booleans()), max_size=6))
def test_the_status_of_a_pipeline_follows_the_ten_rules(parts):
    assert combine(set(parts)) == counted_status(parts)


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([], "skipped"),
        ([("failed", True)], "success"),
        ([("manual", True)], "skipped"),
        ([("success", False), ("failed", True)], "success"),
        ([("success", False), ("manual", False), ("created", False)], "manual"),
        ([("failed", False), ("created", False)], "running"),
        ([("success", False), ("scheduled", False), ("created", False)], "scheduled"),
    ],
)
def test_statuses_that_are_easily_mistaken(parts, status):
    assert combine(set(parts)) == status


def job(id, stage, status="created", when="on_success", may_fail=False, needs=None):
    listed = None if needs is None else json.dumps([f"job {needed}" for needed in needs])
    return JobState(
        id=id, name=f"job {id}", stage_index=stage, status=status, run_when=when, allow_failure=may_fail, needs=listed
    )


def moved_by_oracle(jobs):
    """One job at a time, always the first that may move, until none may."""
    states = {each.id: each.status for each in jobs}

    def outcome(each):
        if each.needs is None:
            before = [(states[o.id], o.allow_failure) for o in jobs if o.stage_index < each.stage_index]
            return counted_status(before) if before else "success"
        wanted = json.loads(each.needs)
        needed = [(states[o.id], o.allow_failure) for o in jobs if o.name in wanted]
        if any(status not in OVER for status, _ in needed):
            return "waiting"
        if any(status == "skipped" for status, _ in needed):
            return "skipped"
        return counted_status(needed) if needed else "success"

    def target(each):
        came_to = outcome(each)
        if came_to not in OVER:
            return "created"
        skipped_is_fine = each.needs is None
        starts = {
            "on_success": came_to == "success" or (came_to == "skipped" and skipped_is_fine),
            "manual": came_to == "success" or (came_to == "skipped" and skipped_is_fine),
            "on_failure": came_to == "failed",
            "always": came_to in ("success", "failed", "skipped"),
        }[each.run_when]
        return ("manual" if each.run_when == "manual" else "pending") if starts else "skipped"

    while True:
        for each in sorted(jobs, key=lambda each: (each.stage_index, each.id)):
            if states[each.id] == "created" and (new := target(each)) != "created":
                states[each.id] = new
                break
        else:
            return {each.id: states[each.id] for each in jobs if states[each.id] != each.status}


@st.composite
def pipelines(draw):
    count = draw(st.integers(1, 8))
    jobs = []
    for id in range(1, count + 1):
        needs = None
        if id > 1 and draw(st.integers(0, 3)) == 0:
            needs = draw(st.lists(st.integers(1, id - 1), max_size=3, unique=True))
        lowest = 0 if needs is None else max((jobs[each - 1].stage_index for each in needs), default=0)
        jobs.append(
            job(
                id, draw(st.integers(lowest, 4)), draw(st.sampled_from([*STATUSES, "created", "created"])),
                draw(st.sampled_from(WHENS)), draw(st.booleans()), needs,
            )
        )  # fmt: skip
    return draw(st.permutations(jobs))


@given(pipelines())
def test_the_jobs_that_start_are_those_of_the_oracle(jobs):
    assert advance(jobs) == moved_by_oracle(jobs)


@given(pipelines())
def test_jobs_are_read_whenever_one_of_them_may_move(jobs):
    without_needs = [each for each in jobs if each.needs is None]
    parts = [(each.stage_index, each.status, each.allow_failure) for each in without_needs]
    assert may_start(parts) or not advance(without_needs)


def test_a_chain_of_skipped_jobs_is_skipped_at_once():
    jobs = [job(1, 0, "failed"), *(job(n, n) for n in range(2, 500))]
    assert set(advance(jobs).values()) == {"skipped"}


def test_a_long_chain_of_needs_is_decided_in_whatever_order_the_file_has_it():
    jobs = [job(n, 0, needs=[n + 1]) for n in range(1, 1000)] + [job(1000, 0, "failed")]
    assert advance(jobs) == dict.fromkeys(range(1, 1000), "skipped")


def test_jobs_that_need_each_other_wait():
    assert advance([job(1, 0, needs=[2]), job(2, 0, needs=[1]), job(3, 0, needs=[])]) == {3: "pending"}


@pytest.mark.parametrize(
    ("before", "when", "becomes"),
    [
        ("success", "on_success", "pending"), ("success", "always", "pending"), ("success", "manual", "manual"),
        ("success", "on_failure", "skipped"), ("success", "delayed", "scheduled"),
        ("skipped", "on_success", "pending"), ("skipped", "on_failure", "skipped"),
        ("failed", "on_success", "skipped"), ("failed", "on_failure", "pending"), ("failed", "always", "pending"),
        ("failed", "manual", "skipped"), ("canceled", "always", "skipped"), ("canceled", "on_failure", "skipped"),
        ("running", "on_success", None), ("pending", "always", None), ("manual", "on_success", None),
    ],
)  # fmt: skip
def test_what_a_stage_does_after_another(before, when, becomes):
    assert advance([job(1, 0, before), job(2, 1, when=when)]).get(2) == becomes
