"""Users, groups and projects: each test of attributes runs for all three."""

import pytest

from tests.harness.cast import Cast

every = pytest.mark.parametrize("subject", ["/users/{guest.id}", "/groups/{team.id}", "/projects/{private.id}"])


def at(cast: Cast, subject: str) -> str:
    return subject.format_map(cast.names) + "/custom_attributes"
