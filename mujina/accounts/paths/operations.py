"""Paths of users, groups and projects: each is claimed once, and moves together with all paths below it."""

import re
from typing import LiteralString

from mujina.accounts.paths.reserved import BELOW_A_GROUP, TOP_LEVEL
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.text.folding import fold

MAX_LENGTH = 255
MAX_FULL_LENGTH = 1_024
"""The limit of a full path: PostgreSQL cannot index one of 2,700 characters."""
PATH_RULE = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
)
_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(?<!\.)(?<!\.git)(?<!\.atom)", re.IGNORECASE | re.ASCII)

_HERE_AND_BELOW: LiteralString = "(r.path_folded = :here OR (r.path_folded > :first AND r.path_folded < :beyond))"
"""The path that `_span` binds, and all paths below it."""


async def check_path(
    tx: Tx, problems: Problems, field: str, path: str, parent_path: str | None, *, instead_of: str | None = None
) -> None:
    """Add a problem under `field` if the path is malformed, reserved or taken.

    `instead_of` is the path that it replaces: a change of case alone does not conflict with it.
    """
    if not path.strip():
        problems.add(field, BLANK)
        return
    problems.limit(field, path, MAX_LENGTH)
    if not _PATH.fullmatch(path):
        problems.add(field, PATH_RULE)
    elif fold(path) in (TOP_LEVEL if parent_path is None else BELOW_A_GROUP):
        problems.add(field, f"{path} is a reserved name")
    elif instead_of is not None and fold(path) == fold(instead_of):
        return
    elif await taken(tx, path if parent_path is None else f"{parent_path}/{path}"):
        problems.add(field, TAKEN)


async def taken(tx: Tx, full_path: str) -> bool:
    """Whether the path is in use."""
    found = await tx.value("SELECT 1 FROM routes r WHERE r.path_folded = :path", path=fold(full_path))
    return found is not None


async def create_user_namespace(tx: Tx, user_id: int, username: str) -> int:
    """Create the namespace of a new user."""
    # Compat: the name of a user's namespace is the username, not the name of the user.
    return await _create(tx, "user", username, username, None, user_id)


async def create_group_namespace(tx: Tx, name: str, path: str, parent_id: int | None) -> int:
    """Create the namespace of a new group."""
    return await _create(tx, "group", name, path, parent_id, None)


async def _create(tx: Tx, kind: str, name: str, path: str, parent_id: int | None, owner_id: int | None) -> int:
    full_path, full_name = await _place_below(tx, parent_id, path, name)
    namespace_id: int = await insert_id(
        tx, "namespaces", kind=kind, name=name, name_folded=fold(name), path=path, path_folded=fold(path),
        full_name=full_name, parent_id=parent_id, owner_id=owner_id, **timestamps(),
    )  # fmt: skip
    await claim_for_namespace(tx, namespace_id, full_path)
    return namespace_id


async def _place_below(tx: Tx, parent_id: int | None, path: str, name: str) -> tuple[str, str]:
    """The full path and the full name of a namespace of this path and name below the parent."""
    parent = await tx.row(
        tuple[str, str],
        "SELECT r.path, n.full_name FROM namespaces n JOIN routes r ON r.namespace_id = n.id WHERE n.id = :id",
        id=parent_id,
    )
    return (f"{parent[0]}/{path}", f"{parent[1]} / {name}") if parent else (path, name)


async def claim_for_namespace(tx: Tx, namespace_id: int, full_path: str) -> None:
    """Claim the path for the namespace."""
    await _claim(tx, full_path, namespace_id=namespace_id)


async def claim_for_project(tx: Tx, project_id: int, full_path: str) -> None:
    """Claim the path for the project."""
    await _claim(tx, full_path, project_id=project_id)


async def _claim(tx: Tx, full_path: str, *, namespace_id: int | None = None, project_id: int | None = None) -> None:
    _check_length(len(full_path))
    await insert(
        tx, "routes", path_folded=fold(full_path), path=full_path, namespace_id=namespace_id, project_id=project_id
    )
    await _end_redirects(tx, full_path)


async def rename(tx: Tx, namespace_id: int, name: str, path: str) -> None:
    """Rename the namespace and move every path below it. Its tree must be locked."""
    [(full_path, full_name, old_name)] = await tx.rows(
        tuple[str, str, str],
        """SELECT r.path, n.full_name, n.name FROM namespaces n JOIN routes r ON r.namespace_id = n.id
           WHERE n.id = :id""",
        id=namespace_id,
    )
    if name != old_name:
        await _rename_below(tx, full_path, full_name, full_name.removesuffix(old_name) + name)
    await move(tx, full_path, "/".join([*full_path.split("/")[:-1], path]))
    columns = {"name": name, "name_folded": fold(name), "path": path, "path_folded": fold(path)}
    await update(tx, "namespaces", {**columns, "updated_at": clock.now()}, id=namespace_id)


