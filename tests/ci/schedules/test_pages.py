"""The pages of schedules."""

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}/pipeline_schedules"


@pytest.fixture
def api(cast):
    return f"/projects/{cast.private.id}/pipeline_schedules"


def nightly(person, api, **changes):
    fields = {"description": "Nightly", "ref": "master", "cron": "0 1 * * *", **changes}
    return person.post(api, **fields).json["id"]


def test_a_schedule_is_created_and_complaints_stand_beside_their_fields(browse, cast, here, api):
    developer = browse("developer")
    assert "Schedules start pipelines at set times." in developer.open(here).text
    developer.open(f"{here}/new")
    fields = {"description": "kept words", "ref": "master", "cron": "never", "cron_timezone": "Atlantis"}
    refused = developer.send(here, schedule=fields)
    assert (refused.status, "kept words" in refused.text) == (422, True)
    assert 'id="schedule_cron-problem"' in refused.text
    assert 'id="schedule_cron_timezone-problem"' in refused.text
    made = developer.send(here, schedule={**fields, "cron": "0 1 * * *", "cron_timezone": "Berlin", "active": "true"})
    [schedule] = cast.developer.get(api).json
    assert (made.status, made.headers["Location"]) == (303, f"{here}/{schedule['id']}/edit")
    page = developer.open(here).text
    assert ("0 1 * * *" in page, "Berlin" in page, "Next run" in page) == (True, True, True)


def test_schedules_are_listed_by_state_and_page_by_page(browse, cast, here, api):
    for number in range(21):
        nightly(cast.developer, api, description=f"Number {number:02}", active=number > 0)
    developer = browse("developer")
    assert "Number 20" not in developer.open(here).text
    assert "Number 20" in developer.open(f"{here}?page=2").text
    page = developer.open(f"{here}?scope=inactive").text
    assert ("Number 00" in page, "Number 01" in page, "Next run" in page) == (True, False, False)
    assert browse("stranger").open(here).status == 404


def test_its_owner_and_masters_change_a_schedule(browse, cast, here, api):
    id_ = nightly(cast.developer, api)
    developer, reporter, master = browse("developer"), browse("reporter"), browse("master")
    assert "Nightly" in developer.open(f"{here}/{id_}/edit").text
    assert developer.send(f"{here}/{id_}", schedule={"active": "false", "cron": "5 4 * * *"}).status == 303
    assert "Inactive" in developer.open(here).text
    page = reporter.open(here).text
    assert ("Nightly" in page, "Run now" in page, f"{id_}/edit" in page) == (True, False, False)
    assert reporter.open(f"{here}/{id_}/edit").status == 403
    assert "Take over" in master.open(here).text
    assert master.send(f"{here}/{id_}/take_ownership").status == 303
    assert developer.open(f"{here}/{id_}/edit").status == 403
    assert master.send(f"{here}/{id_}/delete").status == 303
    assert cast.developer.get(api).json == []


def test_variables_of_a_schedule_are_hidden_until_they_are_revealed(browse, cast, here, api):
    id_ = nightly(cast.developer, api)
    developer, edit = browse("developer"), f"{here}/{id_}/edit"
    assert "get no variables of their own" in developer.open(edit).text
    refused = developer.send(f"{here}/{id_}/variables", variable={"key": "NOT-A-KEY", "value": "x"})
    assert (refused.status, 'id="variable_key-problem"' in refused.text) == (422, True)
    assert developer.send(f"{here}/{id_}/variables", variable={"key": "LEVEL", "value": "qxq-value"}).status == 303
    assert ("LEVEL" in developer.open(edit).text, "qxq-value" in developer.page.text) == (True, False)
    assert "qxq-value" in developer.open(f"{edit}?reveal=true").text
    assert developer.send(f"{here}/{id_}/variables/LEVEL/delete").status == 303
    assert cast.developer.get(f"{api}/{id_}").json["variables"] == []


def test_a_variable_of_a_schedule_is_edited_in_its_place(browse, cast, here, api):
    id_ = nightly(cast.developer, api)
    for key in ("LEVEL", "OTHER"):
        cast.developer.post(f"{api}/{id_}/variables", key=key, value=f"{key}-value")
    developer, edit = browse("developer"), f"{here}/{id_}/edit"
    assert f"{edit}?edit=LEVEL" in developer.open(edit).text
    page = developer.open(f"{edit}?edit=LEVEL").text
    assert ("LEVEL-value" in page, "OTHER-value" in page, "Add variable" in page) == (True, False, False)
    refused = developer.send(f"{here}/{id_}/variables/LEVEL", edit="LEVEL", variable={"value": "x" * 10_001})
    assert (refused.status, 'id="variable_value-problem"' in refused.text) == (422, True)
    fields = {"value": "two\r\nlines", "variable_type": "file"}
    saved = developer.send(f"{here}/{id_}/variables/LEVEL", edit="LEVEL", variable=fields)
    assert (saved.status, saved.headers["Location"]) == (303, edit)
    shown = cast.developer.get(f"{api}/{id_}").json["variables"]
    assert [(each["key"], each["value"], each["variable_type"]) for each in shown] == [
        ("LEVEL", "two\nlines", "file"), ("OTHER", "OTHER-value", "env_var"),
    ]  # fmt: skip
    assert developer.send(f"{here}/{id_}/variables/NOTHING", variable={"value": "x"}).status == 404
    other = browse("reporter")
    other.open("/profile")
    assert other.send(f"{here}/{id_}/variables/LEVEL", variable={"value": "x"}).status == 403


def test_a_schedule_runs_now(browse, cast, ci):
    here = f"/{cast.owner.get(ci.path).json['path_with_namespace']}/pipeline_schedules"
    id_, owner = nightly(cast.owner, f"{ci.path}/pipeline_schedules"), browse("owner")
    owner.open(here)
    assert owner.send(f"{here}/{id_}/play").status == 303
    started = ci.pipelines[0]
    assert started["source"] == "schedule"
    assert f"/pipelines/{started['id']}" in owner.open(here).text


def test_what_a_schedule_cannot_start_is_said(browse, cast, here, api):
    id_, developer = nightly(cast.developer, api), browse("developer")
    developer.open(here)
    refused = developer.send(f"{here}/{id_}/play")
    assert (refused.status, "Reference not found" in refused.text, "Base" in refused.text) == (422, True, False)
    reporter = browse("reporter")
    reporter.open("/profile")
    assert reporter.send(f"{here}/{id_}/play").status == 403
