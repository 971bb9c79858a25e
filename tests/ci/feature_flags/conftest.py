"""The flags of the private project of the cast."""

import pytest


@pytest.fixture
def flags(cast):
    return f"/projects/{cast.private.id}/feature_flags"


@pytest.fixture
def lists(cast):
    return f"/projects/{cast.private.id}/feature_flags_user_lists"
