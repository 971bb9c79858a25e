"""Changes one file by one commit, as the forms of the editor ask for it."""

from difflib import unified_diff
from typing import Literal

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Action, ResolvedCommit
from mujina.code.editor.params import RemoveFile, SaveFile
from mujina.code.files import operations as files
from mujina.code.pushes.repository_lock import under_repository_lock
from mujina.kernel import errors
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

Verb = Literal["create", "update", "move", "delete"]
MAX_COMPARED = 200_000
"""Characters of two versions that a conflict compares."""


async def is_outdated(found: ResolvedCommit, path: str, last_commit_id: str) -> bool:
    """Whether someone changed the file since the form was shown."""
    return bool(last_commit_id) and await files.last_commit_of(found, path) != last_commit_id


def with_line_ends_of(current: str, entered: str) -> str:
    """The text of a form, in which every line ends with CR LF, with the line ends that the file has."""
    text = entered.replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if current.count("\r\n") == current.count("\n") > 0 else text


def difference(current: str, entered: str) -> str:
    """The patch from the version in the repository to the one that a user entered."""
    if len(current) + len(entered) > MAX_COMPARED:
        return ""
    old, new = (text.splitlines(keepends=True) for text in (current, entered))
    return "".join(unified_diff(old, new, "current version", "your version"))


async def save(
    services: Services, actor: Actor, project: ProjectRow, verb: Verb, start: str, path: str, change: SaveFile
) -> None:
    """Write the file to the branch of the form, which starts at `start` if it is new; `path` is its former path."""
    content = change.content
    if content and not content.endswith("\n"):
        content += "\r\n" if "\r\n" in content else "\n"
    target = files.tree_path(change.file_path)
    if not target:
        raise errors.invalid({"file_path": [errors.BLANK]})
    moved = verb == "update" and target != path
    last = change.last_commit_id or "" if verb == "update" and not moved else ""
    action = Action("move" if moved else verb, target, content.encode(), path if moved else "", last)
    await _commit(services, actor, project, change.branch, start, action, change.commit_message)


async def remove(
    services: Services, actor: Actor, project: ProjectRow, start: str, path: str, change: RemoveFile
) -> None:
    """Delete the file on the branch of the form."""
    action = Action("delete", path, None, last_commit_id=change.last_commit_id or "")
    await _commit(services, actor, project, change.branch, start, action, change.commit_message)


async def _commit(
    services: Services, actor: Actor, project: ProjectRow, branch: str, start: str, action: Action, message: str
) -> None:
    async def commit() -> None:
        committer = await commits.committer_for(services, actor, Ref.of(project.id))
        new = branch != start
        target = commits.target_branch(committer, branch, start if new and project.default_branch else "")
        await commits.commit(target, [action], message.replace("\r\n", "\n"))

    await under_repository_lock(str(project.id), commit)
