"""A real SMTP server takes our mail."""

import stat

import pytest

from mujina.app import build, build_services
from mujina.cli.main import app as command_line
from mujina.integrations.notifications.operations import register_mail
from mujina.settings import Settings
from tests.accounts.mails.conftest import link
from tests.harness.client import Client
from tests.harness.smtp import smtp_receiver
from tests.harness.visitor import Visitor


@pytest.fixture
def receiver(loop):
    with smtp_receiver(loop) as receiver:
        yield receiver
    register_mail(enabled=False)


def instance(stage, database, loop, receiver):
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        smtp_url=f"smtp://127.0.0.1:{receiver.port}", mail_from="Forge <forge@example.org>",
    )  # fmt: skip
    return Client(build(build_services(settings, database)), loop)


def ask(client):
    visitor = Visitor(client)
    visitor.open("/users/password/new")
    return visitor.send("/users/password", user={"email": "reporter@example.org"})


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

    async def retry_now():
        async with database.transaction() as tx:
            await tx.run("UPDATE jobs SET ready_at = '2020-01-01T00:00:00.000Z' WHERE task = 'mails.deliver'")
            return await tx.value("SELECT count(*) FROM mails")

    assert loop.run_until_complete(retry_now()) == 1
    ask(client)
    assert len(receiver.mails) == 1


def test_kept_mails_are_for_the_operator_alone(known, box, visitor, capsys):
    known.reporter.post("/user/emails", email="more@example.org")
    (file,) = (box.data / "mails").glob("*.eml")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    command_line(["mail", "list", "--data", str(box.data)], exit_on_error=False, result_action="return_value")
    assert "more@example.org" in capsys.readouterr().out
    command_line(["mail", "show", "--data", str(box.data)], exit_on_error=False, result_action="return_value")
    assert link(box.mails[0]) in capsys.readouterr().out
