"""Searches: what matches is counted in the narrow table of texts, and the page is found by the shorter of two ways."""

from typing import LiteralString

from mujina.domains.issues import entities
from mujina.domains.issues.reach import Reach
from mujina.kernel.actor import Actor
from mujina.kernel.db import search
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged

TEXTS: tuple[LiteralString, ...] = ("i.title_folded", "i.description_folded")

FEW_TO_SEARCH = 20_000
"""So many issues are searched faster one by one than through the index of all issues."""

MANY_TO_SORT = 20_000
"""So many matches are no longer sorted for a page at the front: along their order, it is full after a few steps."""


async def found(
    tx: Tx, actor: Actor, reach: Reach, issues: Selection, words: str, order: LiteralString, page: Page,
    *, state: str | None = "all",
) -> Paged:  # fmt: skip
    """One page of the issues selected in whose title or description the words occur, and their exact total.

    `state`: the only thing by which the selection was narrowed; None: it was narrowed by more than the texts know.
    """
    size = await reach.size(tx, "all")
    if size <= FEW_TO_SEARCH:
        return await _one_by_one(tx, issues, words, order, page)
    texts = reach.texts(actor)
    search.narrow(texts, tx.engine, words, "issue_texts_grams", "i.id", *TEXTS)
    texts.matching(words, *TEXTS)
    if state is None:
        # By their ids, so that no planner has to guess how many there are.
        matches = await tx.values(f"SELECT i.id {texts.text} LIMIT :most", most=MANY_TO_SORT + 1, **texts.bound)
        if len(matches) > MANY_TO_SORT:
            return await _one_by_one(tx, issues, words, order, page)
        issues.only("i.id IN :matches", matches=matches)
        return await entities.found(tx, issues, order, page)
    if state != "all":
        texts.only("i.state = :state", state=state)
    ids, total = await _sorted(tx, texts, order, page)
    if total > MANY_TO_SORT:
        total = await texts.total(tx)
        if "updated_at" in order or page.end * size < total * total:
            issues.matching(words, *TEXTS)
            issues.bound["total"] = total
            return await entities.listed(tx, issues, order, page, "SELECT CAST(:total AS bigint)")
        ids = await tx.values(
            f"SELECT i.id {texts.text} ORDER BY {order} LIMIT :limit OFFSET :offset", **texts.bound, **page.bound
        )
    return page.of(await entities.these(tx, ids, order), total)


async def _one_by_one(tx: Tx, issues: Selection, words: str, order: LiteralString, page: Page) -> Paged:
    issues.matching(words, *TEXTS)
    return await entities.found(tx, issues, order, page)


async def _sorted(tx: Tx, texts: Selection, order: LiteralString, page: Page) -> tuple[list[int], int]:
    """The ids of the page and the total. A total above `MANY_TO_SORT` only says that there are more, and the ids nothing."""
    # When an issue was changed last is not kept with its texts: that would be written again with every note.
    changed: LiteralString = (
        "(SELECT issue.updated_at FROM issues issue WHERE issue.id = i.id)" if "updated_at" in order else "''"
    )
    rows = await tx.rows(
        tuple[int, int],
        f"""WITH i AS MATERIALIZED (SELECT i.id, i.created_at, {changed} AS updated_at {texts.text} LIMIT :most)
            SELECT i.id, (SELECT count(*) FROM i) FROM i ORDER BY {order} LIMIT :limit OFFSET :offset""",
        most=MANY_TO_SORT + 1,
        **texts.bound,
        **page.bound,
    )
    # Behind the last page no row is there to tell.
    return [id_ for id_, _ in rows], rows[0][1] if rows else await texts.total(tx)
