"""What happens to projects."""

import re
import unicodedata
from typing import LiteralString

import msgspec

from mujina.domains.members import operations as members
from mujina.domains.members.access import GROUP_LEVEL
from mujina.domains.members.rules import Source
from mujina.domains.namespaces import operations as namespaces
from mujina.domains.namespaces.operations import LONGEST
from mujina.domains.namespaces.reserved import BELOW_A_GROUP
from mujina.domains.projects.params import CreateProject, ProjectSettings
from mujina.domains.projects.rules import ProjectRow
from mujina.kernel import clock, errors, secrets
from mujina.kernel.access import MASTER, Visibility, exceeds
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.events import record
from mujina.kernel.params import UNSET
from mujina.kernel.secrets import Vault
from mujina.kernel.text import fold, slug

NAME_RULE = (
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
)
PATH_RULE = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
LONGEST_DESCRIPTION = 2000


class Home(msgspec.Struct, array_like=True, frozen=True):
    """The namespace a project is to live in, and whether the actor may put it there."""

    id: int
    kind: str
    full_path: str
    visibility: Visibility | None
    """Of a group; a person's namespace has none."""
    mine: bool
    level: int
    limit: int
    own_projects: int


async def create(tx: Tx, vault: Vault, actor: Actor, change: CreateProject) -> int:
    """A new project in the namespace asked for, the actor's own by default."""
    home = await _find_home(tx, actor, change.namespace_id or None)
    name = change.name if change.name is not UNSET else change.path or ""
    path = change.path if change.path is not UNSET else slug(name)
    await _check_new(tx, home, name, path, change)
    now = clock.now()
    project_id: int = await tx.value(
        """
        INSERT INTO projects (namespace_id, name, name_folded, path, path_folded, visibility, creator_id,
            runners_token, created_at, updated_at, last_activity_at)
        VALUES (:namespace_id, :name, :name_folded, :path, :path_folded, :visibility, :creator_id,
            :runners_token, :now, :now, :now)
        RETURNING id
        """,
        namespace_id=home.id, name=name, name_folded=fold(name), path=path, path_folded=fold(path),
        visibility=change.visibility or "private", creator_id=actor.id,
        runners_token=vault.encrypt(secrets.new_token(), "runners_token"), now=now,
    )  # fmt: skip
    await namespaces.claim_for_project(tx, project_id, f"{home.full_path}/{path}")
    await store_settings(tx, project_id, change)
    await record(tx, "project.created", actor, subject_id=project_id, project_id=project_id)
    return project_id


async def remove(tx: Tx, actor: Actor, project: ProjectRow) -> None:
    """Gone from every answer at once; its data is removed by the job that follows the event."""
    await tx.run("UPDATE projects SET deleted_at = :now WHERE id = :id", id=project.id, now=clock.now())
    await namespaces.release_project(tx, project.id)
    await record(
        tx, "project.deleted", actor, subject_id=project.id, project_id=project.id,
        changes={"path_with_namespace": (project.full_path, None)},
    )  # fmt: skip


async def erase(tx: Tx, project_id: int) -> None:
    """The rows of a deleted project and all that hangs on it; nothing if they are gone already."""
    await members.forget(tx, Source("project", project_id))
    await tx.run("DELETE FROM projects WHERE id = :id AND deleted_at IS NOT NULL", id=project_id)


async def note_activity(tx: Tx, project_id: int) -> None:
    """Something happened here just now."""
    await tx.run("UPDATE projects SET last_activity_at = :now WHERE id = :id", id=project_id, now=clock.now())


async def adopt_default_branch(tx: Tx, project_id: int, branch: str) -> bool:
    """The branch becomes the default one if there is none yet; whether it did."""
    changed = await tx.run(
        "UPDATE projects SET default_branch = :branch WHERE id = :id AND default_branch IS NULL",
        id=project_id, branch=branch,
    )  # fmt: skip
    return changed > 0


async def _find_home(tx: Tx, actor: Actor, namespace_id: int | None) -> Home:
    home = await tx.row(
        Home,
        f"""
        SELECT n.id, n.kind, r.path, g.visibility, coalesce(n.owner_id = :actor, FALSE), {GROUP_LEVEL},
               coalesce(u.projects_limit, 0),
               (SELECT count(*) FROM projects own WHERE own.namespace_id = n.id AND own.deleted_at IS NULL)
        FROM namespaces n JOIN routes r ON r.namespace_id = n.id
        LEFT JOIN groups g ON g.id = n.id LEFT JOIN users u ON u.id = n.owner_id
        WHERE n.deleted_at IS NULL AND CASE WHEN CAST(:namespace_id AS bigint) IS NULL THEN n.owner_id = :actor
                                            ELSE n.id = :namespace_id END
        """,
        namespace_id=namespace_id,
        **actor.bound,
    )
    if home is None or not (home.mine or home.level >= MASTER or actor.admin):
        raise errors.invalid({"namespace": ["is not valid"], "limit_reached": []})
    if home.kind == "user" and home.own_projects >= home.limit:
        raise errors.over_limit(f"Your project limit is {home.limit} projects! Please contact your administrator")
    return home


