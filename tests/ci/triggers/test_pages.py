"""Triggers on the page of the CI settings."""

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}"


def test_a_trigger_is_added_and_its_token_is_shown_to_its_owner_alone(browse, cast, here):
    master = browse("master")
    master.open(f"{here}/settings/ci_cd")
    refused = master.send(f"{here}/triggers", description=" ")
    assert (refused.status, 'id="description-problem"' in refused.text) == (422, True)
    assert master.send(f"{here}/triggers", description="Nightly").status == 303
    [trigger] = cast.master.get(f"/projects/{cast.private.id}/triggers").json
    assert trigger["token"] in master.open(f"{here}/settings/ci_cd").text
    others = browse("owner").open(f"{here}/settings/ci_cd").text
    assert (trigger["token"] in others, f"{trigger['token'][:4]}…" in others) == (False, True)


def test_a_trigger_is_taken_over_and_removed(browse, cast, here):
    triggers = f"/projects/{cast.private.id}/triggers"
    trigger = cast.master.post(triggers, description="Nightly").json
    owner = browse("owner")
    assert "Take over" in owner.open(f"{here}/settings/ci_cd").text
    assert owner.send(f"{here}/triggers/{trigger['id']}/take_ownership").status == 303
    assert trigger["token"] in owner.open(f"{here}/settings/ci_cd").text
    assert "Take over" not in owner.page.text
    developer = browse("developer")
    developer.open("/profile")
    assert developer.send(f"{here}/triggers/{trigger['id']}/delete").status == 403
    assert owner.send(f"{here}/triggers/{trigger['id']}/delete").status == 303
    assert cast.owner.get(triggers).json == []
