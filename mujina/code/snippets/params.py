"""Parameters of requests about snippets."""

from typing import ClassVar

from mujina.kernel.access import Visibility
from mujina.kernel.params import UNSET, Params, RequiredText, Unset


class CreateSnippet(Params):
    title: str
    file_name: str
    content: str
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET


class CreateProjectSnippet(Params):
    """Older clients send the content as `code`, newer ones as `content`."""

    title: str
    file_name: str
    code: str | Unset = UNSET
    content: str | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility

    at_least_one_of: ClassVar = ("code", "content")


class EditSnippet(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET

    at_least_one_of: ClassVar = ("title", "file_name", "content", "description", "visibility")


class EditProjectSnippet(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    code: RequiredText | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET

    at_least_one_of: ClassVar = ("title", "file_name", "code", "content", "description", "visibility")
