"""Parameters of requests about snippets."""

from typing import Any, ClassVar

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset
from mujina.kernel.permissions.levels import Visibility


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


class SaveSnippet(Params):
    """The form of a snippet."""

    title: str
    content: str
    file_name: str = ""
    description: str = ""
    visibility: Visibility = "private"

    def values(self) -> dict[str, Any]:
        """The values as they are stored."""
        text = self.content.replace("\r\n", "\n")
        return {
            "title": self.title, "file_name": self.file_name.strip(), "content": text,
            "description": self.description.replace("\r\n", "\n") or None, "visibility": self.visibility,
        }  # fmt: skip
