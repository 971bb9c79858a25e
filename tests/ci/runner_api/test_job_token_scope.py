"""Projects that limit which jobs get in with their tokens."""

import pytest

from mujina.kernel.permissions.scopes import JOB
from tests.ci.runner_api.test_job_token import commit_a_file, git, lfs
from tests.harness.client import Raw
from tests.harness.composed import ROUTES


@pytest.fixture
def limited(cast):
    """The path of the internal project, which lets in no jobs of other projects; the developer is a member."""
    commit_a_file(cast, cast.internal)
    here = f"/projects/{cast.internal.id}"
    package = Raw(body=b"x", type="application/octet-stream")
    assert cast.master.put(f"{here}/packages/generic/tool/1.0/a.zip", package).status == 201
    assert cast.master.patch(f"{here}/job_token_scope", enabled=True).status == 204
    return here


class Job:
    """A running job of the private project that asks for the internal project in every way."""

    def __init__(self, cast, token):
        self.cast, self.token = cast, token

    def asks(self, place=None):
        place = place or self.cast.internal
        here, token = f"/projects/{place.id}", self.token
        ways = {
            "git": git(self.cast, place, token),
            "lfs": lfs(self.cast, place, token, "download"),
            "package": self.cast.anonymous.get(f"{here}/packages/generic/tool/1.0/a.zip", job_token=token).status,
        }
        artifacts = self.cast.anonymous.get(f"{here}/jobs/artifacts/master/download", job="x", job_token=token)
        ways["artifacts"] = 200 if artifacts.json == {"message": "404 Not Found"} else artifacts.status
        started = self.cast.anonymous.post(f"{here}/trigger/pipeline", token=token, ref="master")
        ways["trigger"] = 200 if started.status == 400 else started.status  # there is no CI file
        return ways

    def sees_package_in(self, group):
        path = f"/groups/{group.id}/-/packages/pypi/simple"
        assert self.cast.anonymous.get(path, job_token=self.token).status == 200
        return "wheelwright" in self.cast.anonymous.get(path, job_token=self.token).text


@pytest.fixture
def job(cast, take):
    return Job(cast, take()[1])


OPEN = dict.fromkeys(("git", "lfs", "package", "artifacts", "trigger"), 200)
CLOSED = dict.fromkeys(OPEN, 404)


def test_until_a_project_limits_it_jobs_read_what_their_users_may_read(cast, limited, job):
    assert cast.master.patch(f"{limited}/job_token_scope", enabled=False).status == 204
    assert job.asks() == OPEN


def test_a_limited_project_lets_in_its_own_jobs_alone(cast, limited, job):
    assert job.asks() == CLOSED
    assert git(cast, cast.internal, cast.developer.token) == 200
    cast.run(
        "UPDATE pipeline_jobs SET project_id = :id WHERE project_id = :private",
        id=cast.internal.id,
        private=cast.private.id,
    )
    assert job.asks() == OPEN


def test_a_limited_project_lets_in_the_jobs_of_an_allowed_project(cast, limited, job):
    allowlist = f"{limited}/job_token_scope/allowlist"
    assert cast.master.post(allowlist, target_project_id=cast.public.id).status == 201
    assert job.asks() == CLOSED
    assert cast.master.post(allowlist, target_project_id=cast.private.id).status == 201
    assert job.asks() == OPEN
    assert cast.master.delete(f"{allowlist}/{cast.private.id}").status == 204
    assert job.asks() == CLOSED


def test_a_limited_project_lets_in_the_jobs_below_an_allowed_group(cast, limited, job):
    allowlist = f"{limited}/job_token_scope/groups_allowlist"
    cast.root.post(allowlist, target_group_id=cast.guild.id)
    assert job.asks() == CLOSED
    assert cast.root.post(allowlist, target_group_id=cast.company.id).status == 201
    assert job.asks() == OPEN


def test_a_limited_project_that_is_public_is_read_like_by_everyone(cast, limited, job):
    assert cast.root.put(limited, visibility="public").status == 200
    assert job.asks() == {**OPEN, "trigger": 404}
    assert cast.root.put(limited, visibility="private").status == 200
    assert job.asks() == CLOSED


def test_lists_leave_out_the_packages_of_limited_projects(cast, limited, job):
    upload = Raw.multipart({"content": ("wheelwright-1.tar.gz", b"x")}, name="wheelwright", version="1")
    assert cast.master.post(f"{limited}/packages/pypi", upload).status == 201
    assert not job.sees_package_in(cast.team)
    assert cast.master.post(f"{limited}/job_token_scope/allowlist", target_project_id=cast.private.id).status == 201
    assert job.sees_package_in(cast.team)
    cast.master.delete(f"{limited}/job_token_scope/allowlist/{cast.private.id}")
    assert cast.root.put(limited, visibility="public").status == 200
    assert job.sees_package_in(cast.team)


def test_every_route_that_takes_the_token_of_a_job_asks_the_project(cast, limited, job):
    routes = [each for each in ROUTES if JOB in each.scopes and each.path.startswith("/projects/:id/")]
    assert len(routes) > 10
    for route in routes:
        names = (part if part[:1] not in (":", "*") else "1" for part in route.path.split("/")[3:])
        path = f"{limited}/{'/'.join(names)}"
        answer = cast.anonymous.ask(route.verb, path, Raw(query="job=x", headers={"Job-Token": job.token}))
        assert answer.status in (400, 404), (route, answer)
        assert answer.status == 400 or answer.json == {"message": "404 Project Not Found"}, (route, answer)
