"""A real SMTP server takes our mail."""

import stat

import pytest

from mujina.accounts.mails.operations import enqueue_mail
from mujina.app import build, build_services
from mujina.cli.commands.application import app as command_line
from mujina.kernel.jobs.failures import failed_jobs
from mujina.kernel.jobs.queue import enqueue
from mujina.settings import Settings
from tests.accounts.mails.conftest import link
from tests.harness.client import Client
from tests.harness.smtp import smtp_receiver
from tests.harness.visitor import Visitor


@pytest.fixture
def receiver(loop, database):
    without_mail = database.settings
    with smtp_receiver(loop) as receiver:
        yield receiver
    database.settings = without_mail


def instance(stage, database, loop, receiver):
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        smtp_url=f"smtp://127.0.0.1:{receiver.port}", mail_from="Forge <forge@example.org>",
    )  # fmt: skip
    return Client(build(build_services(settings, database)), loop)


def ask(client, email="reporter@example.org"):
    visitor = Visitor(client)
    visitor.open("/users/password/new")
    return visitor.send("/users/password", user={"email": email})


def test_a_server_gets_the_mail(stage, known, database, loop, receiver):
    ask(instance(stage, database, loop, receiver))
    (envelope,) = receiver.mails
    assert (envelope.mail_from, envelope.rcpt_tos) == ("forge@example.org", ["reporter@example.org"])
    assert b"Subject: Choose a new password" in envelope.content


@pytest.mark.commits
def test_a_mail_the_server_did_not_take_waits_and_is_sent_later(stage, known, database, loop, receiver):
    receiver.replies = ["451 Try again later"]
    client = instance(stage, database, loop, receiver)
    assert ask(client).status == 303
    assert receiver.mails == []
    known.run("UPDATE jobs SET ready_at = '2020-01-01T00:00:00.000Z' WHERE task = 'mails.deliver'")
    assert known.value("SELECT count(*) FROM mails") == 1
    ask(client)
    assert len(receiver.mails) == 1


def test_a_mail_that_the_server_rejects_is_given_up(stage, known, database, loop, receiver):
    receiver.unknown = {"reporter@example.org", "invited@example.org"}
    here = f"/projects/{known.private.id}/invitations"
    assert known.owner.post(here, email="invited@example.org", access_level=20).status == 201

    async def prepare(tx):
        addresses = ("reporter@example.org", "more@example.org")
        await enqueue_mail(tx, known.reporter.id, "password_changed", *addresses)
        await enqueue(tx, "invitations.deliver", await tx.value("SELECT max(id) FROM invitations"))

    known.transact(prepare)
    ask(instance(stage, database, loop, receiver), "nobody@example.org")
    # It holds up no other mail, and operators see the jobs.
    assert [envelope.rcpt_tos for envelope in receiver.mails] == [["more@example.org"]]
    jobs = known.transact(failed_jobs)
    assert {job.task for job in jobs} == {"mails.deliver", "invitations.deliver"}
    assert known.value("SELECT count(*) FROM mails") == 0
    for job in jobs:
        assert (job.attempts, job.parked_at is not None, "550" in job.last_error) == (1, True, True)


def test_kept_mails_are_for_the_operator_alone(known, box, visitor, capsys):
    known.reporter.post("/user/emails", email="more@example.org")
    (file,) = (box.data / "mails").glob("*.eml")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    command_line(["mail", "list", "--data", str(box.data)], exit_on_error=False, result_action="return_value")
    assert "more@example.org" in capsys.readouterr().out
    command_line(["mail", "show", "--data", str(box.data)], exit_on_error=False, result_action="return_value")
    assert link(box.mails[0]) in capsys.readouterr().out
