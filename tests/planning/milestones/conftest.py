"""What tests of milestones share."""

import pytest


@pytest.fixture
def milestone(cast):
    """A new milestone, as answered; `of` is the place it belongs to."""

    def post(title, of="private", who="root", **said):
        kind = "groups" if of in ("company", "department", "team", "guild") else "projects"
        answer = getattr(cast, who).post(f"/{kind}/{getattr(cast, of).id}/milestones", title=title, **said)
        assert answer.status == 201, answer
        return answer.json

    return post
