"""Mail that is interrupted, and mail to many."""

import pytest

from mujina.integrations.notifications import tasks

NOW = "UPDATE jobs SET ready_at = '2020-01-01T00:00:00.000Z' WHERE task LIKE 'notifications.%'"


@pytest.fixture
def watchers(post):
    cast = post.cast
    everyone = (cast.owner, cast.master, cast.developer, cast.guest, cast.inherited, cast.shared)
    for person in everyone:
        person.put(f"{post.here}/notification_settings", level="watch")
    return {person.name for person in everyone}


def test_many_watchers_are_handled_in_steps_and_batches(post, watchers, monkeypatch):
    monkeypatch.setattr(tasks, "STEP", 2)
    monkeypatch.setattr(tasks, "BATCH", 1)
    post.cast.reporter.post(f"{post.here}/issues", title="Fire", description="@developer")
    assert post.taken().keys() == watchers
    assert (post.receiver.connections, post.cast.value("SELECT count(*) FROM notifications")) == (6, 0)
    monkeypatch.undo()
    post.cast.reporter.post(f"{post.here}/issues", title="Fire")
    assert post.taken().keys() == watchers
    assert post.receiver.connections == 7


@pytest.mark.commits
def test_a_job_that_runs_again_repeats_nothing(post, watchers):
    """As after a crash: the jobs of an event run again, before, while and after its mail is sent."""
    cast, receiver = post.cast, post.receiver
    # the server takes two, postpones one, and takes the others
    receiver.replies = ["250 OK", "250 OK", "451 Later"]
    cast.reporter.post(f"{post.here}/issues", title="Fire")
    first = post.taken()
    assert (len(first), post.cast.value("SELECT count(*) FROM notifications")) == (5, 1)
    event_id = post.cast.value("SELECT max(id) FROM events WHERE kind = 'issue.created'")
    post.enqueue("notifications.fan_out", event_id)
    assert post.taken() == {}
    post.run(NOW)
    second = post.taken()
    assert first.keys() | second.keys() == watchers
    assert first.keys() & second.keys() == set()
    post.enqueue("notifications.fan_out", event_id)
    post.enqueue("notifications.deliver", f"{event_id}:0:1000000")
    assert post.taken() == {}


@pytest.mark.commits
def test_a_server_that_is_down_delays_the_mail_and_not_the_request(post, watchers):
    post.receiver.replies = ["421 Closing"]
    assert post.cast.reporter.post(f"{post.here}/issues", title="Fire").status == 201
    missing = watchers - post.taken().keys()
    assert missing
    post.run(NOW)
    assert post.taken().keys() == missing


def test_a_recipient_whom_the_server_rejects_gets_nothing_and_stops_no_other(post, watchers):
    post.receiver.unknown = {"developer@example.org"}
    strange = 'ä,"b<c\\@ö.example.org'
    post.run("UPDATE users SET email = :email WHERE id = :id", id=post.cast.master.id, email=strange)
    post.cast.reporter.post(f"{post.here}/issues", title="Fire")
    assert post.taken().keys() == watchers - {"developer", "master"}
    assert post.cast.value("SELECT count(*) FROM notifications") == 0
