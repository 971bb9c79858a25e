"""Tags as responses show them."""

import msgspec

from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.tags.operations import TagInfo


class TagRelease(msgspec.Struct):
    tag_name: str
    description: str


class Tag(msgspec.Struct):
    name: str
    message: str | None
    # Compat: `target`, `protected` and `created_at` are younger than the specification; today's clients require them.
    target: str
    commit: Commit
    release: TagRelease | None
    created_at: str | None
    protected: bool


def to_tag(tag: TagInfo, full_path: str, description: str | None, *, protected: bool) -> Tag:
    release = None if description is None else TagRelease(tag.name, description)
    return Tag(
        name=tag.name, message=tag.message, target=tag.target, commit=shown_commit(tag.commit, full_path),
        release=release, created_at=tag.tagged_at, protected=protected,
    )  # fmt: skip
