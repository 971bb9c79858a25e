"""Registering runners as their programs do."""

import pytest


@pytest.fixture
def register(cast):
    """Registers a runner of a project, of a group or, without an owner, of the instance; its id and token."""

    def register(project=None, *, group=None, **settings):
        if group is not None:
            token = cast.owner.post(f"/groups/{group.id}/runners/reset_registration_token").json["token"]
        elif project is not None:
            token = cast.master.get(f"/projects/{project.id}").json["runners_token"]
        else:
            token = cast.root.post("/runners/reset_registration_token").json["token"]
        made = cast.anonymous.post("/runners", token=token, **settings)
        assert made.status == 201, made
        return made.json["id"], made.json["token"]

    return register
