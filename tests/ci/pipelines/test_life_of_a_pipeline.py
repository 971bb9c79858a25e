"""A pipeline from the push to its end: stages, failures, manual jobs, retries, cancellation."""

import pytest

from tests.ci.pipelines.conftest import add_members


def test_a_push_makes_a_pipeline_that_runs_stage_by_stage(ci):
    [pipeline] = ci.pipelines
    assert (pipeline["sha"], pipeline["ref"], pipeline["source"], pipeline["iid"]) == (ci.sha, "master", "push", 1)
    assert ci.statuses() == {"compile": "pending", "rspec": "created", "lint": "created", "release": "created"}
    assert ci.status() == "pending"
    ci.finish("compile")
    assert ci.statuses() == {"compile": "success", "rspec": "pending", "lint": "pending", "release": "created"}
    assert ci.status() == "running"
    ci.finish("rspec")
    ci.finish("lint", "failed", "script_failure")
    assert ci.statuses() == {"compile": "success", "rspec": "success", "lint": "failed", "release": "manual"}
    assert ci.status() == "success"
    ended = ci.cast.owner.get(f"{ci.path}/pipelines/{pipeline['id']}").json
    assert ended["finished_at"]
    assert ended["started_at"]
    assert ended["duration"] is not None
    assert ci.job("release")["pipeline"]["id"] == pipeline["id"]


def test_a_failure_skips_what_comes_after_it_and_a_retry_gives_it_another_chance(ci):
    ci.finish("compile", "failed", "no such reason")
    assert ci.statuses() == {"compile": "failed", "rspec": "skipped", "lint": "skipped", "release": "skipped"}
    assert (ci.status(), ci.job("compile")["failure_reason"]) == ("failed", "unknown_failure")
    failed = ci.job("compile")["id"]
    retried = ci.cast.owner.post(f"{ci.path}/jobs/{failed}/retry")
    assert (retried.status, retried.json["status"]) == (201, "pending")
    assert retried.json["id"] != failed
    assert ci.statuses() == {"compile": "pending", "rspec": "created", "lint": "created", "release": "created"}
    again = ci.cast.owner.post(f"{ci.path}/jobs/{failed}/retry")
    assert (again.status, again.json) == (403, {"message": "403 Forbidden - Job is not retryable"})
    ci.finish("compile")
    assert ci.statuses()["rspec"] == "pending"


def test_a_whole_pipeline_is_retried(ci):
    pipeline = ci.pipelines[0]["id"]
    ci.finish("compile", "failed")
    answer = ci.cast.owner.post(f"{ci.path}/pipelines/{pipeline}/retry")
    assert (answer.status, answer.json["status"]) == (201, "pending")
    assert [job["status"] for job in ci.jobs() if job["name"] == "compile"] == ["failed", "pending"]
    assert ci.cast.owner.post(f"{ci.path}/pipelines/{pipeline}/retry").status == 201
    assert len(ci.jobs()) == 5


def test_a_canceled_pipeline_cancels_its_jobs(ci):
    pipeline = ci.pipelines[0]["id"]
    answer = ci.cast.owner.post(f"{ci.path}/pipelines/{pipeline}/cancel")
    assert (answer.status, answer.json["status"]) == (200, "canceled")
    assert set(ci.statuses().values()) == {"canceled"}
    job = ci.job("compile")["id"]
    assert ci.cast.owner.post(f"{ci.path}/jobs/{job}/cancel").json["status"] == "canceled"
    assert not ci.finish("compile", start=False)
    assert ci.cast.owner.post(f"{ci.path}/pipelines/{pipeline}/retry").json["status"] == "pending"
    job = ci.start("compile")
    assert ci.cast.owner.post(f"{ci.path}/jobs/{job}/cancel").status == 201
    assert ci.statuses() == {"compile": "canceled", "rspec": "skipped", "lint": "skipped", "release": "skipped"}
    assert ci.status() == "canceled"


def test_a_manual_job_is_played(ci):
    for name in ("compile", "rspec", "lint"):
        ci.finish(name)
    job = ci.job("release")["id"]
    pending = ci.cast.owner.post(f"{ci.path}/jobs/{job}/play")
    assert (pending.status, pending.json["status"], pending.json["id"]) == (200, "pending", job)
    assert ci.status() == "running"
    again = ci.cast.owner.post(f"{ci.path}/jobs/{job}/play")
    assert (again.status, again.json) == (400, {"message": "400 Bad request - Unplayable Job"})
    ci.finish("release")
    assert ci.status() == "success"
    repeated = ci.cast.owner.post(f"{ci.path}/jobs/{job}/play")
    assert (repeated.status, repeated.json["status"]) == (200, "pending")
    assert repeated.json["id"] != job


