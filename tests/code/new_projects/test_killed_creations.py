"""A project that begins with a README, whose creation is killed after each of its steps: it has its README, or is not there."""

import itertools

import pytest

from tests.review.merging.test_killed import Instance

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.parametrize("engine", ["sqlite"], indirect=True),
]


def test_a_creation_that_is_killed_leaves_a_readme_or_no_project(stage):
    url = stage.copy()
    with stage.opened(url) as database:
        instance = Instance(stage, url, database)
        guest, found = instance.cast.guest, []
        for step in itertools.count(1):
            params = {"name": f"begun-{step}", "initialize_with_readme": True, "default_branch": "trunk"}
            killed = instance.killed(step, guest, "POST", "/projects", **params)
            instance.recover()
            here = f"/projects/{guest.username}%2Fbegun-{step}"
            found.append(guest.get(here).status)
            if found[-1] == 200:
                assert (
                    guest.get(f"{here}/repository/files/README.md/raw?ref=trunk").body == f"# begun-{step}\n".encode()
                )
                commits = guest.get(f"{here}/repository/commits").json
                assert [commit["title"] for commit in commits] == ["Initial commit"]
            if not killed:
                break
        assert len(found) > 3
    stage.discard(url)
