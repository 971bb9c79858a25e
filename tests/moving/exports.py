"""Builds archives as GitLab, Gitea and GitHub write them, from their documented formats."""

import io
import json
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from tests.moving.world import PIXEL, pointer

AT = "2020-01-02T03:04:05Z"
LATER = "2020-02-03T04:05:06Z"
LFS = b"a large file\n"
LFS_OID = sha256(LFS).hexdigest()


def packed(members: dict[str, bytes]) -> bytes:
    """A compressed tar of these members."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return content.getvalue()


class Code:
    """A repository with a branch `main`, a branch `topic` that changes a line, and a wiki."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "code"
        self.git(None, "init", "-q", "-b", "main", str(self.folder))
        self.base = self.commit("README.md", "one\ntwo\n")
        self.git(self.folder, "tag", "v1")
        self.git(self.folder, "checkout", "-q", "-b", "topic")
        self.head = self.commit("README.md", "one\nTWO\n")
        self.git(self.folder, "checkout", "-q", "main")
        self.main = self.commit("large.bin", pointer(LFS_OID, len(LFS)))
        self.wiki = folder / "wiki"
        self.git(None, "init", "-q", "-b", "master", str(self.wiki))
        (self.wiki / "home.md").write_text("Welcome")
        self.git(self.wiki, "add", ".")
        self.git(self.wiki, "commit", "-q", "-m", "Wiki")

    def commit(self, name: str, content: str) -> str:
        (self.folder / name).write_text(content)
        self.git(self.folder, "add", ".")
        self.git(self.folder, "commit", "-q", "-m", f"Write {name}")
        return self.git(self.folder, "rev-parse", "HEAD").decode().strip()

    @staticmethod
    def git(folder: Path | None, *arguments: str) -> bytes:
        names = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        clean = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", **names}
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=clean, capture_output=True, check=True, timeout=60
        ).stdout

    def bundle(self, folder: Path) -> bytes:
        """What `git bundle create --all` writes."""
        file = self.folder.parent / "written.bundle"
        self.git(folder, "bundle", "create", "-q", str(file), "--all")
        return file.read_bytes()

    def bare(self, folder: Path, name: str, *refs: str) -> dict[str, bytes]:
        """The files of a bare repository, below a name."""
        copy = self.folder.parent / "bare"
        self.git(None, "clone", "-q", "--mirror", str(folder), str(copy))
        for ref in refs:
            self.git(copy, "update-ref", *ref.split())
        files = {f"{name}/{path.relative_to(copy)}": path.read_bytes() for path in copy.rglob("*") if path.is_file()}
        subprocess.run(["rm", "-rf", str(copy)], check=True)
        return files


