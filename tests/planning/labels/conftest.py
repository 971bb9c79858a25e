"""What tests of labels share."""

import pytest


@pytest.fixture
def label(cast):
    """A new label, as answered; `of` is the place it belongs to."""

    def post(name, of="private", who="root", color="#FF0000", **said):
        kind = "groups" if of in ("company", "department", "team", "guild") else "projects"
        path = f"/{kind}/{getattr(cast, of).id}/labels"
        answer = getattr(cast, who).post(path, name=name, color=color, **said)
        assert answer.status == 201, answer
        return answer.json

    return post
