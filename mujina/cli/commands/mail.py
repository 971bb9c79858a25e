"""`mujina mail`."""

from collections.abc import Iterable
from email.message import EmailMessage

from cyclopts import App

from mujina.adapters.mail import kept
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, NO_INSTANCE, Instance
from mujina.cli.output import print_table

mail = App(name="mail")


@mail.command(name="list")
def list_mails(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List the stored mails, oldest first."""
    rows = [(name, message["To"], message["Subject"]) for name, message in _kept(instance)]
    print_table(("name", "to", "subject"), rows)


@mail.command
def show(name: str = "", *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Print a stored mail; without a name, the newest one."""
    mails = dict(_kept(instance))
    message = mails.get(name or max(mails, default=""))
    if message is None:
        raise CommandError("There is no such mail: see `mujina mail list`.")
    for header in ("From", "To", "Subject", "Date"):
        print(f"{header}: {message[header]}")
    body = message.get_body(("plain",))
    print(f"\n{body.get_content() if body else ''}", end="")


def _kept(instance: Instance) -> Iterable[tuple[str, EmailMessage]]:
    data = instance.settings().data
    if not data.exists():
        raise CommandError(NO_INSTANCE)
    return kept(data)
