"""The mails of services: one to each recipient, with the changes of a push if the service wants them."""

import asyncio
from contextlib import suppress
from email.headerregistry import Address
from typing import Final
from urllib.parse import urlsplit

from mujina.accounts.mails.messages import compose, one_line
from mujina.adapters import mail
from mujina.adapters.git.reading import diffs
from mujina.adapters.git.reading.commits import FileChange
from mujina.adapters.mail import RejectedMail
from mujina.code.pushes.repo_paths import find_storage, repo_path_to_read
from mujina.instance.application_settings.rules import read_settings
from mujina.integrations.services.calls import PushedChanges, ServiceMail
from mujina.kernel import deferred_imports
from mujina.kernel.errors import ApiError
from mujina.kernel.services import Services
from mujina.settings import Settings

MAX_CHANGES: Final = 100_000
"""Characters of the changes in a mail; the page behind its link has the others."""
CUT: Final = "The other changes are not in this mail."


async def send_mails(services: Services, call: ServiceMail) -> None:
    """Send the mail to each recipient; one whom the mail server refuses does not keep the others from theirs."""
    async with services.database.reading() as tx:
        html = (await read_settings(tx)).html_emails_enabled
    changes = "" if call.changes is None else await _text_of(services, call.changes)
    for address in call.recipients:
        message = compose(
            services.settings, address, call.subject, call.lines, link=call.link, label=call.label, html=html, listing=changes
        )  # fmt: skip
        if call.sender and _is_ours(services.settings, call.sender):
            user, _, domain = call.sender.rpartition("@")
            message.replace_header("From", Address(one_line(call.sender_name), user, domain))
        with suppress(RejectedMail):
            await mail.send(services.settings, message)


def _is_ours(settings: Settings, address: str) -> bool:
    """Whether the address is of the domain of this instance: other domains tell mail servers that we may not send for them."""
    host, domain = urlsplit(settings.url).hostname or "", address.rpartition("@")[2].lower()
    return address.isascii() and (host == domain or ("." in domain and host.endswith(f".{domain}")))


async def _text_of(services: Services, changes: PushedChanges) -> str:
    """The changes as git writes them, up to the limit; empty if the repository or a commit is gone."""
    storage = await find_storage(services, changes.project_id)
    if storage is None:
        return ""
    try:
        repository = await repo_path_to_read(services, storage, changes.project_id)
        found = await asyncio.to_thread(diffs.difference, repository, changes.before, changes.after)
    except (ApiError, KeyError, ValueError, OSError, deferred_imports.pygit2().GitError):
        return ""
    text, cut = "", found.overflow
    for file in found.files:
        part = _part(file)
        if len(text) + len(part) > MAX_CHANGES:
            cut = True
            break
        text += part
    return f"{text}{CUT}\n" if cut else text


def _part(file: FileChange) -> str:
    verb = "new file" if file.new_file else "deleted" if file.deleted_file else "renamed" if file.renamed_file else ""
    names = f"{file.old_path} → {file.new_path}" if file.renamed_file else file.new_path
    title = f"{names} ({verb})" if verb else names
    body = file.diff or ("Too large to be shown.\n" if file.too_large else "")
    return f"{title}\n{'=' * min(len(title), 80)}\n{body}\n"
