"""Wiki pages as responses show them."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.code.wikis.operations import PageInfo


class WikiPage(msgspec.Struct):
    format: str
    slug: str
    title: str
    content: str | UnsetType = UNSET


def to_wiki_page(page: PageInfo, *, content: bool = True) -> WikiPage:
    return WikiPage(page.format, page.slug, page.title, page.content if content else UNSET)
