"""Mail about pipelines: to the user who started them."""

from mujina.ci.jobs import operations as jobs


def test_who_started_a_pipeline_learns_of_its_failure_and_of_the_next_success(post):
    cast, here = post.cast, post.here

    def push(name, outcome):
        actions = [{"action": "create", "file_path": name, "content": "test: {script: make}"}]
        made = cast.master.post(f"{here}/repository/commits", branch="master", commit_message="Build", actions=actions)
        assert made.status == 201, made
        job = cast.master.get(f"{here}/jobs").json[0]["id"]
        cast.transact(lambda tx: jobs.finish(tx, job, outcome, "script_failure" if outcome == "failed" else None))
        post.run()
        return {name: (mail["Subject"], mail["X-Mujina-NotificationReason"]) for name, mail in post.taken().items()}

    failed = push(".gitlab-ci.yml", "failed")
    assert list(failed) == ["master"]
    subject, reason = failed["master"]
    assert subject.startswith("private | Failed pipeline for master (")
    assert reason == "participating"
    assert push("a", "success")["master"][0].startswith("private | Fixed pipeline for master (")
    assert push("b", "success") == {}
    cast.master.put(f"{here}/notification_settings", level="custom", success_pipeline=True)
    assert push("c", "success")["master"][1] == "custom"
    cast.master.put(f"{here}/notification_settings", level="mention")
    assert push("d", "failed") == {}
