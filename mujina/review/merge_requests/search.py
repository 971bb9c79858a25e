"""Searches for words in the titles and descriptions of merge requests."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db import search
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.review.merge_requests.readable_projects import ReviewedProjects

FEW_TO_SEARCH = 20_000
"""Up to this many requests are searched faster one by one than through the index of all texts."""

TITLE: LiteralString = "mr.title_folded"
DESCRIPTION: LiteralString = "mr.description_folded"


async def matching(
    tx: Tx, actor: Actor, projects: ReviewedProjects, chosen: Selection, words: str, *columns: LiteralString
) -> None:
    """Keep the requests that have the words in one of the columns: title, description."""
    if await projects.size(tx) <= FEW_TO_SEARCH:
        chosen.matching(words, *columns)
        return
    texts = projects.texts(actor)
    search.apply_index(texts, tx.engine, words, "merge_request_texts_grams", "mr.id", TITLE, DESCRIPTION)
    texts.matching(words, *columns)
    chosen.among("mr.id", "mr.id", texts)
