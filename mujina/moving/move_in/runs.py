"""What every part of a run needs: the source, the people, the texts, and the report."""

from collections.abc import AsyncIterable, Callable, Mapping
from typing import Final, TypeVar

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services
from mujina.moving.move_in import moved
from mujina.moving.move_in.people import SourcePeople
from mujina.moving.move_in.report import MoveReport
from mujina.moving.move_in.texts import Texts
from mujina.moving.sources.forge import Forge
from mujina.moving.sources.records import GroupRecord, SourceProject

Item = TypeVar("Item")
Progress = Callable[[str, int, int], None]
NO_FILES: Final[Mapping[str, str]] = {}


class MoveRun(msgspec.Struct, frozen=True):
    """One run of a move."""

    services: Services
    source: Forge
    key: str
    """What came is known by it: other runs with the same key find it again."""
    people: SourcePeople
    texts: Texts
    report: MoveReport
    token: str
    """For git; the source has it in its headers."""
    project_id: int | None = None
    """The project here that alone is filled; it gets the labels of groups as well."""

    def text(self, text: str | None, max_length: int, address: str, files: Mapping[str, str] = NO_FILES) -> str:
        """The text as it is stored here; a problem if it is cut. `files`: see `Texts.rewrite`."""
        rewritten = self.texts.rewrite(text or "", files)
        if len(rewritten) > max_length:
            self.report.problem(address, f"Its text is longer than {max_length} characters: the rest is left out.")
        return rewritten[:max_length]

    def address_of(self, project: SourceProject, rest: str = "") -> str:
        """The address of something in a project at the source, for people."""
        return self.source.page_of(project, rest)


class OwnerRun(msgspec.Struct, frozen=True):
    """The move of what one project or group has, which is here already."""

    run: MoveRun
    id: int
    files: dict[str, str] = {}
    """The files of texts that were moved: `/uploads/secret/name` at the source → the same here."""

    @property
    def owner(self) -> dict[str, int]:
        """The column of its id, in rows that belong to it."""
        raise NotImplementedError

    def address(self, rest: str) -> str:
        """The address of something in it at the source, for people."""
        raise NotImplementedError

    async def find(self, tx: Tx, kind: str, source_id: str | int) -> moved.MovedObject | None:
        return await moved.find(tx, self.run.key, kind, source_id)

    async def remember(self, tx: Tx, kind: str, source_id: str | int, object_id: int, *, fingerprint: str = "") -> None:
        await moved.remember(tx, self.run.key, kind, source_id, object_id, fingerprint=fingerprint, **self.owner)

    def text(self, text: str | None, max_length: int, rest: str) -> str:
        """The text of something in it as it is stored here; a problem if it is cut."""
        return self.run.text(text, max_length, self.address(rest), self.files)

    def problem(self, rest: str, reason: str) -> None:
        """List something of it that does not come."""
        self.run.report.problem(self.address(rest), reason)


class ProjectRun(OwnerRun, frozen=True, kw_only=True):
    """The move of one project."""

    project: SourceProject

    @property
    def owner(self) -> dict[str, int]:
        return {"project_id": self.id}

    def address(self, rest: str) -> str:
        return self.run.address_of(self.project, rest)


class GroupRun(OwnerRun, frozen=True, kw_only=True):
    """The move of one group."""

    group: GroupRecord

    @property
    def owner(self) -> dict[str, int]:
        return {"group_id": self.id}

    def address(self, rest: str) -> str:
        return f"{self.run.source.address}/groups/{self.group.full_path}{rest}"


async def collect(pages: AsyncIterable[list[Item]]) -> list[Item]:
    """All pages of a short list."""
    return [item async for page in pages for item in page]
