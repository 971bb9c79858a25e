"""The lock that every change of paths takes first."""

from contextlib import suppress

from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.params import Ref

_ROOTS = """
    SELECT n.id FROM namespaces n WHERE n.id IN (
        SELECT coalesce(
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = here.id ORDER BY t.depth DESC LIMIT 1), here.id)
        FROM namespaces here WHERE here.id IN :ids OR here.owner_id = :owner_id
        OR here.id IN (SELECT r.namespace_id FROM routes r WHERE r.path_folded IN :paths)
        OR here.id IN (SELECT p.namespace_id FROM projects p WHERE p.id = coalesce(
            CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path))))
    ORDER BY n.id
"""


class _Moved(Exception):
    """A group, project or path went to another tree while the transaction waited for the lock of its old tree."""


async def lock_trees(tx: Tx, *refs: Ref, project: Ref | None = None, owner_id: int = 0) -> None:
    """Until the transaction ends, no other transaction claims, moves or releases a path in the trees of these
    namespaces, of this project and of this user's own namespace, or changes what is counted there.

    A transaction that changes the shape of a tree locks it before reading: what it reads afterward stays true.
    It locks the roots of all trees it needs in one statement, ordered by id, so that no two transactions deadlock.
    """
    bound: dict[str, Value] = {
        "ids": [ref.id for ref in refs if ref.id is not None],
        "paths": [ref.bound["ref_path"] for ref in refs if ref.id is None],
        "owner_id": owner_id,
        **(project or Ref("")).bound,
    }
    locked = False
    while not locked:
        with suppress(_Moved):
            async with tx.savepoint():
                await _lock_roots(tx, bound)
            locked = True


async def _lock_roots(tx: Tx, bound: dict[str, Value]) -> None:
    """Lock the roots of the trees in which these are found, or raise `_Moved`.

    Another transaction may transfer a group or a project, or give a path to another namespace, between the look-up of the
    root and its lock.
    """
    if await tx.values(_ROOTS + "FOR NO KEY UPDATE", **bound) != await tx.values(_ROOTS, **bound):
        raise _Moved
