"""The texts of all mails."""

import msgspec

from mujina.accounts.mail_links.operations import Purpose


class MailText(msgspec.Struct, frozen=True):
    subject: str
    lines: tuple[str, ...]
    """The paragraphs; `{name}` is the name of the recipient, `{address}` their address."""
    purpose: Purpose | None = None
    """The purpose of the secret at the end of the link, if it has one."""
    path: str = ""
    """Where the link leads; empty: the mail contains none."""
    label: str = ""


MAIL_TEXTS: dict[str, MailText] = {
    "confirmation": MailText(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is your email address.",
         "If you did not request this, ignore this email."),
        "confirmation", "/users/confirmation?confirmation_token=", "Confirm your email address",
    ),
    "further_confirmation": MailText(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is one of your email addresses.",
         "If you did not request this, ignore this email."),
        "further_confirmation", "/users/confirmation?confirmation_token=", "Confirm your email address",
    ),
    "approval_requested": MailText(
        "An account is waiting for approval",
        ("Hello {name},", "a new user signed up and is waiting for approval by an administrator."),
        path="/admin/users?filter=pending", label="Accounts that wait",
    ),
    "approved": MailText(
        "Your account was approved",
        ("Hello {name},", "an administrator approved your account: you can sign in now."),
        path="/users/sign_in", label="Sign in",
    ),
    "reset": MailText(
        "Choose a new password",
        ("Hello {name},", "someone, hopefully you, requested a password reset. The link expires in six hours.",
         "If it was not you, ignore this email: your password stays unchanged."),
        "reset", "/users/password/edit?reset_password_token=", "Choose a new password",
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
        path="/profile/personal_access_tokens", label="Your access tokens",
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
