"""Redmine as a source: projects without code, whose trackers and categories become labels, and whose versions become milestones."""

import re
from collections.abc import AsyncGenerator, Sequence
from typing import ClassVar, Final
from urllib.parse import quote

from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import Query, SourceClient, SourceError
from mujina.moving.sources.records import (
    GroupRecord,
    LinkedIssue,
    MilestoneId,
    ProjectNamespace,
    SourceDiscussion,
    SourceIssue,
    SourceLabel,
    SourceMilestone,
    SourceNote,
    SourcePerson,
    SourceProject,
    SourceTimes,
    derived_id,
)
from mujina.moving.sources.redmine import shapes
from mujina.moving.sources.redmine.shapes import NamedThing, describe_change

TRACKER_COLOR: Final = "#1f75cb"
CATEGORY_COLOR: Final = "#6e7582"
_INLINE: Final = re.compile(r"(?<![\w!])!([^\s!<>\[\]()]{1,255})!(?!\w)")
"""An attached picture in a text of Redmine."""


class Redmine(Forge):
    """Reads one instance. Numbers of issues are those of the whole instance, and stay."""

    has_code: ClassVar = False

    def __init__(self, client: SourceClient, problem: ReportProblem) -> None:
        super().__init__(client, problem)
        self._people = dict[int, SourcePerson]()
        self._statuses = dict[int, shapes.IssueStatus]()
        self._related = dict[int, list[int]]()

    # Projects

    async def project(self, path: str) -> SourceProject:
        return _project(
            (await self._client.one(shapes.ProjectAnswer, f"/projects/{quote(path, safe='')}.json")).project
        )

    async def group(self, path: str) -> GroupRecord:
        """A group for a project and those below it."""
        found = await self.project(path)
        return GroupRecord(
            id=found.id, path=found.path, full_path=found.path, name=found.name, description=found.description,
            visibility=found.visibility,
        )  # fmt: skip

    async def projects_of(self, group_id: int) -> AsyncGenerator[list[SourceProject]]:
        """The project itself, and all below it."""
        found, wanted = [each async for page in self._all_projects() for each in page], {group_id}
        for _ in range(len(found)):
            below = {each.id for each in found if each.parent and each.parent.id in wanted}
            if below <= wanted:
                break
            wanted |= below
        yield [_project(each) for each in found if each.id in wanted]

    async def projects(self) -> AsyncGenerator[list[SourceProject]]:
        async for page in self._all_projects():
            yield [_project(each) for each in page]

    def _all_projects(self) -> AsyncGenerator[list[shapes.RedmineProject]]:
        return self._pages(shapes.RedmineProject, "/projects.json", key="projects")

    def page_of(self, project: SourceProject, rest: str) -> str:
        return f"{self.address}{rest.removeprefix('/-')}" if rest.startswith("/-") else super().page_of(project, rest)

    async def count(self, project_id: int, noun: str) -> int | None:
        if noun == "milestones":
            return await self._count(f"/projects/{project_id}/versions.json")
        return await self._count("/issues.json", _issues_of(project_id)) if noun == "issues" else None

    # People

    async def person(self, person_id: int) -> SourcePerson:
        return await self._named(NamedThing(person_id))

    async def token_owner(self) -> SourcePerson:
        return await self._named(NamedThing((await self._client.one(shapes.UserAnswer, "/users/current.json")).user.id))

    async def _person(self, named: NamedThing | None) -> SourcePerson | None:
        return None if named is None else await self._named(named)

    async def _named(self, named: NamedThing) -> SourcePerson:
        """The person, asked for once; one whom the token may not read has a number as username."""
        if named.id not in self._people:
            try:
                user = (await self._client.one(shapes.UserAnswer, f"/users/{named.id}.json")).user
            except SourceError:
                user = shapes.RedmineUser(named.id)
            name = named.name or f"{user.firstname} {user.lastname}".strip()
            login = user.login or f"user-{named.id}"
            self._people[named.id] = SourcePerson(named.id, login, name or login, user.mail)
        return self._people[named.id]

    # Labels, milestones, issues

    async def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        if owner == "projects":
            path = f"/projects/{owner_id}.json?include=trackers,issue_categories"
            answer = await self._one(shapes.ProjectAnswer, path)
            things = [(TRACKER_COLOR, each) for each in answer.project.trackers] if answer else []
            things += [(CATEGORY_COLOR, each) for each in answer.project.issue_categories] if answer else []
            yield [
                # A tracker is a label in each project, with ids apart from those of categories.
                SourceLabel(derived_id(f"{owner_id} {color} {each.id}"), each.name, color)
                for color, each in things
                if each.name
            ]

    async def milestones(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMilestone]]:
        if owner == "projects":
            path = f"/projects/{owner_id}/versions.json"
            async for page in self._pages(shapes.RedmineVersion, path, key="versions"):
                yield [_milestone(each) for each in page if each.project.id == owner_id]

    async def issues(self, project_id: int) -> AsyncGenerator[list[SourceIssue]]:
        await self._learn_statuses()
        query = {**_issues_of(project_id), "sort": "id", "include": "attachments,relations"}
        async for page in self._pages(shapes.RedmineIssue, "/issues.json", query, "issues", long=True):
            self._related = {
                each.id: [end for one in each.relations for end in (one.issue_id, one.issue_to_id) if end != each.id]
                for each in page
            }
            yield [await self._issue(each) for each in page]

    async def _issue(self, issue: shapes.RedmineIssue) -> SourceIssue:
        closed = self._statuses.get(issue.status.id, issue.status).is_closed
        assignee = await self._person(issue.assigned_to)
        return SourceIssue(
            id=issue.id, iid=issue.id, title=issue.subject, author=await self._person(issue.author),
            created_at=issue.created_on, updated_at=issue.updated_on,
            description=self._text(issue.description or "", issue.attachments),
            closed_at=(issue.closed_on or issue.updated_on) if closed else None, state="closed" if closed else "opened",
            labels=[each.name for each in (issue.tracker, issue.category) if each],
            assignees=[assignee] if assignee else [], confidential=issue.is_private, due_date=issue.due_date,
            milestone=MilestoneId(issue.fixed_version.id) if issue.fixed_version else None,
            time_stats=SourceTimes(int((issue.estimated_hours or 0) * 3600)),
        )  # fmt: skip

    async def _learn_statuses(self) -> None:
        if not self._statuses:
            async for page in self._pages(shapes.IssueStatus, "/issue_statuses.json", key="issue_statuses"):
                self._statuses |= {each.id: each for each in page}

    def _text(self, text: str, attachments: Sequence[shapes.RedmineAttachment]) -> str:
        """The text with the pictures that it shows, and links to all other attached files at its end."""
        links = {
            each.filename: self.link_file(
                f"{self.address}/attachments/download/{each.id}/{quote(each.filename)}", each.filename
            )
            for each in attachments
        }
        shown = set[str]()

        def picture(found: re.Match[str]) -> str:
            if found[1] not in links:
                return found[0]
            shown.add(found[1])
            return f"![{found[1]}]({links[found[1]]})"

        text = _INLINE.sub(picture, text)
        rest = [f"[{name}]({link})" for name, link in links.items() if name not in shown]
        return "\n\n".join([part for part in (text, *rest) if part])

    async def links(self, project_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:  # noqa: ARG002
        yield [LinkedIssue(each) for each in self._related.get(iid, [])]

    async def discussions(self, project_id: int, noun: str, iid: int) -> AsyncGenerator[list[SourceDiscussion]]:  # noqa: ARG002
        """Each journal as a comment, and its changes as a system note."""
        path = f"/issues/{iid}.json?include=journals"
        answer = await self._one(shapes.JournalAnswer, path)
        for journal in answer.issue.journals if answer else ():
            if journal.private_notes:
                self._problem(f"{self.address}/issues/{iid}#change-{journal.id}", "It is a private note.")
            else:
                yield [SourceDiscussion(f"j{note.id}", True, [note]) for note in await self._notes(journal)]

    async def _notes(self, journal: shapes.Journal) -> list[SourceNote]:
        statuses = {str(each.id): each.name for each in self._statuses.values()}
        changes = "; ".join(describe_change(each, statuses) for each in journal.details)
        author, at = await self._person(journal.user), journal.created_on
        text = (journal.notes or "").strip()
        notes = [SourceNote(journal.id * 2, text, author, at, journal.updated_on or at)] if text else []
        return [*notes, SourceNote(journal.id * 2 + 1, changes, author, at, at, system=True)] if changes else notes


def _issues_of(project_id: int) -> Query:
    return {"project_id": project_id, "subproject_id": "!*", "status_id": "*"}


def _project(found: shapes.RedmineProject) -> SourceProject:
    """A project, which has no group at the source: `--into`, or a group for it, says where it goes."""
    return SourceProject(
        id=found.id, path=found.identifier, name=found.name, path_with_namespace=f"projects/{found.identifier}",
        namespace=ProjectNamespace(1, "user", ""), created_at=found.created_on, description=found.description or None,
        visibility="public" if found.is_public else "private", archived=found.status != 1,
        last_activity_at=found.updated_on,
    )  # fmt: skip


def _milestone(version: shapes.RedmineVersion) -> SourceMilestone:
    return SourceMilestone(
        id=version.id, iid=version.id, title=version.name, state="closed" if version.status == "closed" else "active",
        created_at=version.created_on, updated_at=version.updated_on, description=version.description,
        due_date=version.due_date,
    )  # fmt: skip
