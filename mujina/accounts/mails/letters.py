"""Every mail we write, on one screen."""

import msgspec

from mujina.accounts.mail_links.operations import Purpose


class Letter(msgspec.Struct, frozen=True):
    subject: str
    lines: tuple[str, ...]
    """What it says; `{name}` is whom it is to, `{address}` where it goes."""
    purpose: Purpose | None = None
    """What the link in it is for, if there is one."""
    path: str = ""
    label: str = ""


LETTERS: dict[str, Letter] = {
    "confirmation": Letter(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is your email address.",
         "If you did not request this, ignore this email."),
        "confirmation", "/users/confirmation?confirmation_token=", "Confirm your email address",
    ),
    "further_confirmation": Letter(
        "Confirm your email address",
        ("Hello {name},", "please confirm that {address} is one of your email addresses.",
         "If you did not request this, ignore this email."),
        "further_confirmation", "/users/confirmation?confirmation_token=", "Confirm your email address",
    ),
    "reset": Letter(
        "Choose a new password",
        ("Hello {name},", "someone, hopefully you, requested a password reset. The link expires in six hours.",
         "If it was not you, ignore this email: your password stays unchanged."),
        "reset", "/users/password/edit?reset_password_token=", "Choose a new password",
    ),
    "password_changed": Letter(
        "Your password was changed",
        ("Hello {name},", "the password of your account was changed, and all sessions were signed out.",
         "If it was not you, reset your password now and contact your administrator."),
    ),
    "email_changed": Letter(
        "Your email address was changed",
        ("Hello {name},", "the primary email address of your account was changed.",
         "If it was not you, contact your administrator."),
    ),
}  # fmt: skip
