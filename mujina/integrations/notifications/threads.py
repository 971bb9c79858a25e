"""The subjects of mails: issues, merge requests, epics, snippets, commits, pipelines, projects and groups."""

from typing import Annotated, Final, LiteralString

import msgspec

from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.urls import web
from mujina.planning.subscriptions.participation import who_may_read
from mujina.workspaces.groups.rules import ADMIN_GROUP, READ_GROUP
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_CODE, READ_PROJECT

SHORT_SHA: Final = 8


class MailSubject(Row, alias="x"):
    """One row that mail is about, and the project or group that it belongs to."""

    id: int
    project_id: int | None
    """None: it belongs to a group."""
    namespace_id: int
    """The group, or the namespace of the project."""
    owner_name: Annotated[str, "x.name"]
    """The name of the project or group."""
    path: str
    number: Annotated[str, "x.number"]
    """Its number in the project or group, the id of a commit."""
    title: str
    text: Annotated[str | None, "x.description"]


class MailThread(msgspec.Struct, frozen=True):
    """A subject with its kind."""

    kind: str
    subject: MailSubject

    @property
    def noun(self) -> str:
        return self.kind.replace("_", " ")

    @property
    def reference(self) -> str:
        """The reference in texts of its project."""
        if self.kind == "commit":
            return self.subject.number[:SHORT_SHA]
        return f"{_SIGNS.get(self.kind, '')}{self.subject.number}"

    @property
    def name(self) -> str:
        """The name in sentences: `issue #1`, `the project Website`."""
        if self.kind in ("project", "group"):
            return f"the {self.kind} {self.subject.owner_name}"
        return f"{self.noun} {self.reference}"

    @property
    def url(self) -> str:
        subject = self.subject
        match self.kind:
            case "project":
                return web(f"/{subject.path}")
            case "group":
                return web(f"/groups/{subject.path}")
            case "epic":
                return web(f"/groups/{subject.path}/-/epics/{subject.number}")
            case "commit":
                return web(f"/{subject.path}/commit/{subject.number}")
            case kind:
                return web(f"/{subject.path}/{kind}s/{subject.number}")

    @property
    def list(self) -> str:
        """The kind and id of the project or group, which outlive its names."""
        if self.subject.project_id is None:
            return f"{self.subject.namespace_id}.groups"
        return f"{self.subject.project_id}.projects"


_SIGNS: Final = {"issue": "#", "merge_request": "!", "epic": "&", "snippet": "$", "pipeline": "#"}

_OF_PROJECT: LiteralString = (
    "JOIN projects p ON p.id = s.project_id AND p.deleted_at IS NULL JOIN routes r ON r.project_id = p.id"
)
_OWNER: LiteralString = "p.id AS project_id, p.namespace_id, p.name, r.path"

