import pytest


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_what_every_page_reads_is_prepared_once(browse, cast, database):
    """The driver keeps no statement that is too big: it would prepare it anew for each page."""
    cast.owner.post(f"/projects/{cast.public.id}/issues/1/notes", body="@developer?")
    visitor = browse("developer")
    before = database._connection.cache_stats()["too_big"]
    page = visitor.open("/help/shortcuts")
    assert 'To-do list</span> <span class="count full">1<' in page.text
    assert database._connection.cache_stats()["too_big"] == before


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "path", ["/api/v4/users/reporter/events", "/api/v4/projects/1/events", "/reporter", "/dashboard/activity"]
)
def test_feeds_are_prepared_once(browse, database, path):
    visitor = browse("developer")
    before = database._connection.cache_stats()["too_big"]
    visitor.open(path)
    assert database._connection.cache_stats()["too_big"] == before