def test_a_manual_job_that_may_not_fail_holds_the_pipeline(ci):
    ci.file("""
        stages: [a, b]
        gate: {stage: a, script: x, when: manual, allow_failure: false}
        after: {stage: b, script: y}
    """)
    assert (ci.statuses(), ci.status()) == ({"gate": "manual", "after": "created"}, "manual")
    ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('gate')['id']}/play")
    ci.finish("gate")
    assert ci.statuses() == {"gate": "success", "after": "pending"}


def test_a_failed_job_is_repeated_as_often_as_its_file_says(ci):
    ci.file("flaky: {script: x, retry: 2}")
    for _ in range(3):
        ci.finish("flaky", "failed", "script_failure")
    assert [job["status"] for job in ci.jobs()] == ["failed", "failed", "failed"]
    assert ci.status() == "failed"
    ci.file("flaky: {script: x, retry: {max: 1, when: runner_system_failure}}")
    ci.finish("flaky", "failed", "script_failure")
    assert [job["status"] for job in ci.jobs()] == ["failed"]


def test_exit_codes_that_are_tolerated(ci):
    ci.file("odd: {script: x, allow_failure: {exit_codes: [7]}}")
    ci.finish("odd", "failed", "script_failure", exit_code=7)
    assert (ci.statuses(), ci.status()) == ({"odd": "failed"}, "success")
    again = ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('odd')['id']}/retry").json
    assert again["allow_failure"] is False
    ci.finish("odd", "failed", "script_failure", exit_code=1)
    assert (ci.job("odd")["allow_failure"], ci.status()) == (False, "failed")


def test_a_job_that_may_fail_may_fail_again(ci):
    ci.file("odd: {script: x, allow_failure: true}")
    ci.finish("odd", "failed", "script_failure", exit_code=1)
    again = ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('odd')['id']}/retry").json
    assert again["allow_failure"] is True


def test_needs_do_not_wait_for_the_stage(ci):
    ci.file("""
        stages: [a, b]
        quick: {stage: a, script: x}
        slow: {stage: a, script: y}
        next: {stage: b, script: z, needs: [quick]}
        free: {stage: b, script: z, needs: []}
        last: {stage: b, script: z}
    """)
    assert ci.statuses() == {
        "quick": "pending",
        "slow": "pending",
        "next": "created",
        "free": "pending",
        "last": "created",
    }
    ci.finish("quick")
    assert ci.statuses()["next"] == "pending"
    assert ci.statuses()["last"] == "created"


def test_a_delayed_job_waits(ci):
    ci.file("later: {script: x, when: delayed, start_in: 1 hour}")
    assert (ci.statuses(), ci.status()) == ({"later": "scheduled"}, "scheduled")
    assert ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('later')['id']}/play").json["status"] == "pending"


@pytest.mark.parametrize("message", ["no [ci skip]", "[SKIP-CI] later", "x [ci_skip]"])
def test_a_push_may_ask_to_be_skipped(ci, message):
    assert ci.file("a: {script: b}", message=message) == []
    assert ci.status() == "skipped"
    run = ci.cast.owner.post(f"{ci.path}/pipeline", ref="master")
    assert (run.status, run.json["status"]) == (201, "pending")


def test_an_invalid_file_makes_a_failed_pipeline(ci):
    assert ci.file("rspec: {stage: unknown, script: x}") == []
    shown = ci.cast.owner.get(f"{ci.path}/pipelines/{ci.pipelines[0]['id']}").json
    assert (shown["status"], shown["yaml_errors"]) == (
        "failed", "rspec job: stage parameter should be build, test, deploy",
    )  # fmt: skip
    assert [p["id"] for p in ci.cast.owner.get(f"{ci.path}/pipelines", yaml_errors=True).json] == [shown["id"]]


def test_complaints_about_the_file_are_for_those_who_read_it(ci):
    add_members(ci)
    ci.file("rspec: {stage: secret-stage, script: x}")
    address = f"{ci.path}/pipelines/{ci.pipelines[0]['id']}"
    told = {who: getattr(ci.cast, who).get(address).json["yaml_errors"] for who in ("guest", "reporter")}
    assert told == {
        "guest": "The CI file is invalid", "reporter": "rspec job: stage parameter should be build, test, deploy",
    }  # fmt: skip