async def _check_new(tx: Tx, home: Home, name: str, path: str, change: CreateProject) -> None:
    problems = Problems()
    check_name(problems, name)
    if change.path is not UNSET or not problems:
        check_path(problems, path)
    check_settings(problems, change, home.visibility)
    if not problems:
        await check_taken(tx, problems, home, name, path)
        if problems:
            # Compat: the empty key beside the complaints is what clients of this API family know.
            raise errors.conflict(problems.found | {"limit_reached": []})
    problems.refuse()


def check_name(problems: Problems, name: str) -> None:
    if not name.strip():
        problems.add("name", BLANK)
        return
    problems.limit("name", name, LONGEST)
    if not _name_fits(name):
        problems.add("name", NAME_RULE)


def _name_fits(name: str) -> bool:
    """Letters, marks, digits, symbols such as emoji, and a little punctuation inside."""
    kinds = [unicodedata.category(character)[0] for character in name]
    return (kinds[0] in "LNS" or name[0] == "_") and all(
        kind in "LNSM" or character in "_.- \u200d" for kind, character in zip(kinds, name, strict=True)
    )


_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(?<!\.git)(?<!\.atom)")


def check_path(problems: Problems, path: str) -> None:
    if not path.strip():
        problems.add("path", BLANK)
        return
    problems.limit("path", path, LONGEST)
    if not _PATH.fullmatch(path) or path in (".", ".."):
        problems.add("path", PATH_RULE)
    elif fold(path) in BELOW_A_GROUP:
        problems.add("path", f"{path} is a reserved name")


def check_settings(problems: Problems, change: ProjectSettings, ceiling: Visibility | None) -> None:
    """The rules that creating and editing share; `ceiling` is the visibility of the group above."""
    problems.limit("description", change.description or None, LONGEST_DESCRIPTION)
    if change.visibility and ceiling and exceeds(change.visibility, ceiling):
        problems.add("visibility_level", f"{change.visibility} is not allowed in a {ceiling} group.")
    path = change.ci_config_path or ""
    if path.startswith("/") or ".." in path.split("/"):
        problems.add("ci_config_path", "cannot include leading slash or directory traversal.")
    if change.approvals_before_merge is not UNSET and change.approvals_before_merge < 0:
        problems.add("approvals_before_merge", "must be greater than or equal to 0")


async def check_taken(tx: Tx, problems: Problems, home: Home, name: str, path: str) -> None:
    """Two projects of one namespace differ in name and, whatever the case, in path."""
    if await tx.value(
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.name = :name AND p.deleted_at IS NULL",
        id=home.id, name=name,
    ):  # fmt: skip
        problems.add("name", TAKEN)
    if await namespaces.taken(tx, f"{home.full_path}/{path}"):
        problems.add("path", TAKEN)


_SETTERS: dict[str, LiteralString] = {
    "description": "description = :description, description_folded = :description_folded",
    "issues_enabled": "issues_enabled = :issues_enabled",
    "merge_requests_enabled": "merge_requests_enabled = :merge_requests_enabled",
    "jobs_enabled": "jobs_enabled = :jobs_enabled",
    "wiki_enabled": "wiki_enabled = :wiki_enabled",
    "snippets_enabled": "snippets_enabled = :snippets_enabled",
    "resolve_outdated_diff_discussions": "resolve_outdated_diff_discussions = :resolve_outdated_diff_discussions",
    "container_registry_enabled": "container_registry_enabled = :container_registry_enabled",
    "shared_runners_enabled": "shared_runners_enabled = :shared_runners_enabled",
    "public_jobs": "public_jobs = :public_jobs",
    "public_builds": "public_jobs = :public_builds",
    "only_allow_merge_if_pipeline_succeeds":
        "only_allow_merge_if_pipeline_succeeds = :only_allow_merge_if_pipeline_succeeds",
    "only_allow_merge_if_all_discussions_are_resolved":
        "only_allow_merge_if_all_discussions_are_resolved = :only_allow_merge_if_all_discussions_are_resolved",
    "lfs_enabled": "lfs_enabled = :lfs_enabled",
    "request_access_enabled": "request_access_enabled = :request_access_enabled",
    "tag_list": "tag_list = :tag_list",
    "printing_merge_request_link_enabled": "printing_merge_request_link_enabled = :printing_merge_request_link_enabled",
    "ci_config_path": "ci_config_path = :ci_config_path",
    "approvals_before_merge": "approvals_before_merge = :approvals_before_merge",
}  # fmt: skip
"""How each setting is stored; others have operations of their own."""


async def store_settings(tx: Tx, project_id: int, change: ProjectSettings) -> None:
    """Store the settings that were given."""
    given = {name: value for name, value in change.given().items() if name in _SETTERS}
    if not given:
        return
    if change.tag_list is not UNSET:
        given["tag_list"] = "\n".join(sorted(set(change.tag_list)))
    await tx.run(
        f"UPDATE projects SET {', '.join(_SETTERS[name] for name in given)} WHERE id = :id",
        id=project_id,
        description_folded=fold(change.description or ""),
        **given,
    )
