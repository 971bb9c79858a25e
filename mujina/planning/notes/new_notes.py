"""Where a form leads that has written a note."""

from mujina.kernel.html.pages import PageRequest, Redirect


def to_note(request: PageRequest, page: str, note_id: int | None, *, done: str = "", whole: bool = False) -> Redirect:
    """The page with the new note, if there is one. A script is told which note it is, for the focus, and what to announce.

    `done`: what quick actions did; `whole`: they may have changed anything on the page.
    """
    if note_id is None:
        return Redirect(page, flash=done, whole=whole)
    if request.fragment is None:
        return Redirect(f"{page}#note_{note_id}", flash=done)
    marked = page if "note=" in page else f"{page}{'&' if '?' in page else '?'}note={note_id}"
    return Redirect(f"{marked}#note_{note_id}", flash=done or "Comment added.", whole=whole)