async def move_namespace(tx: Tx, namespace_id: int, parent_id: int | None) -> str:
    """Move the namespace below another one (None: to the top level) with every path below it; its new full path.

    Both trees must be locked.
    """
    [(old_path, old_name, path, name)] = await tx.rows(
        tuple[str, str, str, str],
        """SELECT r.path, n.full_name, n.path, n.name FROM namespaces n JOIN routes r ON r.namespace_id = n.id
           WHERE n.id = :id""",
        id=namespace_id,
    )
    full_path, full_name = await _place_below(tx, parent_id, path, name)
    await _rename_below(tx, old_path, old_name, full_name)
    await move(tx, old_path, full_path)
    await update(tx, "namespaces", {"parent_id": parent_id, "updated_at": clock.now()}, id=namespace_id)
    return full_path


async def _rename_below(tx: Tx, full_path: str, old: str, new: str) -> None:
    await tx.run(
        f"""UPDATE namespaces SET full_name = :new || substr(full_name, CAST(:rest AS integer))
            WHERE id IN (SELECT r.namespace_id FROM routes r WHERE {_HERE_AND_BELOW})""",
        new=new,
        rest=len(old) + 1,
        **_span(full_path),
    )


async def move(tx: Tx, old: str, new: str) -> None:
    """Move the path `old` and all below it to `new`. The old paths stay known for redirects."""
    if old == new:
        return
    if (growth := len(new) - len(old)) > 0:
        longest: int = await tx.value(f"SELECT max(length(r.path)) FROM routes r WHERE {_HERE_AND_BELOW}", **_span(old))
        _check_length(longest + growth)
    if fold(old) != fold(new):
        await tx.run(
            f"""INSERT INTO former_paths (path_folded, namespace_id, project_id)
                SELECT r.path_folded, r.namespace_id, r.project_id FROM routes r WHERE {_HERE_AND_BELOW}
                ON CONFLICT (path_folded) DO UPDATE
                SET namespace_id = excluded.namespace_id, project_id = excluded.project_id""",
            **_span(old),
        )
    await tx.run(
        f"""UPDATE routes AS r SET path = :new || substr(path, CAST(:rest AS integer)),
                path_folded = :new_folded || substr(path_folded, CAST(:rest AS integer))
            WHERE {_HERE_AND_BELOW}""",
        new=new, new_folded=fold(new), rest=len(old) + 1, **_span(old),
    )  # fmt: skip
    await _end_redirects(tx, new)


async def _end_redirects(tx: Tx, full_path: str) -> None:
    """The path is taken: neither it nor a path below it leads to what was there before.

    A redirect between two paths below it stays, unless its own path is in use.
    """
    await tx.run(
        f"""DELETE FROM former_paths AS r WHERE {_HERE_AND_BELOW} AND (
            EXISTS (SELECT 1 FROM routes used WHERE used.path_folded = r.path_folded)
            OR NOT EXISTS (
                SELECT 1 FROM routes target
                WHERE (target.project_id = r.project_id OR target.namespace_id = r.namespace_id)
                AND (target.path_folded = :here OR (target.path_folded > :first AND target.path_folded < :beyond))))""",
        **_span(full_path),
    )


def _check_length(length: int) -> None:
    """400 for a full path that is too long."""
    if length > MAX_FULL_LENGTH:
        raise errors.invalid({"full_path": [f"is too long (maximum is {MAX_FULL_LENGTH} characters)"]})


async def release_project(tx: Tx, project_id: int) -> None:
    """Release the path of the project; it may be claimed again."""
    await tx.run("DELETE FROM routes WHERE project_id = :id", id=project_id)


async def close(tx: Tx, full_path: str) -> None:
    """Hide the namespace at this path and all below it; their paths may be claimed again."""
    await tx.run(
        f"""UPDATE namespaces SET deleted_at = :now
            WHERE id IN (SELECT r.namespace_id FROM routes r WHERE {_HERE_AND_BELOW})""",
        now=clock.now(),
        **_span(full_path),
    )
    await tx.run(f"DELETE FROM routes AS r WHERE {_HERE_AND_BELOW}", **_span(full_path))


async def erase(tx: Tx, namespace_ids: list[int]) -> None:
    """Delete the rows of closed namespaces and all rows that refer to them."""
    await tx.run("DELETE FROM namespaces WHERE id IN :ids AND deleted_at IS NOT NULL", ids=namespace_ids)


async def erase_personal(tx: Tx, user_id: int) -> None:
    """Delete the row of the closed namespace of a deleted user."""
    await tx.run("DELETE FROM namespaces WHERE owner_id = :id AND deleted_at IS NOT NULL", id=user_id)


def _span(full_path: str) -> dict[str, str]:
    """A path and the range of all paths below it: from "a/" to "a0", as "0" is the character after "/"."""
    here = fold(full_path)
    return {"here": here, "first": f"{here}/", "beyond": f"{here}0"}
