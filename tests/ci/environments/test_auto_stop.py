"""`auto_stop_in` and `deployment_tier`."""

import pytest

from mujina.app import build_services
from mujina.ci.environments.tasks import stop_due_environments
from mujina.ci.environments.tiers import tier_of
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings

FILE = """\
stages: [review, cleanup]
review:
  stage: review
  script: deploy
  environment: {name: review/x, on_stop: stop_review, auto_stop_in: 1 day, deployment_tier: testing}
stop_review: {stage: cleanup, script: clean, when: manual, environment: {name: review/x, action: stop}}
"""


@pytest.fixture
def deployed(ci, work):
    ci.file(FILE)
    ci.finish("review")
    work()
    return ci.environments["review/x"]


@pytest.fixture
def sweep(cast, stage, database):
    """Lets the task of every minute run."""
    services = build_services(Settings(data=stage.folder, jobs="inline", external_url="http://mujina.test"), database)
    return lambda: cast.root.loop.run_until_complete(stop_due_environments(Run(services, 1), ""))


def pass_a_day(cast):
    cast.run("UPDATE environments SET auto_stop_at = '2018-01-01T00:00:00.000Z' WHERE auto_stop_at IS NOT NULL")


def test_an_environment_is_stopped_when_its_time_has_come(cast, ci, deployed, sweep):
    assert (deployed["tier"], deployed["state"]) == ("testing", "available")
    assert deployed["auto_stop_at"] > deployed["updated_at"]
    sweep()
    assert ci.environments["review/x"]["state"] == "available"
    pass_a_day(cast)
    sweep()
    stopped = ci.environments["review/x"]
    assert (stopped["state"], stopped["auto_stop_at"]) == ("stopped", None)
    assert ci.job("stop_review")["status"] == "pending"
    assert ci.job("stop_review")["user"]["username"] == "owner"
    before = cast.value("SELECT count(*) FROM events WHERE kind = 'environment.stopped'")
    sweep()
    assert cast.value("SELECT count(*) FROM events WHERE kind = 'environment.stopped'") == before == 1


def test_a_later_deployment_counts_anew_and_one_without_a_time_ends_it(cast, ci, deployed, work, sweep):
    pass_a_day(cast)
    cast.owner.post(f"{ci.path}/jobs/{ci.job('review')['id']}/retry")
    ci.finish("review")
    work()
    sweep()
    assert ci.environments["review/x"]["state"] == "available"
    ci.file(FILE.replace(", auto_stop_in: 1 day", ""))
    ci.finish("review")
    work()
    assert ci.environments["review/x"]["auto_stop_at"] is None


def test_a_user_who_may_no_longer_play_the_job_stops_the_environment_without_it(cast, ci, deployed, sweep):
    cast.run("UPDATE deployments SET user_id = :id", id=cast.stranger.id)
    pass_a_day(cast)
    sweep()
    assert ci.environments["review/x"]["state"] == "stopped"
    assert ci.job("stop_review")["status"] == "manual"


def test_a_removed_user_does_not_keep_an_environment(cast, ci, deployed, sweep):
    cast.run("UPDATE deployments SET user_id = NULL")
    pass_a_day(cast)
    sweep()
    assert ci.environments["review/x"]["state"] == "stopped"


def test_the_pages_show_when_it_stops_and_of_which_tier_it_is(browse, cast, ci, deployed):
    place = cast.owner.get(ci.path).json["path_with_namespace"]
    owner = browse("owner")
    assert "Stops automatically" in owner.open(f"/{place}/environments").text
    page = owner.open(f"/{place}/environments/{deployed['id']}")
    assert "Stops automatically" in page.text
    assert "Testing" in page.text
    edit = f"/{place}/environments/{deployed['id']}"
    assert 'value="testing" selected' in owner.open(f"{edit}/edit").text
    assert owner.send(edit, **{"environment[name]": "review/x", "environment[tier]": "staging"}).status == 303
    assert ci.environments["review/x"]["tier"] == "staging"


def test_the_tier_is_set_by_the_api_or_follows_from_the_name(cast, ci):
    made = cast.owner.post(f"{ci.path}/environments", name="eu", tier="production")
    assert (made.status, made.json["tier"]) == (201, "production")
    assert cast.owner.put(f"{ci.path}/environments/{made.json['id']}", tier="other").json["tier"] == "other"
    assert cast.owner.put(f"{ci.path}/environments/{made.json['id']}", tier="best").status == 400
    assert {name: tier_of(name, None) for name in ("production", "review/x", "staging", "qa-1", "eu", "preprod")} == {
        "production": "production", "review/x": "development", "staging": "staging", "qa-1": "testing", "eu": "other",
        "preprod": "staging",
    }  # fmt: skip