def lines(*items: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def gitlab_note(note: str, author: int, **more: Any) -> dict[str, Any]:
    names = {1: "Anna A", 2: "Ben B"}
    return {
        "note": note, "author_id": author, "created_at": AT, "updated_at": LATER, "system": False, "type": None,
        "author": {"name": names[author]}, "award_emoji": [], **more,
    }  # fmt: skip


def gitlab_tree(code: Code) -> dict[str, Any]:
    """The relations of an exported project, by name."""
    bug = {
        "title": "bug",
        "color": "#ff0000",
        "description": "Broken",
        "type": "ProjectLabel",
        "priorities": [{"priority": 2}],
    }
    above = {"title": "from above", "color": "#112233", "type": "GroupLabel", "group_id": 4}
    milestone = {
        "iid": 3,
        "title": "1.0",
        "state": "active",
        "created_at": AT,
        "updated_at": AT,
        "due_date": "2030-01-31",
    }
    at_line = {
        "base_sha": code.base, "start_sha": code.base, "head_sha": code.head, "old_path": "README.md",
        "new_path": "README.md", "position_type": "text", "old_line": None, "new_line": 2,
    }  # fmt: skip
    award = {"name": "thumbsup", "user_id": 2, "created_at": AT}
    issue = {
        "iid": 7, "title": "It fails", "description": "See ![a](/uploads/" + "a" * 32 + "/a.png), #9 and !2", "author_id": 1,
        "state": "opened", "created_at": AT, "updated_at": LATER, "confidential": True, "weight": 5, "due_date": "2030-01-15",
        "issue_assignees": [{"user_id": 2}], "label_links": [{"label": bug}, {"label": above}], "milestone": milestone,
        "timelogs": [{"time_spent": 60}], "time_estimate": 3600, "award_emoji": [award],
        "notes": [
            gitlab_note("A comment", 2, award_emoji=[award]),
            gitlab_note("Why?", 1, type="DiscussionNote", discussion_id="d" * 40),
            gitlab_note("Because.", 2, type="DiscussionNote", discussion_id="d" * 40, created_at=LATER),
            gitlab_note("closed", 1, system=True),
        ],
    }  # fmt: skip
    closed = {
        "iid": 9, "title": "Done", "author_id": 77, "state": "closed", "created_at": AT, "updated_at": AT,
        "closed_at": LATER, "closed_by_id": 2, "notes": [], "milestone": {**milestone, "title": "of all", "iid": 1, "group_id": 4},
    }  # fmt: skip
    request = {
        "iid": 2, "title": "Shout", "description": "Closes #7", "author_id": 1, "state": "opened", "created_at": AT,
        "updated_at": LATER, "source_branch": "topic", "target_branch": "main", "source_project_id": 5, "target_project_id": 5,
        "merge_params": {"force_remove_source_branch": "1"}, "merge_request_reviewers": [{"user_id": 2}],
        "approvals": [{"user_id": 2, "created_at": AT}], "label_links": [{"label": bug}],
        "merge_request_diff": {
            "created_at": "2020-01-02 03:04:05 UTC", "head_commit_sha": code.head, "base_commit_sha": code.base,
            "start_commit_sha": code.base, "real_size": 1, "merge_request_diff_files": [{"utf8_diff": "@@ …"}],
        },
        "notes": [gitlab_note(
            "So loud", 2, type="DiffNote", discussion_id="e" * 40, position=json.dumps(at_line), resolved_at=LATER,
            resolved_by_id=1,
        )],
    }  # fmt: skip
    members = [
        {"access_level": 40, "user_id": 1, "created_at": AT,
         "user": {"id": 1, "username": "anna", "public_email": "anna@example.com"}},
        {"access_level": 30, "user_id": None, "invite_email": "x@example.com", "user": None},
    ]  # fmt: skip
    release = {
        "tag": "v1", "name": "One", "description": "First", "created_at": AT, "released_at": LATER, "author_id": 1,
        "links": [{"name": "binary", "url": "https://example.com/b", "link_type": "other"}],
    }  # fmt: skip
    snippet = {
        "title": "Code", "content": "x = 1\n", "file_name": "x.py", "author_id": 2, "visibility_level": 10,
        "created_at": AT, "updated_at": AT,
    }  # fmt: skip
    return {
        "labels": [bug], "milestones": [milestone], "issues": [issue, closed], "merge_requests": [request],
        "project_members": members, "releases": [release], "snippets": [snippet],
        "protected_branches": [{
            "name": "stable-*", "push_access_levels": [{"access_level": 0}], "merge_access_levels": [{"access_level": 30}],
        }],
        "protected_tags": [{"name": "v*", "create_access_levels": [{"access_level": 40}]}],
        "boards": [{"name": "Work", "lists": [
            {"list_type": "backlog", "position": None}, {"list_type": "label", "position": 0, "label": bug},
        ]}],
        "project_feature": [{"issues_access_level": 20, "wiki_access_level": 20, "snippets_access_level": 20,
                             "builds_access_level": 0}],
        "ci_pipelines": [{"id": 1, "status": "success"}],
    }  # fmt: skip


GITLAB_PROJECT = {
    "description": "It",
    "visibility_level": 10,
    "archived": False,
    "merge_requests_ff_only_enabled": True,
}


def gitlab_export(code: Code, **changed: Any) -> dict[str, bytes]:
    """The members of an export; `changed` relations replace those of the tree."""
    tree = gitlab_tree(code) | changed
    members = {f"tree/project/{name}.ndjson": lines(*items) for name, items in tree.items()}
    return {
        "./VERSION": b"0.2.4",
        "tree/project.json": json.dumps(GITLAB_PROJECT).encode(),
        **members,
        **gitlab_files(code),
    }


def old_gitlab_export(code: Code) -> dict[str, bytes]:
    """The members of an export of an older version: one document."""
    tree = gitlab_tree(code)
    tree["project_feature"] = tree["project_feature"][0]
    return {"VERSION": b"0.2.3", "project.json": json.dumps(GITLAB_PROJECT | tree).encode(), **gitlab_files(code)}


def gitlab_files(code: Code) -> dict[str, bytes]:
    return {
        "project.bundle": code.bundle(code.folder), "project.wiki.bundle": code.bundle(code.wiki),
        f"uploads/{'a' * 32}/a.png": PIXEL, f"lfs-objects/{LFS_OID}": LFS, "lfs-objects.json": b"{}", "avatar/app.png": PIXEL,
    }  # fmt: skip


def yaml_list(*items: Any) -> bytes:
    """A list as Gitea writes it: each object begins at the beginning of a line."""
    return yaml.safe_dump(list(items), allow_unicode=True, sort_keys=False).encode()


def gitea_poster(number: int) -> dict[str, Any]:
    return {"poster_id": number, "poster_name": {1: "anna", 2: "ben"}[number], "poster_email": ""}


def gitea_dump(code: Code, below: str = "dump/owner/app/") -> dict[str, bytes]:
    """The files of a dump, below a folder."""
    root = {
        "name": "app", "owner": "owner", "description": "It", "is_private": False, "wiki": True, "service_type": 3,
        "original_url": "https://gitea.example.com/sub/owner/app", "clone_addr": "https://gitea.example.com/sub/owner/app.git",
    }  # fmt: skip
    bug = {"name": "bug", "color": "ff0000", "description": "Broken", "exclusive": False}
    times = {"created": AT, "updated": LATER}
    issue = {
        "number": 1, **gitea_poster(1), "title": "It fails", "state": "closed", "is_locked": True, **times, "closed": LATER,
        "content": "See #2, #3 and https://gitea.example.com/sub/owner/app/pulls/2\n\n- a list\n- of two\n",
        "milestone": "1.0", "labels": [bug], "assignees": ["ben"],
        "reactions": [{"user_id": 2, "user_name": "ben", "content": "+1"}],
    }  # fmt: skip
    branch = {"repo_name": "app", "owner_name": "owner", "clone_url": ""}
    pull = {
        "number": 2, **gitea_poster(2), "title": "Shout", "content": "Fixes #1", "state": "open", **times, "labels": [bug],
        "head": {"ref": "topic", "sha": code.head, **branch}, "base": {"ref": "main", "sha": code.base, **branch},
        "merged": False, "patch_url": "git/pulls/2.patch",
    }  # fmt: skip
    line = {
        "id": 9, "content": "So loud", "tree_path": "README.md", "diff_hunk": "@@ -1,2 +1,2 @@\n one\n-two\n+TWO", "line": 2,
        "commit_id": code.head, "poster_id": 1, "created_at": AT, "updated_at": AT, "reactions": [],
    }  # fmt: skip
    review = {
        "id": 5, "issue_index": 2, "reviewer_id": 1, "reviewer_name": "anna", "commit_id": code.head, "content": "Good",
        "created_at": AT, "state": "APPROVED", "comments": [line],
    }  # fmt: skip
    release = {
        "tag_name": "v1", "name": "One", "body": "The first", "draft": False, "publisher_id": 1, "publisher_name": "anna",
        "created": AT, "published": LATER, "assets": [{"id": 1, "name": "app.zip", "download_url": "release_assets/v1/app.zip"}],
    }  # fmt: skip
    comments = [
        {
            "issue_index": 1,
            "index": 1,
            "comment_type": kind,
            **gitea_poster(2),
            **times,
            "content": text,
            "reactions": [],
        }
        for kind, text in (("comment", "A comment"), ("close", ""))
    ]
    files = {
        "repo.yml": yaml.safe_dump(root).encode(), "topic.yml": b"topics:\n- tools\n", "label.yml": yaml_list(bug),
        "milestone.yml": yaml_list({"title": "1.0", "description": "", "state": "open", **times, "deadline": LATER}),
        "issue.yml": yaml_list(issue), "pull_request.yml": yaml_list(pull), "comments/1.yml": yaml_list(*comments),
        "reviews/2.yml": yaml_list(review), "release.yml": yaml_list(release), "release_assets/v1/app.zip": b"content",
        **code.bare(code.folder, "git", f"refs/pull/2/head {code.head}"), **code.bare(code.wiki, "wiki"),
    }  # fmt: skip
    return {f"{below}{name}": content for name, content in files.items()}


GITHUB = "https://github.com"


def github_repository(name: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "repository", "url": f"{GITHUB}/team/{name}", "owner": f"{GITHUB}/team", "name": name, "description": "It",
        "private": True, "has_issues": True, "has_wiki": True, "created_at": AT, "default_branch": "main",
        "git_url": f"tarball://root/repositories/team/{name}.git", **more,
    }  # fmt: skip


def github_work(code: Code) -> dict[str, Any]:
    """The issues, pulls and comments of a migration archive."""
    app, anna, ben = f"{GITHUB}/team/app", f"{GITHUB}/anna", f"{GITHUB}/ben"
    image = "https://user-images.githubusercontent.com/1/2-a.png"
    reaction = {"user": ben, "content": "+1", "subject_type": "Issue", "created_at": AT}
    line = {
        "type": "pull_request_review_comment", "pull_request": f"{app}/pull/2", "user": ben, "path": "README.md",
        "diff_hunk": "@@ -1,2 +1,2 @@\n one\n-two\n+TWO", "position": 3, "original_position": 3, "commit_id": code.head,
        "original_commit_id": code.head, "pull_request_review_thread": f"{app}/pull/2/files#pullrequestreviewthread-1",
        "created_at": AT, "reactions": [],
    }  # fmt: skip
    return {
        "issues": [{
            "type": "issue", "url": f"{app}/issues/1", "repository": app, "user": anna, "title": "It fails",
            "body": f"See #2, {app}/pull/2 and ![]({image})", "assignee": ben, "assignees": [ben],
            "milestone": f"{app}/milestones/4", "labels": [f"{app}/labels/good%20first"], "reactions": [reaction],
            "closed_at": LATER, "created_at": AT, "updated_at": LATER,
        }],
        "issue_comments": [
            {"type": "issue_comment", "url": f"{app}/issues/1#issuecomment-{n}", "issue": f"{app}/issues/1", "user": ben,
             "body": text, "created_at": AT, "reactions": []}
            for n, text in enumerate(("A comment", "Another"))
        ],
        "pull_requests": [{
            "type": "pull_request", "url": f"{app}/pull/2", "repository": app, "user": ben, "title": "Shout", "body": "Fixes #1",
            "base": {"ref": "main", "sha": code.base, "repo": app}, "head": {"ref": "topic", "sha": code.head, "repo": app},
            "labels": [], "reactions": [], "review_requests": [], "merged_at": None, "closed_at": None, "created_at": AT,
        }],
        "pull_request_reviews": [{
            "type": "pull_request_review", "url": f"{app}/pull/2/files#pullrequestreview-3", "pull_request": f"{app}/pull/2",
            "user": anna, "body": "Good", "head_sha": code.head, "state": 40, "created_at": AT, "submitted_at": AT,
        }],
        "pull_request_review_comments": [
            {**line, "url": f"{app}/pull/2/files#r1", "body": "So loud"},
            {**line, "url": f"{app}/pull/2/files#r2", "body": "Yes", "user": anna, "created_at": LATER},
        ],
        "attachments": [{
            "type": "attachment", "url": image, "issue": f"{app}/issues/1", "asset_name": "a.png",
            "asset_url": "tarball://root/attachments/2/a.png",
        }],
    }  # fmt: skip


def github_archive(code: Code, **changed: Any) -> dict[str, bytes]:
    """The members of a migration archive of one repository."""
    app, anna = f"{GITHUB}/team/app", f"{GITHUB}/anna"
    label = {"url": f"{app}/labels/good%20first", "name": "good first", "color": "ff0000", "created_at": AT}
    asset = {"name": "app.zip", "asset_url": "tarball://root/release-assets/1/app.zip"}
    lists = {
        "users": [{"type": "user", "url": anna, "login": "anna", "name": "Anna A",
                   "emails": [{"address": "anna@example.com", "primary": True}]}],
        "organizations": [{"type": "organization", "url": f"{GITHUB}/team", "login": "team", "name": "Team",
                           "members": [{"user": anna, "role": "admin"}]}],
        "repositories": [github_repository("app", labels=[label], collaborators=[{"user": anna, "permission": "write"}])],
        "milestones": [{"type": "milestone", "url": f"{app}/milestones/4", "repository": app, "title": "1.0",
                        "state": "open", "created_at": AT, "updated_at": AT}],
        "releases": [{"type": "release", "repository": app, "user": anna, "name": "One", "tag_name": "v1",
                      "body": "First", "state": "published", "release_assets": [asset], "created_at": AT,
                      "published_at": LATER}],
        "protected_branches": [{"type": "protected_branch", "name": "main", "repository_url": app,
                                "pull_request_reviews_enforcement_level": 2}],
        "issue_events": [], "commit_comments": [{"type": "commit_comment"}], **github_work(code), **changed,
    }  # fmt: skip
    members = {f"./{noun}_000001.json": json.dumps(items).encode() for noun, items in lists.items()}
    return {
        "./schema.json": b'{"version": "1.0.1"}', **members, "attachments/2/a.png": PIXEL, "release-assets/1/app.zip": b"content",
        **code.bare(code.folder, "repositories/team/app.git", f"refs/pull/2/head {code.head}"),
        **code.bare(code.wiki, "repositories/team/app.wiki.git"),
    }  # fmt: skip
