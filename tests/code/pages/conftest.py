"""A repository with files of every kind."""

import base64

import pytest

README = "# Otter\n\nSee [the guide](docs/guide.md), #{open} and @guest.\n\n![logo](logo.png)\n"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
FILES = {
    "README.md": README.encode(),
    "docs/guide.md": b"# Guide\n\n[Back](../README.md)\n",
    "src/app.py": b'"""An app."""\n\n\ndef main() -> None:\n    print("<b>")\n',
    "logo.png": PNG,
    "data.csv": b"name,number\nalpha,1\n",
    "blob.bin": b"\0\1\2\3",
    "large.txt": b"x" * (1024 * 1024 + 1),
    "video.mp4": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 13000000\n",
    "a b#?/<i>&.txt": b"odd name\n",
}


def commit(cast, project, message, *actions, branch="master", **more):
    answer = cast.owner.post(
        f"/projects/{project.id}/repository/commits", branch=branch, commit_message=message, actions=list(actions), **more
    )  # fmt: skip
    assert answer.status == 201, answer
    return answer.json["id"]


@pytest.fixture
def begins_with():
    return {"shelf": fill_shelf}


@pytest.fixture
def shelf(stage):
    """The public project with files, two branches, a tag with release notes and a comment; the ids of its commits."""
    return stage.made


def fill_shelf(cast):
    project = cast.public
    assert cast.owner.put(f"/projects/{project.id}", lfs_enabled=False).status == 200  # a pointer without its object
    actions = [
        {"action": "create", "file_path": path,
         "content": base64.b64encode(data.replace(b"{open}", b"%d" % cast.open)).decode(), "encoding": "base64"}
        for path, data in FILES.items()
    ]  # fmt: skip
    first = commit(cast, project, "First commit\n\nFor #1.", *actions)
    update = {
        "action": "update",
        "file_path": "src/app.py",
        "content": '"""An app."""\n\n\ndef main() -> int:\n    print("<i>")\n    return 0\n',
    }
    second = commit(cast, project, "Return a number", update, branch="feature/x", start_branch="master")
    here = f"/projects/{project.id}/repository"
    assert cast.owner.post(f"{here}/tags", tag_name="v1", ref="master", release_description="**New**").status == 201
    comment = cast.owner.post(
        f"{here}/commits/{second}/comments", note="Why *this*?", path="src/app.py", line=4, line_type="new"
    )
    assert comment.status == 201, comment
    return first, second
