"""The button of a page that refuses: to request access."""

import pytest

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_a_refusal_offers_to_request_access(browse, cast):
    cast.root.put(f"/projects/{cast.public.id}", request_access_enabled=True)
    stranger = browse("stranger")
    page = stranger.open(f"/{cast.public.path}/new/master")
    assert page.status == 403
    action = f"/{cast.public.path}/project_members/request_access"
    assert action in page.text
    assert stranger.send(action).status == 303
    assert action not in stranger.open(f"/{cast.public.path}/new/master").text
    assert action not in browse("reporter").open(f"/{cast.public.path}/new/master").text
    assert "request_access" not in browse("expired").open(f"/{cast.internal.path}/new/master").text
