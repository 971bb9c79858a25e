"""Templates of descriptions: Markdown files in a folder of the default branch."""

from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.code.files import operations as files
from mujina.code.repositories.browsing import browse_default
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

ISSUE_TEMPLATES: Final = ".gitlab/issue_templates"
MAX_TEMPLATES: Final = 100
MAX_TEMPLATE_BYTES: Final = 100_000


class DescriptionTemplates(msgspec.Struct, frozen=True):
    names: list[str]
    text: str
    """The text of the chosen one."""


async def read_templates(services: Services, project: ProjectRow, folder: str, chosen: str) -> DescriptionTemplates:
    """The names of the templates without their suffix, and the text of the chosen one, empty if there is none."""
    location = await browse_default(services, project)
    if location is None:
        return DescriptionTemplates([], "")
    entries, _ = await files.tree(location.found, folder, recursive=False, offset=0, limit=MAX_TEMPLATES)
    paths = {
        PurePosixPath(entry.name).stem: entry.path
        for entry in entries
        if entry.type == "blob" and entry.name.endswith(".md")
    }
    if chosen not in paths:
        return DescriptionTemplates(list(paths), "")
    data = files.blob(location.found, paths[chosen]).data or b""
    return DescriptionTemplates(list(paths), data[:MAX_TEMPLATE_BYTES].decode(errors="replace"))
