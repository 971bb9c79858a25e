"""How an event reaches the receiver of a hook: request, answer, log."""

import json


def test_an_event_is_posted_with_the_headers_that_receivers_know(hooks):
    hooks.add(issues_events=True, token="a-token-of-a-hook")
    cast = hooks.cast
    made = cast.developer.post(f"/projects/{cast.private.id}/issues", title="A title 🦝 שלום")
    assert made.status == 201
    [request] = hooks.requests()
    assert (request.method, request.path) == ("POST", "/hook")
    headers = request.headers
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("Mujina/")
    assert headers["x-gitlab-event"] == headers["x-mujina-event"] == "Issue Hook"
    assert headers["x-gitlab-token"] == headers["x-mujina-token"] == "a-token-of-a-hook"
    assert headers["idempotency-key"].startswith(headers["x-gitlab-event-uuid"])
    body = json.loads(request.body)
    assert body["object_attributes"]["title"] == "A title 🦝 שלום"
    assert body["object_attributes"]["action"] == "open"
