"""GitLab's export of a project: a tree of JSON objects by relation, or the one document of older versions."""

import re
from collections.abc import Generator, Iterable
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from mujina.kernel import clock
from mujina.moving.sources.exports.documents import (
    ExportDocuments,
    Fields,
    decode,
    decode_list,
    fields_of,
    given,
    objects,
    once,
    picked,
    read_lines,
    read_objects,
    read_parts,
    text_of,
)
from mujina.moving.sources.exports.gitlab_notes import ExportedPeople, write_awards, write_discussions
from mujina.moving.sources.exports.operations import add_bundle, default_branch

TREE: Final = "tree/project.json"
OLD_TREE: Final = "project.json"
MAX_OLD_BYTES: Final = 256 << 20
"""The size of the one document of older versions, which is read into memory."""
HERE: Final = "/api/v4/projects/1"
_FILE_NAME: Final = re.compile(r"(?:[\d-]{10}_[\d-]{6,12}_)?(.*?)(?:_export)?(?:\.tar)?(?:\.gz)?")
_VISIBILITIES: Final = {"10": "internal", "20": "public"}
_FEATURES: Final = {
    "issues_access_level": "issues_enabled", "merge_requests_access_level": "merge_requests_enabled",
    "wiki_access_level": "wiki_enabled", "snippets_access_level": "snippets_enabled", "builds_access_level": "jobs_enabled",
}  # fmt: skip
_READ: Final = (
    "labels", "milestones", "issues", "merge_requests", "releases", "project_members", "protected_branches",
    "protected_tags", "boards", "snippets", "project_feature",
)  # fmt: skip
_WORK: Final = ("iid", "title", "state", "description", "created_at", "updated_at", "closed_at", "discussion_locked")
_SETTINGS: Final = frozenset({
    "auto_devops", "ci_cd_settings", "container_expiration_policy", "design_management_repository",
    "error_tracking_setting", "metrics_setting", "service_desk_setting", "security_setting", "push_rule",
})  # fmt: skip
"""Settings that have no meaning here."""


def project_path(wanted: str, file_name: str) -> str:
    """The path of the project, which the export does not contain: the given one, or else a part of the file's name."""
    found = _FILE_NAME.fullmatch(file_name)
    return wanted or re.sub(r"[^\w.-]+", "-", found[1] if found else "").strip("-._") or "project"


