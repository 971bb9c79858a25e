"""Every mail we write, on one screen."""

import msgspec

from mujina.accounts.mail_links.operations import Purpose


class MailText(msgspec.Struct, frozen=True):
    subject: str
    lines: tuple[str, ...]
    """What it says; `{name}` is whom it is to, `{address}` where it goes."""
    purpose: Purpose | None = None
    """What the link in it is for, if there is one."""
    path: str = ""
    label: str = ""


MAIL_TEXTS: dict[str, MailText] = {
    "confirmation": MailText(
        "Confirm your e-mail address",
        ("Hello {name},", "please confirm that {address} is your address.",
         "If you know nothing of this, do nothing."),
        "confirmation", "/users/confirmation?confirmation_token=", "Confirm your address",
    ),
    "further_confirmation": MailText(
        "Confirm your e-mail address",
        ("Hello {name},", "please confirm that {address} is one of your addresses.",
         "If you know nothing of this, do nothing."),
        "further_confirmation", "/users/confirmation?confirmation_token=", "Confirm your address",
    ),
    "reset": MailText(
        "Choose a new password",
        ("Hello {name},", "somebody, hopefully you, asked for a new password. The link is good for six hours.",
         "If it was not you, do nothing: your password stays as it is."),
        "reset", "/users/password/edit?reset_password_token=", "Choose a new password",
    ),
    "password_changed": MailText(
        "Your password was changed",
        ("Hello {name},", "the password of your account was changed, and every session was ended.",
         "If it was not you, ask for a new password at once, and tell your administrator."),
    ),
    "email_changed": MailText(
        "Your e-mail address was changed",
        ("Hello {name},", "the principal address of your account was changed.",
         "If it was not you, tell your administrator."),
    ),
}  # fmt: skip
