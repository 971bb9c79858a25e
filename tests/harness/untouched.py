"""The cast around an issue that nobody has touched yet."""

from dataclasses import replace

from tests.harness.cast import Cast


def untouched(cast: Cast) -> Cast:
    """The cast, in which `open` is a new issue of the reporter's in each project, of the same number in all of them."""
    projects = (cast.private, cast.internal, cast.public)
    (iid,) = {cast.reporter.post(f"/projects/{place.id}/issues", title="Open").json["iid"] for place in projects}
    return replace(cast, open=iid)
