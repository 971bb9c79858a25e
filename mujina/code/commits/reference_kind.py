"""Commits as texts name them: by their ids, whole or shortened."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from mujina.code.commits.entities import SHORT
from mujina.code.commits.operations import existing_commits
from mujina.kernel.services import Services
from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import COMMIT, Reference, ReferenceKind, Target
from mujina.workspaces.projects.rules import READ_CODE

MAX_IDS: Final = 200
"""Further ids of one project on a page stay plain text: each is looked up in the repository."""


async def _existing(services: Services, projects: Sequence[Target], wanted: Mapping[str, set[str]]) -> list[Target]:
    """The commits among the words that look like ids; `state` of a project is its storage."""
    found: list[Target] = []
    for project in projects:
        names = sorted(wanted[project.path_folded])[:MAX_IDS]
        ids = await existing_commits(services, project.state, project.id, names)
        found += [msgspec.structs.replace(project, name=name, title=id_) for name, id_ in ids.items()]
    return found


def _link(target: Target, reference: Reference) -> Html:
    text = target.title[:SHORT] if reference.near else f"{target.path}@{target.title[:SHORT]}"
    href = f"/{target.path}/commit/{target.title}{reference.note}"
    return element("a", f"<code>{escape(text)}</code>", class_="ref", href=href)


COMMIT_REFERENCES: Final = ReferenceKind(
    name="commit",
    sign=COMMIT,
    word="commit",
    select=f"""
        SELECT 'commit', r.path_folded, '', r.path, p.id, '', p.repository_storage, '' FROM routes r
        JOIN projects p ON p.id = r.project_id
        WHERE r.path_folded IN :commit_paths AND p.deleted_at IS NULL AND {READ_CODE.for_scan}""",
    show=_link,
    confirm=_existing,
)
