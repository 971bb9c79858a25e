"""Searches for words in the titles and descriptions of merge requests."""

from mujina.kernel.db import search
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.review.merge_requests.filters import REQUESTS
from mujina.review.merge_requests.readable_projects import ReviewedProjects

FEW_TO_SEARCH = 20_000
"""Up to this many requests are searched faster one by one than through the index of all texts."""


async def matching(
    tx: Tx, actor: Actor, projects: ReviewedProjects, selection: Selection, words: str, within: str | Unset = UNSET
) -> Selection:
    """Keep the requests that have the words in the title or the description; `within`: in which of them."""
    columns = REQUESTS.searched(within)
    if await projects.size(tx) <= FEW_TO_SEARCH:
        return selection.matching(words, *columns)
    texts, index = projects.texts(actor), "merge_request_texts_grams"
    texts = search.apply_index(texts, tx.engine, words, index, "mr.id", *REQUESTS.texts.values())
    return selection.among("mr.id", "mr.id", texts.matching(words, *columns))
