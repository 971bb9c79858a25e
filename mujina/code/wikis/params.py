"""Parameters of requests about wiki pages."""

from typing import ClassVar, Literal

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Unset

Format = Literal["markdown", "rdoc", "asciidoc"]


class ListPages(Params):
    with_content: bool | Unset | None = UNSET


class CreatePage(Params):
    title: str
    content: str
    format: Format = "markdown"


class EditPage(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    content: RequiredText | Unset = UNSET
    format: Format | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class SavePage(CreatePage):
    """The form of a page."""

    message: str = ""
    """The message of the commit; empty: one that names the change."""
    last_commit_id: str = ""
    """The version that the form showed."""


class ShowVersion(Params):
    version_id: str | Unset = UNSET
