"""`mujina mail`."""

from cyclopts import App

from mujina.adapters.mail import kept
from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.cli.trouble import Trouble

mail = App(name="mail")
HERE = Instance()


@mail.command(name="list")
def listed(*, instance: Instance = HERE) -> None:
    """List the kept mails, the oldest first."""
    rows = [(name, message["To"], message["Subject"]) for name, message in kept(instance.settings().data)]
    print_table(("name", "to", "subject"), rows)


@mail.command
def show(name: str = "", *, instance: Instance = HERE) -> None:
    """Print a kept mail; without a name, the newest."""
    mails = dict(kept(instance.settings().data))
    message = mails.get(name or max(mails, default=""))
    if message is None:
        raise Trouble("There is no such mail: see `mujina mail list`.")
    for header in ("From", "To", "Subject", "Date"):
        print(f"{header}: {message[header]}")
    body = message.get_body(("plain",))
    print(f"\n{body.get_content() if body else ''}", end="")
