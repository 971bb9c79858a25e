"""The pages of contributions."""

import pytest

from tests.harness.browsers import browser_of


@pytest.fixture
def browse(client, database, loop, cast):
    return lambda name: browser_of(getattr(cast, name), database, client)


def test_activity_tells_readers_what_they_may_see(browse, cast):
    here = f"/projects/{cast.private.id}"
    cast.developer.post(f"{here}/issues/{cast.open}/notes", body="Have you tried\nturning it <off>?")
    cast.developer.post(f"{here}/issues/{cast.confidential}/notes", body="qxqsecret")
    cast.developer.put(f"{here}/issues/{cast.open}", state_event="close")
    cast.developer.post(f"{here}/milestones", title="First light")
    place = f"/{cast.private.path}/activity"
    guest, developer = browse("guest"), browse("developer")
    page = guest.open(place).text
    for words in ("commented on issue", "Have you tried turning it &lt;off&gt;?", "closed issue", "First light"):
        assert words in page, words
    assert "qxqsecret" not in page
    assert "qxqsecret" in developer.open(place).text
    for address in (f"/groups/{cast.team.path}/-/activity", "/dashboard/activity"):
        assert "qxqsecret" in developer.open(address).text
        page = guest.open(address).text
        assert "closed issue" in page
        assert "qxqsecret" not in page
    page = developer.open(place, action="commented").text
    assert ("qxqsecret" in page, "First light" in page) == (True, False)
    older = developer.open(place, per_page=1).text
    assert "Older" in older
    assert "Newer" in developer.open(place, per_page=1, page=2).text
    assert "No activity to show." in developer.open(place, page=999).text
    assert browse("stranger").open(place).status == 404