_SUBJECTS: dict[str, LiteralString] = {
    "issue": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, {_OWNER}, CAST(s.iid AS text) AS number, s.title, s.description FROM issues s {_OF_PROJECT}
        WHERE s.deleted_at IS NULL AND s.id = :id) x""",
    "merge_request": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, {_OWNER}, CAST(s.iid AS text) AS number, s.title, s.description FROM merge_requests s {_OF_PROJECT}
        WHERE s.id = :id) x""",
    "snippet": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, {_OWNER}, CAST(s.id AS text) AS number, s.title, s.description FROM snippets s {_OF_PROJECT}
        WHERE s.id = :id) x""",
    "commit": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, {_OWNER}, s.sha AS number, s.title, NULL AS description FROM commented_commits s {_OF_PROJECT}
        WHERE s.id = :id) x""",
    "pipeline": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, {_OWNER}, CAST(s.id AS text) AS number, s.ref || ' (' || substr(s.sha, 1, 8) || ')' AS title,
            NULL AS description
        FROM pipelines s {_OF_PROJECT} WHERE s.id = :id) x""",
    "epic": f"""SELECT {MailSubject.columns} FROM (
        SELECT s.id, CAST(NULL AS bigint) AS project_id, n.id AS namespace_id, n.name, r.path,
            CAST(s.iid AS text) AS number, s.title, s.description
        FROM epics s JOIN namespaces n ON n.id = s.group_id AND n.deleted_at IS NULL JOIN routes r ON r.namespace_id = n.id
        WHERE s.id = :id) x""",
    "project": f"""SELECT {MailSubject.columns} FROM (
        SELECT p.id, {_OWNER}, '' AS number, '' AS title, NULL AS description
        FROM projects p JOIN routes r ON r.project_id = p.id WHERE p.deleted_at IS NULL AND p.id = :id) x""",
    "group": f"""SELECT {MailSubject.columns} FROM (
        SELECT n.id, CAST(NULL AS bigint) AS project_id, n.id AS namespace_id, n.name, r.path, '' AS number, '' AS title,
            NULL AS description
        FROM groups g JOIN namespaces n ON n.id = g.id AND n.deleted_at IS NULL JOIN routes r ON r.namespace_id = n.id
        WHERE g.id = :id) x""",
}
"""Kind → the statement that finds its row."""
KINDS: Final = (*_SUBJECTS,)
"""The kinds of subjects that mails are about."""


async def find_thread(tx: Tx, kind: str, id: int) -> MailThread | None:
    """Returns the subject of a mail; None if it is gone."""
    found = await tx.row(MailSubject, _SUBJECTS[kind], id=id) if kind in _SUBJECTS else None
    return None if found is None else MailThread(kind, found)


async def readers(tx: Tx, kind: str, id: int, user_ids: list[int], *, managing: bool = False) -> list[int]:
    """Returns those users who may read it now, by the rule of its kind; `managing`: who may choose its members."""
    bound = {"id": id, "user_ids": user_ids, "today": clock.today()}
    match kind, managing:
        case "commit", _:
            return await tx.values(_READ_COMMIT, **bound)
        case "pipeline", _:
            return await tx.values(_READ_PIPELINE, **bound)
        case "project", False:
            return await tx.values(_READ_PROJECT, **bound)
        case "project", True:
            return await tx.values(_ADMIN_PROJECT, **bound)
        case "group", False:
            return await tx.values(_READ_GROUP, **bound)
        case "group", True:
            return await tx.values(_ADMIN_GROUP, **bound)
        case _:
            return await who_may_read(tx, kind, id, user_ids)


def _who(rows: LiteralString, rule: Rule) -> LiteralString:
    return f"""SELECT u.id FROM users u CROSS JOIN {rows} AND u.id IN :user_ids AND u.deleted_at IS NULL
        AND {rule.of("u")} ORDER BY u.id"""


_READ_COMMIT: LiteralString = _who(
    "commented_commits c JOIN projects p ON p.id = c.project_id WHERE c.id = :id AND p.deleted_at IS NULL", READ_CODE
)
_READ_PIPELINE: LiteralString = _who(
    "pipelines pl JOIN projects p ON p.id = pl.project_id WHERE pl.id = :id AND p.deleted_at IS NULL", READ_PIPELINES
)
_READ_PROJECT: LiteralString = _who("projects p WHERE p.id = :id AND p.deleted_at IS NULL", READ_PROJECT)
_ADMIN_PROJECT: LiteralString = _who("projects p WHERE p.id = :id AND p.deleted_at IS NULL", ADMIN_PROJECT)
_READ_GROUP: LiteralString = _who(
    "groups g JOIN namespaces n ON n.id = g.id WHERE g.id = :id AND n.deleted_at IS NULL", READ_GROUP
)
_ADMIN_GROUP: LiteralString = _who(
    "groups g JOIN namespaces n ON n.id = g.id WHERE g.id = :id AND n.deleted_at IS NULL", ADMIN_GROUP
)
