"""Parameters of requests about snippets."""

from typing import Any, ClassVar, Literal

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Trees, Unset, Words, required
from mujina.kernel.permissions.levels import Visibility


class EditSnippet(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    files: Trees | Unset = UNSET
    """Changes of files, each with `action` (`create`, `update`, `delete` or `move`), `file_path`, `previous_path`, `content`."""

    at_least_one_of: ClassVar = EVERY_FIELD
    at_most_one_of: ClassVar = ("files", "content")


class CreateSnippet(EditSnippet):
    title: str = required()
    file_name: str | Unset = UNSET
    content: str | Unset = UNSET
    files: Trees | Unset = UNSET
    """Files with `file_path` and `content`, instead of `file_name` and `content`."""


class EditProjectSnippet(Params):
    """A field left out is left alone. Older clients send the content as `code`, newer ones as `content`."""

    title: RequiredText | Unset = UNSET
    file_name: str | Unset = UNSET
    code: RequiredText | Unset = UNSET
    content: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    files: Trees | Unset = UNSET
    """As those of a user's own snippet."""

    at_least_one_of: ClassVar = EVERY_FIELD
    at_most_one_of: ClassVar = ("files", "content")


class CreateProjectSnippet(EditProjectSnippet):
    title: str = required()
    visibility: Visibility = required()


class CreateFile(Params):
    file_path: str
    content: str


class ChangeFile(Params):
    action: Literal["create", "update", "delete", "move"]
    file_path: str
    previous_path: str | Unset = UNSET
    content: str | Unset = UNSET


class ShownSnippetFile(Params):
    file: Words | Unset = UNSET
    """The path of one of the files of a snippet; otherwise it is the first."""


class SaveSnippet(Params):
    """The form of a snippet."""

    title: str
    content: str
    file_name: str = ""
    description: str = ""
    visibility: Visibility = "private"
    files: Trees | Unset = UNSET
    """The files behind the first, as `file_path` and `content`; one of which both are empty is none."""

    def values(self) -> dict[str, Any]:
        """The values as they are stored."""
        text = self.content.replace("\r\n", "\n")
        return {
            "title": self.title, "file_name": self.file_name.strip(), "content": text,
            "description": self.description.replace("\r\n", "\n") or None, "visibility": self.visibility,
        }  # fmt: skip
