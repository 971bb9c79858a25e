"""The pages of a wiki as a tree of folders."""

from collections.abc import Iterable
from typing import Final

import msgspec

from mujina.code.wikis.slugs import address_of, title_of

MAX_LEVELS: Final = 6
"""Deeper pages are shown at this level, with the rest of their path as their title."""


class PageNode(msgspec.Struct):
    title: str
    slug: str
    exists: bool = False
    """Whether there is a page; otherwise it is only a folder."""
    below: dict[str, "PageNode"] = msgspec.field(default_factory=dict[str, "PageNode"])

    @property
    def address(self) -> str:
        return address_of(self.slug)

    @property
    def children(self) -> list["PageNode"]:
        return list(self.below.values())


def tree_of(slugs: Iterable[str]) -> list[PageNode]:
    """The top level; pages stand below the folders of their slugs, in the order of the slugs."""
    root = PageNode("", "")
    for slug in slugs:
        node, parts = root, slug.split("/", MAX_LEVELS - 1)
        for n, part in enumerate(parts):
            here = "/".join(parts[: n + 1])
            node = node.below.setdefault(part, PageNode(title_of(part), here))
        node.exists = True
    return root.children
