"""Changes of a repository through the API, each of which writes objects or refs."""

import json
from collections.abc import Callable
from typing import Any

PROJECT = "/api/v4/projects/1"


def _change(verb: str, path: str, **params: Any) -> tuple[str, str, bytes | None]:
    return verb, PROJECT + path, json.dumps(params).encode() if params else None


def prepare_changes(post: Callable[..., tuple[int, str]]) -> None:
    """Branches and merge requests of the first project, which has a commit on `master`."""
    for branch in ("merged", "squashed", "rebased"):
        assert _commit(post, branch)[0] == 201
    assert _commit(post, "master")[0] == 201  # so that none of them can be fast-forwarded
    for branch in ("merged", "squashed", "rebased"):
        assert post("/projects/1/merge_requests", source_branch=branch, target_branch="master", title="x")[0] == 201


def _commit(post: Callable[..., tuple[int, str]], branch: str) -> tuple[int, str]:
    actions = [{"action": "create", "file_path": f"of-{branch}", "content": branch}]
    start = {} if branch == "master" else {"start_branch": "master"}
    return post("/projects/1/repository/commits", branch=branch, commit_message="x", actions=actions, **start)


CHANGES = (
    _change("GET", "/merge_requests/1/merge_ref"),
    _change("PUT", "/merge_requests/1/merge"),
    _change("PUT", "/merge_requests/2/merge", squash=True),
    _change("POST", "/repository/commits/merged/cherry_pick", branch="master"),
    _change("POST", "/repository/commits/merged/revert", branch="merged"),
    _change("POST", "/repository/files/new", branch="master", content="x", commit_message="x"),
    _change("POST", "/repository/tags", tag_name="v1", ref="master", message="x"),
    _change("POST", "/repository/branches", branch="new", ref="master"),
    _change("DELETE", "/repository/branches/rebased"),
    _change("POST", "/wikis", title="home", content="x"),
)
