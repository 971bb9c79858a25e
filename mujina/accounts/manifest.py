"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.keys.entities import Key, KeyWithUser, add_key_fields
from mujina.accounts.mails.operations import (
    mail_administrators,
    mail_approval,
    mail_confirmation,
    mail_email_changed,
    mail_further_confirmation,
    mail_password_changed,
    mail_reset,
)
from mujina.accounts.sessions.logins import unlock_after_change
from mujina.accounts.sessions.operations import end_all
from mujina.accounts.statuses.operations import delete_status
from mujina.accounts.users.entities import FullUser, User
from mujina.accounts.users.profile.newer_fields import add_user_fields
from mujina.accounts.users.reference_kind import USER_REFERENCES
from mujina.accounts.users.removing.operations import USER_TRACES, enqueue_removal
from mujina.accounts.users.sign_in.accounts import lift_two_factor_requirement
from mujina.kernel.db.clock_recovery import WAITED_FOR
from mujina.kernel.events import REACTIONS, Reactions
from mujina.kernel.http.requests.newer_fields import NEWER_FIELDS
from mujina.kernel.product import Chapter
from mujina.rendering.references import REFERENCE_KINDS

_REACTIONS: Final[Reactions] = {
    "email.added": [mail_further_confirmation],
    "settings.updated": [lift_two_factor_requirement],
    "user.approval_requested": [mail_administrators],
    "user.approved": [mail_approval],
    "user.confirmation_requested": [mail_confirmation],
    "user.confirmed": [mail_email_changed],
    "user.deleted": [enqueue_removal],
    "user.password_changed": [end_all, unlock_after_change, mail_password_changed],
    "user.password_reset_requested": [mail_reset],
    "user.updated": [mail_email_changed],
}

CHAPTER: Final = Chapter(
    "mujina.accounts",
    REACTIONS.of(_REACTIONS),
    REFERENCE_KINDS.of(USER_REFERENCES),
    NEWER_FIELDS.of(
        (User, add_user_fields),
        (FullUser, add_user_fields),
        (Key, add_key_fields),
        (KeyWithUser, add_key_fields),
    ),
    USER_TRACES.of(delete_status),
    WAITED_FOR.of(
        ("mail_links", "created_at"),
        ("identities", "checked_at"),
        ("identities", "blocked_at"),
    ),
)
