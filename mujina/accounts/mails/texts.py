"""The texts of all mails."""

import msgspec

from mujina.accounts.mail_links.operations import Purpose


class MailText(msgspec.Struct, frozen=True):
    subject: str
    lines: tuple[str, ...]
    """The paragraphs; `{name}` is the name of the recipient, `{address}` their address."""
    label: str = ""
    """The words of the link."""
    path: str = ""
    """Where the link leads; empty: the mail contains none."""
    query: str = ""
    """The query of the link."""
    purpose: Purpose | None = None
    """The purpose of the secret at the end of the query, if it has one."""


MAIL_TEXTS: dict[str, MailText] = {
    "confirmation": MailText(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is your email address.",
         "If you did not request this, ignore this email."),
        label="Confirm your email address", path="/users/confirmation", query="confirmation_token=", purpose="confirmation",
    ),
    "further_confirmation": MailText(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is one of your email addresses.",
         "If you did not request this, ignore this email."),
        label="Confirm your email address", path="/users/confirmation", query="confirmation_token=",
        purpose="further_confirmation",
    ),
    "approval_requested": MailText(
        "An account is waiting for approval",
        ("Hello {name},", "a new user signed up and is waiting for approval by an administrator."),
        label="Accounts that wait", path="/admin/users", query="filter=pending",
    ),
    "approved": MailText(
        "Your account was approved",
        ("Hello {name},", "an administrator approved your account: you can sign in now."),
        label="Sign in", path="/users/sign_in",
    ),
    "reset": MailText(
        "Choose a new password",
        ("Hello {name},", "someone, hopefully you, requested a password reset. The link expires in six hours.",
         "If it was not you, ignore this email: your password stays unchanged."),
        label="Choose a new password", path="/users/password/edit", query="reset_password_token=", purpose="reset",
    ),
    "password_changed": MailText(
        "Your password was changed",
        ("Hello {name},", "the password of your account was changed, and all sessions were signed out.",
         "If it was not you, reset your password now and contact your administrator."),
    ),
    "mirror_failed": MailText(
        "A mirror could not be updated",
        ("Hello {name},", "the last update of a mirror that you created failed. It is tried again every half hour.",
         "See the repository settings of the project for the reason."),
    ),
    "token_expiring": MailText(
        "Your access token expires soon",
        ("Hello {name},", "one of your access tokens expires within a week. Programs that use it will lose their access."),
        label="Your access tokens", path="/profile/personal_access_tokens",
    ),
    "bot_token_expiring": MailText(
        "An access token expires soon",
        ("Hello {name},",
         "an access token of a project or group expires within a week. You created it, or you own the project or group.",
         "Programs that use it will lose their access. Rotate it in the settings of the project or group."),
    ),
    "email_changed": MailText(
        "Your email address was changed",
        ("Hello {name},", "the primary email address of your account was changed.",
         "If it was not you, contact your administrator."),
    ),
}  # fmt: skip
