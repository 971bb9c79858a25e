"""No mail to those who may no longer see what it is about."""

import pytest

from mujina.settings import Settings


@pytest.mark.parametrize("handed_out", [False, True])
def test_rights_lost_between_the_event_and_the_mail(post, handed_out):
    """Lost before the recipients are known, or while the mail server does not take their mail."""
    cast, here = post.cast, post.here
    people, confidential, deleted = (post.issue("owner") for _ in range(3))
    with post.held_back() as waiting:
        mentioned = "@guest @developer @shared @inherited @reporter @master"
        waiting.owner.post(f"{people}/notes", body=mentioned)
        waiting.owner.post(f"{confidential}/notes", body="@read_user @guest")
        waiting.owner.post(f"{deleted}/notes", body="@master")
        if handed_out:
            post.receiver.replies = ["451 Later"] * 9
            post.run()
            assert (post.taken(), post.cast.value("SELECT count(*) FROM notifications")) == ({}, 9)
        losses = [
            waiting.root.delete(f"{here}/members/{cast.guest.id}"),
            waiting.root.post(f"/users/{cast.developer.id}/block"),
            waiting.shared.post(f"{people}/unsubscribe"),
            waiting.inherited.put("/notification_settings", level="disabled"),
            waiting.owner.put(confidential, confidential=True),
            waiting.owner.delete(deleted),
        ]
        assert all(answer.status < 300 for answer in losses), losses
        post.receiver.replies.clear()
        post.run("UPDATE jobs SET ready_at = '2020-01-01T00:00:00.000Z' WHERE last_error IS NOT NULL")
    assert post.taken().keys() == {"reporter", "master", "read_user"}
    assert post.cast.value("SELECT count(*) FROM notifications") == 0


def test_confidential_issues_are_for_those_who_may_read_them(post):
    cast, here = post.cast, post.here
    for person in (cast.guest, cast.reporter, cast.inherited, cast.shared):
        person.put(f"{here}/notification_settings", level="watch")
    cast.stranger.put(f"/projects/{cast.public.id}/notification_settings", level="watch")
    issue = cast.developer.post(
        f"{here}/issues", title="Secret", description="@guest @stranger @left", confidential=True
    ).json["iid"]
    assert post.taken().keys() == {"reporter", "inherited", "shared"}
    cast.developer.post(f"{here}/issues/{issue}/notes", body="@guest @stranger @expired @external")
    assert post.taken().keys() == {"reporter", "inherited", "shared"}
    cast.developer.put(f"{here}/issues/{issue}", assignee_ids=[cast.guest.id])
    assert post.taken().keys() == {"guest", "reporter", "inherited", "shared"}
    cast.reporter.post(f"/projects/{cast.public.id}/issues", title="Open")
    assert post.taken().keys() == {"stranger"}


def test_a_deleted_comment_is_not_mailed(post):
    issue = post.issue(description="@guest")
    with post.held_back() as cast:
        note = cast.owner.post(f"{issue}/notes", body="@guest, my password is …").json["id"]
        cast.owner.delete(f"{issue}/notes/{note}")
    assert post.taken() == {}


def test_without_a_mail_server_nothing_is_enqueued(cast):
    cast.owner.post(f"/projects/{cast.private.id}/issues", title="Fire", assignee_ids=[cast.guest.id])
    assert cast.value("SELECT count(*) FROM jobs WHERE task LIKE 'notifications.%'") == 0


def test_an_event_costs_its_request_one_statement(post, cast, database):
    def statements(person):
        before = database.statements
        assert person.post(f"{post.here}/issues", title="Fire", assignee_ids=[cast.guest.id]).status == 201
        return database.statements - before

    with post.held_back() as waiting:
        with_mail = statements(waiting.owner)
    post.taken()
    database.settings = Settings()
    assert with_mail == statements(waiting.owner) + 1
