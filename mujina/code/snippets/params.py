"""Parameters of requests about snippets."""

from typing import Any, ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Unset, required
from mujina.kernel.permissions.levels import Visibility


class EditSnippet(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class CreateSnippet(EditSnippet):
    title: str = required()
    file_name: str = required()
    content: str = required()


class EditProjectSnippet(Params):
    """A field left out is left alone. Older clients send the content as `code`, newer ones as `content`."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    code: RequiredText | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class CreateProjectSnippet(EditProjectSnippet):
    title: str = required()
    file_name: str = required()
    visibility: Visibility = required()

    at_least_one_of: ClassVar = ("code", "content")


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
