"""GET /projects/:id/pipelines and GET /projects/:id/pipelines/latest."""

import pytest

from mujina.code.pipelines.statuses import PartRow, coverage, duration


@pytest.fixture
def ids(ci):
    """A pipeline of each status that matters: of `master`, of `topic` by two users, and of the tag `v1`."""
    ci.cast.owner.put(ci.path, auto_cancel_pending_pipelines="disabled")
    ci.commit(branch="topic", a="b")
    assert ci.cast.inherited.post(f"{ci.path}/pipeline", ref="topic").status == 201
    assert ci.cast.owner.post(f"{ci.path}/repository/tags", tag_name="v1", ref="master").status == 201
    found = sorted(pipeline["id"] for pipeline in ci.pipelines)
    for pipeline, status in zip(found, ("success", "pending", "running", "failed"), strict=True):
        ci.cast.run("UPDATE pipelines SET status = :status WHERE id = :id", status=status, id=pipeline)
    return found


FILTERS = [
    ({}, [3, 2, 1, 0]), ({"sort": "asc"}, [0, 1, 2, 3]), ({"scope": "running"}, [2]), ({"scope": "pending"}, [1]),
    ({"scope": "finished"}, [3, 0]), ({"scope": "branches"}, [2, 0]), ({"scope": "tags"}, [3]),
    ({"status": "failed"}, [3]), ({"ref": "topic"}, [2, 1]), ({"source": "api"}, [2]), ({"username": "inherited"}, [2]),
    ({"username": "nobody"}, []), ({"yaml_errors": True}, []), ({"yaml_errors": False}, [3, 2, 1, 0]),
    ({"order_by": "status", "sort": "asc"}, [3, 1, 2, 0]), ({"order_by": "ref", "sort": "asc"}, [0, 1, 2, 3]),
    ({"created_after": "2018-01-01"}, [3, 2, 1, 0]), ({"created_before": "2018-01-01"}, []),
    ({"status": "canceling"}, []), ({"status": "waiting_for_callback"}, []), ({"source": "parent_pipeline"}, []),
]  # fmt: skip


def test_filters_and_orders(ci, ids):
    for query, expected in FILTERS:
        answer = ci.cast.owner.get(f"{ci.path}/pipelines", **query)
        assert [ids.index(each["id"]) for each in answer.json] == expected, query
        assert answer.headers["x-total"] == str(len(expected)), query
    name = ci.cast.inherited.get("/user").json["name"]
    assert [each["id"] for each in ci.cast.owner.get(f"{ci.path}/pipelines", name=name).json] == [ids[2]]
    by_user = ci.cast.owner.get(f"{ci.path}/pipelines", order_by="user_id").json
    assert sorted(each["id"] for each in by_user) == ids
    for wrong in ({"scope": "all"}, {"status": "done"}, {"order_by": "sha"}, {"sort": "up"}):
        assert ci.cast.owner.get(f"{ci.path}/pipelines", **wrong).status == 400, wrong


def test_the_fields_of_a_pipeline(ci):
    [listed] = ci.pipelines
    assert set(listed) == {
        "id", "iid", "project_id", "sha", "ref", "status", "source", "created_at", "updated_at", "web_url", "name",
    }  # fmt: skip
    shown = ci.cast.owner.get(f"{ci.path}/pipelines/{listed['id']}").json
    assert set(shown) == {*listed} | {
        "before_sha", "tag", "yaml_errors", "user", "started_at", "finished_at", "committed_at", "duration",
        "queued_duration", "coverage", "detailed_status",
    }  # fmt: skip
    assert (shown["before_sha"], shown["tag"], shown["committed_at"], shown["yaml_errors"]) == (
        "0" * 40,
        False,
        None,
        None,
    )
    assert ci.cast.owner.get(f"{ci.path}/pipelines/999999").json == {"message": "404 Pipeline Not Found"}


def test_the_latest_is_that_of_the_default_branch_or_of_a_ref(ci, ids):
    latest = {ref: ci.cast.owner.get(f"{ci.path}/pipelines/latest", **ref_of(ref)).json for ref in ("", "topic", "v1")}
    assert [ids.index(latest[ref]["id"]) for ref in ("", "topic", "v1")] == [0, 2, 3]
    missing = ci.cast.owner.get(f"{ci.path}/pipelines/latest", ref="none")
    assert (missing.status, missing.json) == (404, {"message": "404 Pipeline Not Found"})


def ref_of(name):
    return {"ref": name} if name else {}


def test_the_jobs_of_a_pipeline_by_their_statuses(ci):
    pipeline = ci.pipelines[0]["id"]
    here = f"{ci.path}/pipelines/{pipeline}/jobs"
    ci.finish("compile", "failed")
    ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('compile')['id']}/retry")

    def names(**query):
        return [job["name"] for job in ci.cast.owner.get(here, **query).json]

    assert names() == ["compile", "release", "lint", "rspec", "compile"], "the newest first, with those retried"
    assert (names(scope="failed"), names(scope=["failed", "pending"])) == (["compile"], ["compile", "compile"])
    assert names(scope=["preparing", "waiting_for_resource", "canceling"]) == []
    for path in (here, f"{ci.path}/jobs"):
        refused = ci.cast.owner.get(path, scope="unknown")
        assert (refused.status, refused.json) == (400, {"error": "scope does not have a valid value"})
    assert len(ci.cast.owner.get(f"{ci.path}/jobs").json) == 5


def test_jobs_follow_each_other_by_keyset(ci):
    every = [job["id"] for job in ci.cast.owner.get(f"{ci.path}/jobs").json]
    first = ci.cast.owner.get(f"{ci.path}/jobs", pagination="keyset", order_by="id", per_page=len(every) - 1)
    assert ("x-total" in first.headers, [job["id"] for job in first.json]) == (False, every[:-1])
    second = ci.cast.owner.get(first.headers["Link"].partition("/api/v4")[2].partition(">")[0])
    assert ([job["id"] for job in second.json], second.headers.get("Link")) == (every[-1:], None)


def part(started, finished, covered=None):
    at = "2018-01-01T00:{}:00.000Z"
    return PartRow(covered, started and at.format(started), finished and at.format(finished))


@pytest.mark.parametrize(
    ("parts", "seconds"),
    [
        ([], None), ([part(None, None)], None), ([part("01", None)], None), ([part("01", "03")], 120),
        ([part("01", "03"), part("02", "04")], 180), ([part("01", "02"), part("05", "06")], 120),
        ([part("01", "09"), part("02", "03"), part("08", "10")], 540),
    ],
)  # fmt: skip
def test_waiting_does_not_count_as_duration(parts, seconds):
    assert duration(parts) == seconds


def test_the_coverage_of_a_pipeline_is_the_mean_of_its_parts():
    assert coverage([part(None, None), part(None, None, 80.0), part(None, None, 85.25)]) == "82.62"
    assert coverage([part(None, None)]) is None