def test_a_file_whose_jobs_need_what_the_pipeline_lacks_makes_a_failed_pipeline(ci):
    assert ci.file("a: {script: b, only: [tags]}\nc: {script: d, needs: [a]}") == []
    shown = ci.cast.owner.get(f"{ci.path}/pipelines/{ci.pipelines[0]['id']}").json
    assert (shown["status"], shown["yaml_errors"]) == (
        "failed", "'c' job needs 'a' job, but 'a' is not part of the pipeline",
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_file_that_is_too_large_makes_a_failed_pipeline(ci):
    assert ci.file("# " + "x" * 1_100_000) == []
    shown = ci.cast.owner.get(f"{ci.path}/pipelines/{ci.pipelines[0]['id']}").json
    assert (shown["status"], shown["yaml_errors"]) == ("failed", "The configuration file is larger than 1 MB")


MEGABYTE = 1024 * 1024


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("line", "status"), [("# a comment\n", "pending"), ("    - a command\n", "failed"), ("? {[\n", "failed")]
)
def test_a_file_of_a_megabyte_has_a_result(ci, line, status):
    """Comments, a script of too many lines, and brackets that are never closed."""
    begin = "a:\n  script:\n    - b\n"
    ci.file(begin + line * ((MEGABYTE - len(begin)) // len(line)))
    shown = ci.cast.owner.get(f"{ci.path}/pipelines/{ci.pipelines[0]['id']}").json
    assert (shown["status"], bool(shown["yaml_errors"])) == (status, status == "failed")


def test_a_newer_push_cancels_what_no_runner_has_begun(ci):
    first = ci.pipelines[0]["id"]
    ci.commit(a="b")
    assert (ci.status(first), ci.status()) == ("canceled", "pending")
    second = ci.pipelines[0]["id"]
    ci.start("compile")
    ci.commit(c="d")
    assert ci.status(second) == "running"
    assert ci.statuses(second)["compile"] == "running"


def test_a_tag_cancels_nothing_of_the_branch_of_its_name(ci):
    first = ci.pipelines[0]["id"]
    other = ci.commit(branch="other", a="b")
    assert ci.cast.owner.post(f"{ci.path}/repository/tags", tag_name="master", ref=other).status == 201
    assert (ci.pipelines[0]["ref"], ci.status(first)) == ("master", "pending")


def test_a_project_may_let_older_pipelines_run(ci):
    changed = ci.cast.owner.put(ci.path, auto_cancel_pending_pipelines="disabled")
    assert changed.json["auto_cancel_pending_pipelines"] == "disabled"
    first = ci.pipelines[0]["id"]
    ci.commit(a="b")
    assert (ci.status(first), ci.status()) == ("pending", "pending")


def test_the_ci_file_says_what_a_newer_commit_cancels(ci):
    jobs = "one: {script: a, interruptible: true}\ntwo: {script: a}\n"
    ci.file(f"workflow: {{auto_cancel: {{on_new_commit: none}}}}\n{jobs}")
    kept = ci.pipelines[0]["id"]
    ci.file(f"workflow: {{auto_cancel: {{on_new_commit: interruptible}}}}\n{jobs}")
    partly = ci.pipelines[0]["id"]
    ci.start("two")
    ci.file(f"workflow: {{name: '$CI_COMMIT_REF_NAME by $GITLAB_USER_LOGIN'}}\n{jobs}")
    assert set(ci.statuses(kept).values()) == {"pending"}
    assert ci.statuses(partly) == {"one": "canceled", "two": "running"}
    newest = ci.cast.owner.get(f"{ci.path}/pipelines/{ci.pipelines[0]['id']}").json
    assert newest["name"] == "master by owner"


def test_a_runner_that_has_a_job_is_shown_with_it(ci):
    runner = ci.cast.value(
        """INSERT INTO runners (runner_type, token_digest, description, created_at, updated_at)
           VALUES ('instance_type', 'x', 'A machine', '2020', '2020') RETURNING id"""
    )
    ci.cast.run("UPDATE pipeline_jobs SET runner_id = :id WHERE name = 'compile'", id=runner)
    shown = ci.job("compile")["runner"]
    assert (shown["id"], shown["description"], shown["is_shared"]) == (runner, "A machine", True)
    assert ci.job("rspec")["runner"] is None


def test_branches_and_tags_have_their_own(ci):
    ci.commit(branch="topic", a="b")
    assert ci.pipelines[0]["ref"] == "topic"
    ci.cast.owner.post(f"{ci.path}/repository/tags", tag_name="v1", ref="master")
    tagged = ci.pipelines[0]
    assert (tagged["ref"], tagged["sha"]) == ("v1", ci.sha)
    assert ci.cast.owner.get(f"{ci.path}/pipelines/{tagged['id']}").json["tag"]
    assert len(ci.pipelines) == 3
    ci.cast.owner.delete(f"{ci.path}/repository/branches/topic")
    assert len(ci.pipelines) == 3
    assert [p["ref"] for p in ci.cast.owner.get(f"{ci.path}/pipelines", scope="branches").json] == ["master"]
    assert [p["ref"] for p in ci.cast.owner.get(f"{ci.path}/pipelines", scope="tags").json] == ["v1"]


def test_without_jobs_there_is_no_pipeline(ci):
    ci.cast.owner.put(ci.path, jobs_enabled=False)
    ci.commit(a="b")
    assert len(ci.pipelines) == 1
    ci.cast.owner.put(ci.path, jobs_enabled=True)
    ci.commit(action="update", **{".gitlab-ci.yml": "a: {script: b, only: [tags]}"})
    assert len(ci.pipelines) == 1
    ci.commit(action="delete", **{".gitlab-ci.yml": ""})
    assert len(ci.pipelines) == 1


def test_a_push_that_is_handled_twice_makes_one_pipeline(ci):
    push = ci.cast.value("SELECT max(push_id) FROM pipelines")
    ci.cast.run(
        """INSERT INTO jobs (task, key, owner_id, enqueued, ready_at, created_at)
           VALUES ('pipelines.create_after_push', :key, 0, 1, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z')""",
        key=str(push),
    )
    ci.commit(branch="other", a="b")
    assert sorted(p["ref"] for p in ci.pipelines) == ["master", "other"]


def test_a_push_of_several_refs_makes_a_pipeline_for_each(ci):
    now = "2020-01-01T00:00:00.000Z"
    names = ["one", "two", "three"]
    for name in names:
        ci.cast.owner.post(f"{ci.path}/repository/branches", branch=name, ref="master")
    before = len(ci.pipelines)
    push = ci.cast.value(
        """INSERT INTO pushes (project_id, wiki, actor_id, protocol, created_at, recorded_at)
           VALUES (:project, FALSE, :actor, 'ssh', :now, :now) RETURNING id""",
        project=ci.id, actor=ci.cast.owner.id, now=now,
    )  # fmt: skip
    for ref, new in [*((f"refs/heads/{name}", ci.sha) for name in names), ("refs/heads/gone", "0" * 40)]:
        ci.cast.run(
            "INSERT INTO push_refs (push_id, ref, old_id, new_id) VALUES (:push, :ref, :old, :new)",
            push=push, ref=ref, old="0" * 40, new=new,
        )  # fmt: skip
    ci.cast.run(
        """INSERT INTO jobs (task, key, owner_id, enqueued, ready_at, created_at)
           VALUES ('pipelines.create_after_push', :key, 0, 1, :now, :now)""",
        key=str(push), now=now,
    )  # fmt: skip
    ci.commit(branch="other", a="b")
    made = [pipeline["ref"] for pipeline in ci.pipelines]
    assert len(made) - before == 4
    assert {*names, "other"} <= set(made[:4])


def test_a_push_of_many_refs_makes_some_pipelines_and_says_so(ci, monkeypatch, caplog):
    monkeypatch.setattr("mujina.ci.pipelines.tasks.MAX_REFS", 0)
    ci.commit(branch="one-too-many", a="b")
    assert [pipeline["ref"] for pipeline in ci.pipelines] == ["master"]
    assert "moved 1 refs: only 0 get a pipeline" in caplog.text


def test_a_push_by_force_makes_a_pipeline_of_what_the_branch_has_now(ci):
    ci.commit(a="b")
    ci.cast.owner.delete(f"{ci.path}/protected_branches/master")
    action = {"action": "create", "file_path": "c", "content": "d"}
    forced = ci.cast.owner.post(
        f"{ci.path}/repository/commits", branch="master", start_sha=ci.sha, force=True, commit_message="Anew",
        actions=[action],
    )  # fmt: skip
    assert forced.status == 201, forced
    newest = ci.pipelines[0]
    assert (newest["sha"], newest["source"], len(ci.pipelines)) == (forced.json["id"], "push", 3)


def test_a_guest_who_may_not_read_the_code_sees_jobs_without_their_commit(ci):
    add_members(ci)
    job = ci.jobs()[0]
    paths = (f"{ci.path}/jobs", f"{ci.path}/pipelines/{job['pipeline']['id']}/jobs", f"{ci.path}/jobs/{job['id']}")
    for path in paths:
        seen = {who: getattr(ci.cast, who).get(path).json for who in ("guest", "reporter")}
        commits = {who: (each[0] if isinstance(each, list) else each)["commit"] for who, each in seen.items()}
        assert commits["guest"] is None
        assert commits["reporter"]["id"] == job["pipeline"]["sha"]
