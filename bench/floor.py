"""The floor: the same responses with nothing around them. A bare ASGI function and hand-written statements, without
authentication, rules or parameters; for writes, the same rows and the same commit.

    FLOOR_DATABASE_URL=sqlite:////tmp/bench.db granian --interface asgi bench.floor:app
"""

import os
from typing import Any

import msgspec

from bench.seed import HOT
from mujina.kernel import clock
from mujina.kernel.db.connect import connect
from mujina.planning.issues.declarations.work_item import SUBSCRIBED
from mujina.planning.issues.entities import JOINED

BASE = "http://127.0.0.1:8080"
SIZE = 20

database = connect(os.environ.get("FLOOR_DATABASE_URL", "sqlite:///floor.db"))
encode = msgspec.json.Encoder().encode

COLUMNS = """
    i.id, i.iid, i.project_id, i.title, i.description, i.state, i.created_at, i.updated_at, i.closed_at,
    i.user_notes_count, i.due_on, i.confidential, i.weight, i.discussion_locked, i.time_estimate, i.total_time_spent,
    r.path, u.id, u.username, u.name, u.state, u.avatar, ms.id, ms.iid, ms.project_id, ms.group_id, ms.title,
    ms.description, ms.state, ms.created_at, ms.updated_at, ms.due_on, ms.start_on, ms.closed_at"""
PAGE = f"""
    SELECT {COLUMNS} FROM issues i {JOINED}
    WHERE i.id IN (SELECT i.id FROM issues i WHERE i.project_id = :project_id AND i.deleted_at IS NULL
                   ORDER BY i.created_at DESC, i.id DESC LIMIT :limit OFFSET :offset)
    ORDER BY i.created_at DESC, i.id DESC"""
ONE = f"SELECT {COLUMNS}, {SUBSCRIBED} FROM issues i {JOINED} WHERE i.project_id = :project_id AND i.iid = :iid"
LABELS_AND_ASSIGNEES = """
    SELECT il.issue_id, l.title, 0, '', '', '', NULL FROM issue_labels il JOIN labels l ON l.id = il.label_id
    WHERE il.issue_id IN :ids
    UNION ALL
    SELECT a.issue_id, NULL, u.id, u.username, u.name, u.state, u.avatar FROM issue_assignees a
    JOIN users u ON u.id = a.user_id WHERE a.issue_id IN :ids
    ORDER BY 2, 3"""
TOTAL = "SELECT CAST(sum(n) AS bigint) FROM issue_counts WHERE project_id = :project_id"


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    path: str = scope["path"]
    if scope["method"] == "POST":
        body = await create((await receive())["body"])
    elif path.endswith("/issues"):
        page = int(scope["query_string"].partition(b"page=")[2] or 1)
        body = await page_of_issues(page)
    else:
        body = await single(int(path.rpartition("/")[2]))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await database.open()
            await send({"type": "lifespan.startup.complete"})
        else:
            await database.close()
            await send({"type": "lifespan.shutdown.complete"})
            return


async def page_of_issues(page: int) -> bytes:
    async with database.reading() as tx:
        await tx.value(TOTAL, project_id=HOT)
        rows = await tx.rows(tuple[Any, ...], PAGE, project_id=HOT, limit=SIZE, offset=(page - 1) * SIZE)
        return encode(await to_issues(tx, rows))


async def single(iid: int) -> bytes:
    async with database.reading() as tx:
        rows = await tx.rows(tuple[Any, ...], ONE, project_id=HOT, iid=iid, actor=1)
        return encode(with_links((await to_issues(tx, rows))[0], rows[0]))


def with_links(issue_: dict[str, Any], row: tuple[Any, ...]) -> dict[str, Any]:
    here = f"{BASE}/api/v4/projects/{row[2]}/issues/{row[1]}"
    links = {"self": here, "notes": f"{here}/notes", "award_emoji": f"{here}/award_emoji",
             "project": f"{BASE}/api/v4/projects/{row[2]}"}  # fmt: skip
    return issue_ | {"subscribed": bool(row[-1]), "_links": links}


async def to_issues(tx: Any, rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    labels: dict[int, list[str]] = {row[0]: [] for row in rows}
    people: dict[int, list[dict[str, Any]]] = {row[0]: [] for row in rows}
    for issue_id, label, *user in await tx.rows(tuple[Any, ...], LABELS_AND_ASSIGNEES, ids=[row[0] for row in rows]):
        if label is None:
            people[issue_id].append(person(user))
        else:
            labels[issue_id].append(label)
    return [issue(row, labels[row[0]], people[row[0]]) for row in rows]


def person(columns: Any) -> dict[str, Any]:
    id_, username, name, state, _ = columns
    return {"id": id_, "username": username, "name": name, "state": state, "avatar_url": None,
            "web_url": f"{BASE}/{username}"}  # fmt: skip


def issue(row: tuple[Any, ...], labels: list[str], people: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": row[0], "iid": row[1], "project_id": row[2], "title": row[3], "description": row[4], "state": row[5],
        "created_at": row[6], "updated_at": row[7], "closed_at": row[8], "labels": labels,
        "milestone": {
            "id": row[22], "iid": row[23], "project_id": row[24], "title": row[26], "description": row[27],
            "state": row[28], "created_at": row[29], "updated_at": row[30], "due_date": row[31], "start_date": row[32],
        } if row[22] else None,
        "assignees": people, "author": person(row[17:22]), "assignee": people[0] if people else None,
        "user_notes_count": row[9], "due_date": row[10], "confidential": bool(row[11]), "weight": row[12],
        "discussion_locked": bool(row[13]), "web_url": f"{BASE}/{row[16]}/issues/{row[1]}",
        "time_stats": {"time_estimate": row[14], "total_time_spent": row[15], "human_time_estimate": None,
                       "human_total_time_spent": None},
    }  # fmt: skip


async def create(body: bytes) -> bytes:
    title, now = msgspec.json.decode(body)["title"], clock.now()
    async with database.transaction() as tx:
        iid = await tx.value(
            """INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES ('project', :id, 'issue', 1)
               ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1 RETURNING last""",
            id=HOT,
        )
        await tx.run(
            """INSERT INTO issues (project_id, iid, title, title_folded, author_id, created_at, updated_at)
               VALUES (:id, :iid, :title, :title, 1, :now, :now)""",
            id=HOT, iid=iid, title=title, now=now,
        )  # fmt: skip
        await tx.run(
            """INSERT INTO events (kind, actor_id, author_id, project_id, subject_kind, subject_id, created_at)
               VALUES ('issue.created', 1, 1, :id, 'issue', :iid, :now)""",
            id=HOT, iid=iid, now=now,
        )  # fmt: skip
        rows = await tx.rows(tuple[Any, ...], ONE, project_id=HOT, iid=iid, actor=1)
        return encode(with_links((await to_issues(tx, rows))[0], rows[0]))
