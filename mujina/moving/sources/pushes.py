"""Pushes as the API v4 tells of them in feeds."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from mujina.moving.sources.records import Instant, SourcePerson


class SourcePushData(msgspec.Struct, frozen=True):
    """What a push did to one ref: without `commit_from` it is new, without `commit_to` it is deleted."""

    ref: Annotated[str, Meta(min_length=1, max_length=1_000)] | None
    """None: of a push to more refs than the source lists."""
    ref_type: Literal["branch", "tag"]
    commit_count: Annotated[int, Meta(ge=0, le=2**31)] = 0
    commit_from: Annotated[str, Meta(pattern=r"^[0-9a-f]{40}$")] | None = None
    commit_to: Annotated[str, Meta(pattern=r"^[0-9a-f]{40}$")] | None = None
    commit_title: Annotated[str, Meta(max_length=10_000)] | None = None


class SourcePush(msgspec.Struct, frozen=True):
    created_at: Instant
    push_data: SourcePushData
    author: SourcePerson | None = None
