"""Paths: claimed once, over users, groups and projects alike."""

import re

from mujina.domains.namespaces.reserved import BELOW_A_GROUP, TOP_LEVEL
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.text import fold

LONGEST = 255
PATH_RULE = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
)
_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(?<!\.)(?<!\.git)(?<!\.atom)")


async def check_path(tx: Tx, problems: Problems, field: str, path: str, parent_path: str | None) -> None:
    """Complain under `field` when this path may not stand here: its form, a reserved word, or somebody has it."""
    if not path.strip():
        problems.add(field, BLANK)
        return
    problems.limit(field, path, LONGEST)
    if not _PATH.fullmatch(path):
        problems.add(field, PATH_RULE)
    elif fold(path) in (TOP_LEVEL if parent_path is None else BELOW_A_GROUP):
        problems.add(field, f"{path} is a reserved name")
    elif await taken(tx, path if parent_path is None else f"{parent_path}/{path}"):
        problems.add(field, TAKEN)


async def taken(tx: Tx, full_path: str) -> bool:
    """Whether anything answers at this path."""
    found = await tx.value("SELECT 1 FROM routes r WHERE r.path_folded = :path", path=fold(full_path))
    return found is not None


async def open_for_user(tx: Tx, user_id: int, username: str) -> int:
    """The namespace that comes with a person."""
    # Compat: a user's namespace is called by the username, not by the person's name.
    return await _open(tx, "user", username, username, None, user_id)


async def open_for_group(tx: Tx, name: str, path: str, parent_id: int | None) -> int:
    """The namespace that comes with a group."""
    return await _open(tx, "group", name, path, parent_id, None)


async def _open(tx: Tx, kind: str, name: str, path: str, parent_id: int | None, owner_id: int | None) -> int:
    above = await tx.row(
        tuple[str, str],
        "SELECT r.path, n.full_name FROM namespaces n JOIN routes r ON r.namespace_id = n.id WHERE n.id = :id",
        id=parent_id,
    )
    full_path, full_name = (f"{above[0]}/{path}", f"{above[1]} / {name}") if above else (path, name)
    namespace_id: int = await tx.value(
        """
        INSERT INTO namespaces (kind, name, name_folded, path, path_folded, full_name, parent_id, owner_id,
            created_at, updated_at)
        VALUES (:kind, :name, :name_folded, :path, :path_folded, :full_name, :parent_id, :owner_id, :now, :now)
        RETURNING id
        """,
        kind=kind, name=name, name_folded=fold(name), path=path, path_folded=fold(path), full_name=full_name,
        parent_id=parent_id, owner_id=owner_id, now=clock.now(),
    )  # fmt: skip
    await tx.run(
        "INSERT INTO routes (path_folded, path, namespace_id) VALUES (:folded, :path, :id)",
        folded=fold(full_path), path=full_path, id=namespace_id,
    )  # fmt: skip
    return namespace_id


async def claim_for_project(tx: Tx, project_id: int, full_path: str) -> None:
    """The project answers at this path from now on."""
    await tx.run(
        "INSERT INTO routes (path_folded, path, project_id) VALUES (:folded, :path, :id)",
        folded=fold(full_path), path=full_path, id=project_id,
    )  # fmt: skip


async def move_project(tx: Tx, project_id: int, full_path: str) -> None:
    """The project answers at this path, and at its old one no more."""
    await tx.run(
        "UPDATE routes SET path_folded = :folded, path = :path WHERE project_id = :id",
        folded=fold(full_path), path=full_path, id=project_id,
    )  # fmt: skip


async def release_project(tx: Tx, project_id: int) -> None:
    """Nothing answers for the project any more; its path may be claimed again."""
    await tx.run("DELETE FROM routes WHERE project_id = :id", id=project_id)
