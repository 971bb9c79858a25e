"""The token of a running job as a credential."""

import base64
import json

import pytest

from tests.harness.client import Raw


def git(cast, place, token, service="upload-pack", name="gitlab-ci-token"):
    login = base64.b64encode(f"{name}:{token}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Git-Protocol": "version=2"}
    return cast.anonymous.ask("GET", f"//{place.path}.git/info/refs?service=git-{service}", Raw(headers=headers)).status


def lfs(cast, place, token, operation):
    login = base64.b64encode(f"gitlab-ci-token:{token}".encode()).decode()
    body = json.dumps({"operation": operation, "objects": [{"oid": "0" * 64, "size": 1}]}).encode()
    raw = Raw(body=body, type="application/vnd.git-lfs+json", headers={"Authorization": f"Basic {login}"})
    return cast.anonymous.ask("POST", f"//{place.path}.git/info/lfs/objects/batch", raw).status


def commit_a_file(cast, place):
    action = {"action": "create", "file_path": "a.txt", "content": "x"}
    made = cast.master.post(
        f"/projects/{place.id}/repository/commits", branch="master", commit_message="x", actions=[action]
    )
    assert made.status == 201


def test_it_reads_code_while_the_job_runs_and_writes_none(cast, take):
    for place in (cast.private, cast.public):
        commit_a_file(cast, place)
    job, token = take()
    assert [git(cast, place, token) for place in (cast.private, cast.internal, cast.public)] == [200, 200, 200]
    assert git(cast, cast.private, token, "receive-pack") == 403
    assert (lfs(cast, cast.private, token, "download"), lfs(cast, cast.private, token, "upload")) == (200, 403)
    assert git(cast, cast.private, token, name="developer") == 401
    assert git(cast, cast.private, "wrong") == 401
    cast.run("UPDATE pipeline_jobs SET status = 'success' WHERE id = :id", id=job)
    assert (git(cast, cast.private, token), git(cast, cast.public, token)) == (401, 401)
    assert lfs(cast, cast.private, token, "download") == 401


def test_a_personal_token_goes_with_its_name_as_with_any(cast):
    """Release tools send every token with this name."""
    commit_a_file(cast, cast.private)
    assert git(cast, cast.private, cast.developer.token, "receive-pack") == 200
    assert git(cast, cast.private, cast.reporter.token, "receive-pack") == 403
    assert git(cast, cast.private, cast.stranger.token) == 404


@pytest.mark.parametrize(("person", "status"), [("stranger", 404), ("guest", 403), ("reporter", 200), ("root", 404)])
def test_it_reads_what_the_user_of_the_job_may_read_as_a_member(cast, take, person, status):
    commit_a_file(cast, cast.private)
    _, token = take(person)
    assert git(cast, cast.private, token) == status


def test_it_dies_with_its_user_and_its_project(cast, take):
    _, token = take()
    cast.run("UPDATE users SET state = 'blocked' WHERE id = :id", id=cast.developer.id)
    assert git(cast, cast.public, token) == 401
    _, token = take("reporter")
    cast.run("UPDATE projects SET deleted_at = '2018' WHERE id = :id", id=cast.private.id)
    assert git(cast, cast.public, token) == 401


def test_the_api_does_not_take_it_as_another_kind_of_token(cast, take):
    _, token = take()
    for headers in ({"Private-Token": token}, {"Authorization": f"Bearer {token}"}):
        assert cast.anonymous.ask("GET", "/user", Raw(headers=headers)).status == 401
    for path in (f"/projects/{cast.private.id}", f"/projects/{cast.private.id}/repository/branches"):
        assert cast.anonymous.ask("GET", path, Raw(headers={"Job-Token": token})).status == 404
        assert cast.anonymous.get(path, job_token=token).status == 404
    assert cast.anonymous.ask("GET", "/user", Raw(headers={"Job-Token": token})).status == 401
    assert (
        cast.anonymous.ask("POST", f"/projects/{cast.private.id}/issues", Raw(headers={"Job-Token": token})).status
        == 401
    )


def test_it_downloads_archives(cast, take):
    job, token = take()
    other = cast.stranger.post("/projects", name="other", visibility="private").json["id"]
    here = f"/projects/{cast.private.id}/jobs"
    for path in (f"{here}/{job}/artifacts", f"{here}/artifacts/master/download?job=rspec"):
        unseen = cast.anonymous.get(path).json
        assert unseen == {"message": "404 Project Not Found"}
        for found in (
            cast.anonymous.ask("GET", path, Raw(headers={"Job-Token": token})),
            cast.anonymous.get(path, job_token=token),
        ):
            assert (found.status, found.json != unseen) == (404, True)  # it has none
        assert cast.anonymous.get(path, job_token="wrong").status == 401
        assert cast.anonymous.get(path.replace(str(cast.private.id), str(other), 1), job_token=token).json == unseen
    assert cast.anonymous.get(f"{here}/{job}/artifacts/x", job_token=token).json == unseen
    cast.run("UPDATE pipeline_jobs SET status = 'canceled' WHERE id = :id", id=job)
    assert cast.anonymous.get(f"{here}/{job}/artifacts", job_token=token).status == 401


def test_it_publishes_packages_in_the_project_of_the_job_alone(cast, take):
    job, token = take()
    other = cast.developer.post("/projects", name="other", visibility="private").json["id"]
    login = base64.b64encode(f"gitlab-ci-token:{token}".encode()).decode()
    ways = ({"Job-Token": token}, {"Authorization": f"Basic {login}"}, {"Authorization": f"Bearer {token}"})

    def publish(project_id, headers):
        place = f"/projects/{project_id}/packages/generic/tool/1.0/a.zip"
        return cast.anonymous.put(place, Raw(body=b"x", type="application/octet-stream", headers=headers)).status

    assert [publish(cast.private.id, way) for way in ways] == [201, 201, 201]
    assert [publish(other, way) for way in ways] == [403, 403, 403]
    packages = f"/projects/{cast.private.id}/packages"
    [package] = cast.reporter.get(packages).json
    for path in (f"{packages}/{package['id']}", f"/projects/{cast.private.id}"):
        assert cast.anonymous.ask("DELETE", path, Raw(headers=ways[0])).status == 401
    cast.run("UPDATE pipeline_jobs SET status = 'success' WHERE id = :id", id=job)
    assert [publish(cast.private.id, way) for way in ways] == [401, 401, 401]
