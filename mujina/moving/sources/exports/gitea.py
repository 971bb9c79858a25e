"""The dump of a repository by Gitea or Forgejo: lists of YAML objects, and bare repositories."""

import re
from collections.abc import Generator, Iterable
from pathlib import PurePosixPath
from typing import Any, ClassVar, Final, cast
from urllib.parse import quote

from mujina.ci.language.yaml.reader import InvalidYaml, read_yaml
from mujina.ci.language.yaml.values import MAX_BYTES
from mujina.kernel import clock
from mujina.moving.archives.unpacking import UnusableArchive
from mujina.moving.archives.writing import ArchiveManifest
from mujina.moving.sources.archive import ArchivedForge
from mujina.moving.sources.exports.documents import ExportDocuments, Fields, fields_of, given, objects, picked, text_of
from mujina.moving.sources.exports.operations import add_bare
from mujina.moving.sources.operations import Query
from mujina.moving.sources.pulls.forge import ALL
from mujina.moving.sources.pulls.gitea import Gitea

ROOT: Final = "repo.yml"
_STATES: Final = {
    "APPROVED": "APPROVED", "CHANGES_REQUESTED": "REQUEST_CHANGES", "REQUEST_CHANGES": "REQUEST_CHANGES",
    "COMMENTED": "COMMENT", "COMMENT": "COMMENT",
}  # fmt: skip
_NAME: Final = re.compile(r"[\w.-]{1,100}")


class GiteaArchive(ArchivedForge, Gitea):
    """Reads a dump."""

    pulls_only: ClassVar[tuple[str, Query]] = ("pulls", ALL)


def find_dump(names: Iterable[str]) -> str | None:
    """The folder of the dump among these members, with a slash; None if there is none."""
    found = [name for name in names if PurePosixPath(name).name == ROOT]
    return min(found, key=len).removesuffix(ROOT) if found else None


