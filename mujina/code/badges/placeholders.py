"""The placeholders in the addresses of badges, and what each actor may see in their place."""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from mujina.code.badges.rules import BadgePlace
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.tags import operations as tags
from mujina.kernel.services import Services

NAMES: Final = (
    "project_path", "project_name", "project_title", "project_id", "project_namespace", "group_name", "default_branch",
    "commit_sha", "latest_tag",
)  # fmt: skip
_PLACEHOLDER: Final = re.compile(rf"%\{{({'|'.join(NAMES)})\}}")
_OF_REPOSITORY: Final = frozenset({"default_branch", "commit_sha", "latest_tag"})


async def read_values(services: Services, place: BadgePlace, texts: Iterable[str]) -> dict[str, str]:
    """What stands for the placeholders of these texts, as far as the actor may know it.

    The facts about the repository are read only if a text asks for them and the actor may read the repository.
    """
    used = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    project = place.project
    if project is None or not used:
        return {}
    facts: dict[str, str | None] = {
        "project_path": project.full_path, "project_name": project.path, "project_title": project.name,
        "project_id": str(project.id), "project_namespace": project.full_path.rpartition("/")[0],
        "group_name": place.group_name,
    }  # fmt: skip
    if place.code and used & _OF_REPOSITORY:
        facts |= await _read_repository(await commits.code_of(services, project), used)
    return {name: value for name, value in facts.items() if value}


async def _read_repository(code: Repository, used: set[str]) -> dict[str, str | None]:
    branch = code.default_branch
    head = commits.find(code, branch).id if branch and commits.exists(code, branch) else None
    tag = await tags.find_newest(code) if "latest_tag" in used else None
    return {"default_branch": branch, "commit_sha": head, "latest_tag": tag}


def fill(text: str, values: Mapping[str, str]) -> str:
    """The address with its placeholders replaced; those without a value stay as they are.

    A value is quoted, so it adds no scheme, no host and no query of its own to an address that begins with `https://`.
    """
    return _PLACEHOLDER.sub(lambda each: quote(values[each[1]], safe="/") if each[1] in values else each[0], text)
