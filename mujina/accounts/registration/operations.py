"""Signing up: visitors create an account themselves, where the settings allow it."""

from typing import Literal

from mujina.accounts.emails import operations as emails
from mujina.accounts.registration.params import SignUp
from mujina.accounts.sessions.logins import address_key, count_failure, recent_failures, too_many
from mujina.accounts.users import operations as users
from mujina.accounts.users import validation
from mujina.accounts.users.params import CreateUser
from mujina.accounts.users.sign_in.accounts import await_approval, keep_password
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM

MAX_ATTEMPTS = 20
"""Attempts to sign up from one address in ten minutes."""
Outcome = Literal["registered", "check_mail", "pending"]


async def check_open(tx: Tx) -> ApplicationSettings:
    """404 unless visitors can sign up."""
    settings = await read_settings(tx)
    if not settings.registration_open:
        raise errors.not_found("Page")
    return settings


async def count_attempt(tx: Tx, address: str) -> None:
    """429 after many attempts from this address: neither accounts nor mails are made without limit."""
    key = address_key("sign-up", address)
    if await recent_failures(tx, key) >= MAX_ATTEMPTS:
        raise too_many("sign-ups")
    await count_failure(tx, key)


async def register(tx: Tx, change: SignUp, password_hash: str) -> Outcome:
    """Create the account, and tell what its owner has to wait for.

    Where an administrator or a mailed link has to let the account in, the outcome does not tell whether the address has an
    account already: its owner gets a link by mail.
    """
    settings = await check_open(tx)
    new = CreateUser(
        name=change.name, username=change.username, email=emails.normalize(change.email), password=change.password,
        skip_confirmation=not settings.send_user_confirmation_email,
    )  # fmt: skip
    outcome = _outcome(settings)
    if outcome != "registered" and await _is_known(tx, new, settings):
        await enqueue(tx, "mail_links.request_reset", new.email)
        return outcome
    user_id = await users.create(tx, SYSTEM, new, password_hash)
    await keep_password(tx, user_id)  # they chose it themselves
    if settings.require_admin_approval_after_user_signup:
        await await_approval(tx, user_id)
    return outcome


def _outcome(settings: ApplicationSettings) -> Outcome:
    if settings.require_admin_approval_after_user_signup:
        return "pending"
    return "check_mail" if settings.send_user_confirmation_email else "registered"


async def _is_known(tx: Tx, new: CreateUser, settings: ApplicationSettings) -> bool:
    """Whether the address has an account. All other problems are refused first, so that they do not tell it."""
    problems = Problems()
    emails.check_address(problems, new.email)
    validation.check_domain(problems, settings, new.email)
    problems.refuse()
    unused = CreateUser(
        name=new.name,
        username=new.username,
        email=f"{secrets.new_client_id()[:32]}@sign-up.invalid",
        password=new.password,
    )
    await validation.check_new(tx, unused, settings, any_domain=True)
    return await emails.owner_of(tx, new.email) is not None
