"""A source for moves in the browser, and what tests ask about a move."""

from mujina.moving.personal_moves.rules import MoveRow

AT = "2020-01-01T00:00:00Z"
NEW = "/projects/new/forge"
TOKEN = "the-token-of-the-source"
ANNA = {"id": 7, "username": "anna", "name": "Anna"}


def project(number, path, **more):
    return {
        "id": number, "path": path.rpartition("/")[2], "name": path.rpartition("/")[2].title(), "path_with_namespace": path,
        "created_at": AT, "namespace": {"id": 2, "kind": "group", "full_path": "team"}, "visibility": "public", **more,
    }  # fmt: skip


def issue(number, text):
    return {
        "id": number, "iid": number, "title": "Title", "author": ANNA, "created_at": AT, "updated_at": AT,
        "state": "opened", "description": text, "labels": ["of the group"],
    }  # fmt: skip


def row(cast, move):
    async def find(tx):
        return await tx.row(MoveRow, f"SELECT {MoveRow.columns} FROM moves m WHERE m.id = :id", id=number(move))

    return cast.transact(find)


def number(move):
    return int(move.rpartition("/")[2])


def ticks(page, *paths):
    """The fields of a form in which these projects are ticked."""
    ids = {
        each.partition("</label>")[0].rpartition(">")[2]: each.partition('"')[0]
        for each in page.text.split('name="listed[]" value="')[1:]
    }
    return {"listed": list(ids.values()), "chosen": [ids[path] for path in paths]}