class GitLabExport:
    """Writes the documents of one export."""

    def __init__(self, documents: ExportDocuments, path: str) -> None:
        self._documents, self._path = documents, path
        name = TREE if TREE in documents.members else OLD_TREE
        self._root = read_parts(documents.members[name], MAX_OLD_BYTES)
        self._people = ExportedPeople(documents)
        self._labels = dict[str, Fields]()
        self._milestones = dict[str, Fields]()
        self._highest_milestone = 0

    def write(self) -> None:
        """Write everything that moves, and list what does not."""
        for name in ("issues", "merge_requests"):
            for found in self._relation(name):
                self._people.learn_names(found)
        members = [self._people.member(found) for found in self._relation("project_members")]
        documents = self._documents
        documents.list(f"{HERE}/members", (member for member in members if member))
        for found in self._relation("labels"):
            self._label(found)
        for found in self._relation("milestones"):
            self._milestone(found)
        self._write_work()
        self._write_rest()
        self._write_files()
        documents.list(f"{HERE}/labels", self._labels.values())
        documents.list(f"{HERE}/milestones", self._milestones.values())
        documents.one(f"/api/v4/projects/{quote(self._path, safe='')}", self._project())
        self._list_left_out()

    def _relation(self, name: str) -> Generator[Fields]:
        """The objects of one relation of the project."""
        member = f"tree/project/{name}.ndjson"
        if member in self._documents.members:
            yield from read_lines(self._documents, member)
        elif name in self._root:
            yield from read_objects(self._documents, f"{OLD_TREE} {name}", decode_list(self._root[name]))

    def _project(self) -> Fields:
        root = {name: self._setting(name) for name in ("description", "visibility_level", "archived", "created_at")}
        above, _, name = self._path.rpartition("/")
        features = next(self._relation("project_feature"), Fields())
        ff, rebase = self._setting("merge_requests_ff_only_enabled"), self._setting("merge_requests_rebase_enabled")
        avatar = next((each for each in self._documents.members if each.startswith("avatar/")), None)
        return given(
            id=1, path=name, name=name, path_with_namespace=self._path, description=root["description"],
            namespace={"id": 1, "kind": "group" if above else "user", "full_path": above},
            created_at=root["created_at"] or clock.now(), archived=root["archived"],
            visibility=_VISIBILITIES.get(str(root["visibility_level"]), "private"),
            default_branch=default_branch(self._documents, "project.bundle"),
            merge_method="ff" if ff else "rebase_merge" if rebase else "merge",
            avatar_url=avatar and f"/{quote(avatar)}",
            **{flag: features[level] != 0 for level, flag in _FEATURES.items() if level in features},
        )  # fmt: skip

    def _setting(self, name: str) -> Any:
        return decode(self._root[name]) if name in self._root else None

    def _label(self, found: Fields) -> Fields | None:
        """The label, which may be one of a group: all are labels of the project here."""
        title = text_of(found.get("title"))
        if title and title not in self._labels:
            priorities = objects(found.get("priorities"))
            self._labels[title] = given(
                id=self._documents.number(), name=title, color=found.get("color"), description=found.get("description"),
                priority=priorities[0].get("priority") if priorities else None,
            )  # fmt: skip
        return self._labels.get(title)

    def _milestone(self, found: Fields) -> Fields | None:
        """The milestone; one of a group gets a number after those of the project."""
        title = text_of(found.get("title"))
        if title and title not in self._milestones:
            iid = found.get("iid") if found.get("group_id") is None else self._highest_milestone + 1
            self._highest_milestone = max(self._highest_milestone, iid if isinstance(iid, int) else 0)
            fields = picked(found, "description", "state", "start_date", "due_date", "created_at", "updated_at")
            self._milestones[title] = given(id=self._documents.number(), iid=iid, title=title, **fields)
        return self._milestones.get(title)

    def _write_work(self) -> None:
        documents = self._documents
        for found in self._relation("issues"):
            documents.add(f"{HERE}/issues", self._issue(found))
            self._write_conversation(f"{HERE}/issues/{found.get('iid')}", found)
        for found in self._relation("merge_requests"):
            documents.add(f"{HERE}/merge_requests", self._merge_request(found))
            path = f"{HERE}/merge_requests/{found.get('iid')}"
            self._write_conversation(path, found)
            documents.list(f"{path}/versions", self._versions(found))
            approvals = [
                {"user": person, **given(approved_at=each.get("created_at"))}
                for each in objects(found.get("approvals"))
                if (person := self._people.find(each.get("user_id")))
            ]
            if approvals:
                documents.one(f"{path}/approvals", {"approved_by": approvals})

    def _write_conversation(self, path: str, found: Fields) -> None:
        write_awards(self._documents, self._people, path, found)
        write_discussions(self._documents, self._people, path, found)

    def _shared(self, found: Fields, assigned: str) -> Fields:
        """What issues and merge requests have in common."""
        labels = [self._label(fields_of(link.get("label"))) for link in objects(found.get("label_links"))]
        milestone = self._milestone(fields_of(found.get("milestone")))
        spent = [log.get("time_spent") for log in objects(found.get("timelogs"))]
        people = [*(each.get("user_id") for each in objects(found.get(assigned))), found.get("assignee_id")]
        return {
            "author": self._people.find(found.get("author_id")),
            **given(
                id=found.get("iid"),
                labels=[label["name"] for label in labels if label],
                assignees=once(map(self._people.find, people)),
                milestone=milestone and {"id": milestone["id"]},
                time_stats=given(
                    time_estimate=found.get("time_estimate"),
                    total_time_spent=max(0, sum(each for each in spent if isinstance(each, int))),
                ),
                user_notes_count=sum(not note.get("system") for note in objects(found.get("notes"))),
            ),
            **picked(found, *_WORK),
        }

    def _issue(self, found: Fields) -> Fields:
        closed_by = self._people.find(found.get("closed_by_id"))
        fields = picked(found, "confidential", "weight", "due_date")
        return self._shared(found, "issue_assignees") | given(closed_by=closed_by, **fields)

    def _merge_request(self, found: Fields) -> Fields:
        """The merge request; one from a fork names a project that is not here."""
        metrics, options = fields_of(found.get("metrics")), fields_of(found.get("merge_params"))
        at_home = found.get("source_project_id") == found.get("target_project_id")
        merged_by = metrics.get("merged_by_id") or found.get("merge_user_id")
        reviewers = [each.get("user_id") for each in objects(found.get("merge_request_reviewers"))]
        remove = options.get("force_remove_source_branch")
        fields = picked(found, "source_branch", "target_branch", "squash", "merge_commit_sha", "squash_commit_sha")
        return self._shared(found, "merge_request_assignees") | given(
            source_project_id=1 if at_home else 2, reviewers=once(map(self._people.find, reviewers)),
            force_remove_source_branch=None if remove is None else str(remove) in ("1", "true", "True"),
            merged_at=metrics.get("merged_at"), closed_at=metrics.get("latest_closed_at"),
            merged_by=self._people.find(merged_by), closed_by=self._people.find(metrics.get("latest_closed_by_id")),
            **fields,
        )  # fmt: skip

    def _versions(self, found: Fields) -> Generator[Fields]:
        """The last version, which is all that is exported, after those that comments about lines name."""
        diff = fields_of(found.get("merge_request_diff"))
        commits = objects(diff.get("merge_request_diff_commits"))
        head = diff.get("head_commit_sha") or (commits[0].get("sha") if commits else found.get("diff_head_sha"))
        seen, last = {text_of(head)}, text_of(diff.get("created_at"))
        for note in objects(found.get("notes")):
            position = self._people.position(note)
            commit, at = position.get("head_sha"), text_of(note.get("created_at"))
            if isinstance(commit, str) and commit not in seen:
                seen.add(commit)
                yield given(
                    id=self._documents.number(), created_at=min(at, last) if last else at, head_commit_sha=commit,
                    base_commit_sha=position.get("base_sha"), start_commit_sha=position.get("start_sha"),
                )  # fmt: skip
        if diff:
            size = diff.get("real_size")
            yield given(
                id=self._documents.number(), created_at=last, head_commit_sha=head, real_size=size and str(size),
                base_commit_sha=diff.get("base_commit_sha"), start_commit_sha=diff.get("start_commit_sha"),
            )  # fmt: skip

    def _write_rest(self) -> None:
        documents = self._documents
        documents.list(f"{HERE}/releases", map(self._release, self._relation("releases")))
        documents.list(f"{HERE}/boards", map(self._board, self._relation("boards")))
        for noun in ("protected_branches", "protected_tags"):
            documents.list(f"{HERE}/{noun}", map(_protection, self._relation(noun)))
        for found in self._relation("snippets"):
            snippet_id = documents.number()
            visibility = _VISIBILITIES.get(str(found.get("visibility_level")), "private")
            shown = picked(found, "title", "created_at", "updated_at", "file_name", "description")
            author = self._people.find(found.get("author_id"))
            documents.add(f"{HERE}/snippets", {"id": snippet_id, "author": author, "visibility": visibility, **shown})
            content = text_of(found.get("content")).encode()
            documents.content(f"{HERE}/snippets/{snippet_id}/raw", content)

    def _release(self, found: Fields) -> Fields:
        links = [
            {"id": self._documents.number(), **picked(link, "name", "url", "link_type")}
            for link in objects(found.get("links"))
        ]
        return given(
            tag_name=found.get("tag"),
            author=self._people.find(found.get("author_id")),
            assets={"links": links},
            **picked(found, "name", "description", "created_at", "released_at"),
        )

    def _board(self, found: Fields) -> Fields:
        lists = list[Fields]()
        for each in objects(found.get("lists")):
            if label := self._label(fields_of(each.get("label"))):
                place = {"id": self._documents.number(), "position": each.get("position")}
                lists.append({**place, "label": {"id": label["id"]}})
        return given(id=self._documents.number(), name=found.get("name"), lists=lists)

    def _write_files(self) -> None:
        """Bundles, LFS objects, files of texts and the avatar, at their paths."""
        documents, repository = self._documents, f"/{quote(self._path)}"
        for name in tuple(documents.members):
            parts = PurePosixPath(name).parts
            if parts[0] == "uploads" and len(parts) == 3:
                documents.file(f"{HERE}/uploads/{parts[1]}/{quote(parts[2], safe='')}", name)
            elif parts[0] == "lfs-objects" and len(parts) == 2:
                documents.file(f"/lfs/{parts[1]}", name)
            elif parts[0] == "avatar":
                documents.file(f"/{quote(name)}", name)
        add_bundle(documents, f"{repository}.git", "project.bundle")
        add_bundle(documents, f"{repository}.wiki.git", "project.wiki.bundle")

    def _list_left_out(self) -> None:
        members = self._documents.members.items()
        trees = [name for name, file in members if name.startswith("tree/project/") and file.stat().st_size > 1]
        found = {PurePosixPath(name).stem: name for name in trees}
        found |= {name: f"{OLD_TREE} {name}" for name, raw in self._root.items() if bytes(memoryview(raw)[:2]) == b"[{"}
        for name in sorted(found.keys() - set(_READ) - _SETTINGS):
            self._documents.problem(found[name], "These do not move: see the documentation of archives.")
        snippets = [name for name in self._documents.members if name.startswith("snippets/")]
        if snippets:
            self._documents.problem("snippets", "Of each snippet, the first file moves.")


def _protection(found: Fields) -> Fields:
    levels = {
        name: [picked(each, "access_level", "user_id", "group_id") for each in objects(grants)]
        for name in ("push_access_levels", "merge_access_levels", "create_access_levels")
        if (grants := found.get(name)) is not None
    }
    return given(name=found.get("name"), allow_force_push=found.get("allow_force_push"), **levels)


def is_gitlab_export(names: Iterable[str]) -> bool:
    """Whether an archive of these members is an export of a project."""
    known = set(names)
    return TREE in known or {OLD_TREE, "VERSION"} <= known
