"""An application with a mail server, and what that server got."""

from collections import Counter
from contextlib import contextmanager

import msgspec
import pytest

from mujina.app import build, build_services, runner
from mujina.kernel.jobs.queue import enqueue
from mujina.settings import Settings
from tests.harness.cast import bind
from tests.harness.client import Client
from tests.harness.smtp import smtp_receiver


class Post:
    """The cast behind an application that mails, and the mail since the last look."""

    def __init__(self, roster, receiver, services, loop):
        self.roster = roster
        cast = self.cast = bind(roster, Client(build(services), loop), services.database)
        self.receiver = receiver
        self.services = services
        self.here = f"/projects/{cast.private.id}"

    def taken(self):
        """The mails since the last call, by the name of the recipient, who got no more than one."""
        mails = self.receiver.taken()
        names = Counter(mail["To"].partition("@")[0] for mail in mails)
        assert set(names.values()) <= {1}, names
        return {mail["To"].partition("@")[0]: mail for mail in mails}

    def reasons(self):
        """Why each recipient got a mail."""
        return {name: mail["X-Mujina-NotificationReason"] for name, mail in self.taken().items()}

    def issue(self, person="reporter", **fields):
        """The path of a new issue, of which nobody is told here."""
        made = getattr(self.cast, person).post(f"{self.here}/issues", title="Fire", **fields)
        assert made.status == 201, made
        self.taken()
        return f"{self.here}/issues/{made.json['iid']}"

    def run(self, sql=None, **bound):
        """Change the database behind the application; then the jobs that are due run."""
        if sql is not None:
            self.cast.run(sql, **bound)
        self.cast.root.loop.run_until_complete(runner(self.services).drain())

    def enqueue(self, task, key):
        """Let the job run, as if it had not run before."""
        self.cast.transact(lambda tx: enqueue(tx, task, key))
        self.run()

    @contextmanager
    def held_back(self):
        """Inside, no job runs: the mails of its events are sent at the end."""
        settings = msgspec.structs.replace(self.services.settings, jobs="background")
        app = build(msgspec.structs.replace(self.services, settings=settings))
        yield bind(self.roster, Client(app, self.cast.root.loop), self.services.database)
        self.run()


@pytest.fixture
def post(stage, database, loop):
    without_mail = database.settings
    with smtp_receiver(loop) as receiver:
        settings = Settings(
            data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            smtp_url=f"smtp://127.0.0.1:{receiver.port}", mail_from="Forge <forge@example.org>",
        )  # fmt: skip
        yield Post(stage.roster, receiver, build_services(settings, database), loop)
    database.settings = without_mail