class GiteaDump:
    """Writes the documents of one dump."""

    def __init__(self, documents: ExportDocuments, folder: str) -> None:
        self._documents, self._folder = documents, folder
        self._people = dict[str, Fields]()
        self._names = dict[int, str]()
        """Username by the id that the forge had for the person."""
        self._milestones = dict[str, int]()
        self._root = next(self._read(ROOT), Fields())
        owner, name = text_of(self._root.get("owner")), text_of(self._root.get("name"))
        if not (_NAME.fullmatch(owner) and _NAME.fullmatch(name)):
            raise UnusableArchive(f"Its {ROOT} names no repository.")
        self._path = f"{owner}/{name}"
        self._here = f"/repos/{self._path}"

    def write(self) -> ArchiveManifest:
        """Write everything that moves."""
        documents, here = self._documents, self._here
        for found in self._read("label.yml"):
            label = picked(found, "name", "color", "description")
            documents.add(f"{here}/labels", {"id": documents.number(), **label})
        for number, found in enumerate(self._read("milestone.yml"), 1):
            documents.add(f"{here}/milestones", self._milestone(found, number))
        for found in self._read("issue.yml"):
            documents.add(f"{here}/issues", self._work(found))
        for found in self._read("pull_request.yml"):
            documents.add(f"{here}/pulls", self._pull(found))
        for found in self._read("release.yml"):
            documents.add(f"{here}/releases", self._release(found))
        self._write_comments()
        self._write_repositories()
        documents.people(self._people.values())
        return ArchiveManifest(self._origin(), "", project=self._path)

    def _origin(self) -> str:
        """The address of the forge: that of the repository without its path."""
        address = text_of(self._root.get("original_url")) or text_of(self._root.get("clone_addr"))
        return address.removesuffix(".git").removesuffix(f"/{self._path}")

    def _read(self, name: str) -> Generator[Fields]:
        """The objects of a list in the dump, or the one object of a file."""
        file = self._documents.members.get(f"{self._folder}{name}")
        if file is None:
            return
        part = bytearray()
        with file.open("rb") as opened:
            while line := opened.readline(MAX_BYTES):
                if line.startswith((b"- ", b"-\n")):
                    yield from self._parse(name, bytes(part))
                    part.clear()
                if len(part) <= MAX_BYTES:
                    part += line
        yield from self._parse(name, bytes(part))

    def _parse(self, name: str, part: bytes) -> Generator[Fields]:
        if not part.strip():
            return
        try:
            _, value = read_yaml(part)
        except InvalidYaml as error:
            self._documents.problem(name, f"Something in it is not read: {error}")
            return
        yield from objects(value if isinstance(value, list) else [value])

    def _person(self, name: Any, person_id: Any = None, email: Any = None) -> Fields | None:
        """The person of this name, or else of this id."""
        known = isinstance(person_id, int) and person_id > 0
        login = text_of(name)[:255] or (self._names.get(person_id, "") if known else "")
        if not login:
            return None
        if known:
            self._names[person_id] = login
        if login not in self._people:
            address = text_of(email) or None
            self._people[login] = given(id=self._documents.number(), login=login, email=address)
        return self._people[login]

    def _milestone(self, found: Fields, number: int) -> Fields:
        milestone_id = self._documents.number()
        self._milestones[text_of(found.get("title"))] = milestone_id
        return given(
            id=milestone_id, number=number, due_on=found.get("deadline"), created_at=found.get("created"),
            updated_at=found.get("updated"), **picked(found, "title", "description", "state"),
        )  # fmt: skip

    def _written(self, found: Fields) -> Fields:
        """The fields of every authored object."""
        author = self._person(found.get("poster_name"), found.get("poster_id"), found.get("poster_email"))
        assets = [
            given(id=self._documents.number(), name=each.get("name"), browser_download_url=each.get("download_url"))
            for each in objects(found.get("assets"))
        ]
        at = found.get("created") or found.get("created_at")
        return {
            "user": author,
            **given(
                body=found.get("content"), created_at=at, updated_at=found.get("updated") or found.get("updated_at") or at,
                assets=assets, reactions={"total_count": len(objects(found.get("reactions")))},
            ),
        }  # fmt: skip

    def _work(self, found: Fields) -> Fields:
        """An issue or pull; its comments are in a file of its own, if it has any."""
        number, names = found.get("number"), found.get("assignees")
        people = [self._person(each) for each in cast("list[Any]", names)] if isinstance(names, list) else []
        milestone = self._milestones.get(text_of(found.get("milestone")))
        written = self._written(found)
        self._write_reactions(f"{self._here}/issues/{number}", found, written)
        return {
            **written,
            **given(
                id=number, closed_at=found.get("closed"), labels=[picked(each, "name") for each in objects(found.get("labels"))],
                assignees=[each for each in people if each], milestone={"id": milestone} if milestone else None,
                comments=int(f"{self._folder}comments/{number}.yml" in self._documents.members),
            ),
            **picked(found, "number", "title", "state", "is_locked"),
        }  # fmt: skip

    def _pull(self, found: Fields) -> Fields:
        """The pull; a dump has its head in the repository, also that of a fork."""
        head, base = (
            {"repo": {"id": 1}, **picked(fields_of(found.get(side)), "ref", "sha")} for side in ("head", "base")
        )
        merged_at = (found.get("merged_time") or found.get("closed")) if found.get("merged") is True else None
        return self._work(found) | given(
            head=head, base=base, merged_at=merged_at, merge_commit_sha=text_of(found.get("merge_commit_sha")) or None
        )

    def _write_reactions(self, path: str, found: Fields, written: Fields) -> None:
        """The reactions to something, as of the day on which it was written: no other is known."""
        at = picked(written, "created_at")
        self._documents.list(f"{path}/reactions", [
            {"id": self._documents.number(), "user": self._person(each.get("user_name"), each.get("user_id")),
             **picked(each, "content"), **at}
            for each in objects(found.get("reactions"))
        ])  # fmt: skip

    def _release(self, found: Fields) -> Fields:
        tag, assets = text_of(found.get("tag_name")), list[Fields]()
        for each in objects(found.get("assets")):
            member = f"{self._folder}{text_of(each.get('download_url'))}"
            path = f"/{self._path}/releases/download/{quote(tag)}/{quote(text_of(each.get('name')))}"
            url = f"{self._origin()}{path}"
            self._documents.file("/" + url.partition("://")[2].partition("/")[2], member)
            assets.append(given(id=self._documents.number(), name=each.get("name"), browser_download_url=url))
        author = self._person(found.get("publisher_name"), found.get("publisher_id"), found.get("publisher_email"))
        return given(
            author=author, created_at=found.get("created"), published_at=found.get("published"), assets=assets,
            **picked(found, "tag_name", "name", "body", "draft"),
        )  # fmt: skip

    def _write_comments(self) -> None:
        """Comments, then reviews: their comments name people by ids only."""
        names = [PurePosixPath(name.removeprefix(self._folder)) for name in self._documents.members]
        numbered = sorted(
            (each.parts[0], each.stem) for each in names if len(each.parts) == 2 and each.stem.isdecimal()
        )
        for folder, number in numbered:
            found = self._read(f"{folder}/{number}.yml")
            if folder == "comments":
                self._documents.list(f"{self._here}/issues/{number}/comments", self._comments(found))
            elif folder == "reviews":
                path = f"{self._here}/pulls/{number}/reviews"
                self._documents.list(path, [self._review(path, each) for each in found])

    def _comments(self, comments: Iterable[Fields]) -> Generator[Fields]:
        for found in comments:
            if found.get("comment_type") in (None, "", "comment"):
                yield self._comment(found)

    def _comment(self, found: Fields) -> Fields:
        comment_id, written = self._documents.number(), self._written(found)
        self._write_reactions(f"{self._here}/issues/comments/{comment_id}", found, written)
        return {"id": comment_id, **written}

    def _review(self, path: str, found: Fields) -> Fields:
        review_id, comments = self._documents.number(), objects(found.get("comments"))
        about = [self._line_comment(each, review_id) for each in comments]
        self._documents.list(f"{path}/{review_id}/comments", about)
        return {
            "user": self._person(found.get("reviewer_name"), found.get("reviewer_id")),
            **given(
                id=review_id, state=_STATES.get(text_of(found.get("state")), "PENDING"), body=found.get("content"),
                submitted_at=found.get("created_at"), comments_count=len(comments), **picked(found, "commit_id"),
            ),
        }  # fmt: skip

    def _line_comment(self, found: Fields, review_id: int) -> Fields:
        """A comment about a line of the new file, or about one of the old file, which has a negative number."""
        line = found.get("line") if isinstance(found.get("line"), int) else 0
        return self._comment(found) | given(
            path=found.get("tree_path"), position=max(line or 0, 0), original_position=max(-(line or 0), 0),
            pull_request_review_id=review_id, **picked(found, "diff_hunk", "commit_id"),
        )  # fmt: skip

    def _write_repositories(self) -> None:
        documents, private = self._documents, self._root.get("is_private")
        branch = add_bare(documents, f"/{quote(self._path)}.git", f"{self._folder}git")
        add_bare(documents, f"/{quote(self._path)}.wiki.git", f"{self._folder}wiki")
        owner, name = self._path.split("/")
        topics = next(self._read("topic.yml"), Fields()).get("topics")
        documents.one(self._here, given(
            id=1, name=name, full_name=self._path, owner={"id": 1, "login": owner}, created_at=clock.now(),
            description=self._root.get("description"), private=private not in (False, "false"),
            default_branch=text_of(self._root.get("default_branch")) or branch, topics=topics,
        ))  # fmt: skip
