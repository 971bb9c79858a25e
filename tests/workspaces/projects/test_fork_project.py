import asyncio

import pytest

from mujina.app import build_services
from mujina.code.forks.tasks import copy_project
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings
from mujina.workspaces.projects.tasks import remove_project
from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_group

PRIVATE = "POST /projects/{private.id}/fork"
PUBLIC = "POST /projects/{public.id}/fork"
INTERNAL = "POST /projects/{internal.id}/fork"


@cases(
    [
        Case("anonymous", PUBLIC, 401),
        Case("stranger", PRIVATE, 404, {"message": "404 Project Not Found"}),
        Case("guest", PRIVATE, 403, {"message": "403 Forbidden"}, events=[]),
        Case("reporter", PRIVATE, 201, Has(visibility="private", import_status="scheduled")),
        Case("stranger", INTERNAL, 201, Has(visibility="internal")),
        Case("external", INTERNAL, 404),
        Case("stranger", PUBLIC, 201, Has(visibility="public", path_with_namespace="stranger/public")),
        Case("root", PRIVATE, 201, Has(visibility="private")),
    ]
)
def test_those_who_may_read_the_code_may_fork_it(case, cast, clean):
    case.holds(cast)


def test_a_fork_has_the_branches_the_tags_and_the_protection_of_its_source(cast, filled):
    source = filled(cast.public, "feature/x")
    fork = cast.stranger.post(f"/projects/{source.id}/fork").json
    assert (fork["import_status"], fork["default_branch"]) == ("scheduled", None)
    at = f"/projects/{fork['id']}"
    done = cast.stranger.get(at, statistics=True).json
    assert (done["import_status"], done["import_error"], done["default_branch"]) == ("finished", None, "master")
    assert done["statistics"]["commit_count"] == 1
    assert [each["name"] for each in cast.stranger.get(f"{at}/repository/branches").json] == ["feature/x", "master"]
    assert [each["name"] for each in cast.stranger.get(f"{at}/repository/tags").json] == ["v1"]
    assert [each["name"] for each in cast.stranger.get(f"{at}/protected_branches").json] == ["master"]


def test_a_fork_knows_its_source_and_the_source_counts_its_forks(cast, clean):
    path = f"/projects/{cast.public.id}"
    fork = cast.stranger.post(f"{path}/fork").json
    assert fork["forked_from_project"]["id"] == cast.public.id
    assert fork["forked_from_project"]["path_with_namespace"] == cast.public.path
    assert fork["forked_from_project"]["forks_count"] == 1
    assert cast.anonymous.get(path).json["forks_count"] == 1
    assert [each["id"] for each in cast.anonymous.get(f"{path}/forks").json] == [fork["id"]]
    assert cast.stranger.delete(f"/projects/{fork['id']}").status == 204
    assert cast.anonymous.get(path).json["forks_count"] == 0


def test_a_source_the_caller_may_not_read_is_not_named(cast, clean):
    fork = cast.reporter.post(f"/projects/{cast.private.id}/fork").json
    at = f"/projects/{fork['id']}"
    assert cast.reporter.get(at).json["forked_from_project"]["id"] == cast.private.id
    cast.reporter.post(f"{at}/members", user_id=cast.stranger.id, access_level=40)
    assert "forked_from_project" not in cast.stranger.get(at).json


def test_a_fork_of_a_private_project_is_visible_to_its_owner_only(cast, filled):
    source = filled(cast.private)
    at = f"/projects/{cast.reporter.post(f'/projects/{source.id}/fork').json['id']}"
    for person in (cast.stranger, cast.anonymous, cast.guest):
        assert person.get(at).status == 404
        assert person.get(f"{at}/repository/tree").status in (401, 404)
    raised = cast.reporter.put(at, visibility="public")
    assert raised.status == 400
    assert "fork source project has lower visibility" in raised.json["message"]["visibility_level"][0]


def test_later_commits_of_the_source_are_not_in_the_fork(cast, filled, stage):
    source = filled(cast.public)
    fork = cast.stranger.post(f"/projects/{source.id}/fork").json["id"]
    actions = [{"action": "create", "file_path": "secret", "content": "later"}]
    later = cast.owner.post(
        f"/projects/{source.id}/repository/commits", branch="master", commit_message="Later", actions=actions
    ).json["id"]
    assert cast.stranger.get(f"/projects/{fork}/repository/commits/{later}").status == 404
    assert list(stage.folder.glob("repositories/**/alternates")) == []


def test_hiding_the_source_hides_its_forks_and_theirs(cast, clean):
    fork = cast.stranger.post(f"/projects/{cast.public.id}/fork").json["id"]
    grandchild = cast.developer.post(f"/projects/{fork}/fork").json["id"]
    assert cast.owner.put(f"/projects/{cast.public.id}", visibility="internal").status == 200
    assert [cast.root.get(f"/projects/{each}").json["visibility"] for each in (fork, grandchild)] == ["internal"] * 2
    assert cast.anonymous.get(f"/projects/{grandchild}").status == 404


@pytest.mark.parametrize("named", ["id", "path", "name", "full path", "own path", "number as text"])
def test_the_namespace_is_named_by_id_path_or_name(cast, clean, named):
    spelled = {
        "id": cast.guild.id, "path": "GUILD", "name": "Guild", "full path": cast.team.path,
        "own path": "team", "number as text": str(cast.guild.id),
    }[named]  # fmt: skip
    cast.root.put(f"/groups/{cast.team.id}", name="Crew")
    fork = cast.root.post(f"/projects/{cast.public.id}/fork", namespace=spelled)
    status = 409 if named in ("full path", "own path") else 201
    assert fork.status == status, fork
    if status == 201:
        assert fork.json["namespace"]["id"] == cast.guild.id


def test_a_target_namespace_without_the_right_to_create_is_not_found(cast, clean):
    for namespace in ("nowhere", "guild", cast.guild.id, 2**70, "owner", "\u0000"):
        answer = cast.developer.post(f"/projects/{cast.public.id}/fork", namespace=namespace)
        if namespace == "\u0000":
            assert (answer.status, answer.json) == (400, {"error": "namespace is invalid"})
        else:
            assert (answer.status, answer.json) == (404, {"message": "404 Target Namespace Not Found"})


def test_a_fork_is_no_more_visible_than_the_group_it_goes_to(cast, clean):
    group = make_group(cast.owner, "hidden", name="Hidden", visibility="private")["id"]
    fork = cast.owner.post(f"/projects/{cast.public.id}/fork", namespace=group)
    assert (fork.status, fork.json["visibility"]) == (201, "private")


def test_a_fork_is_no_more_visible_than_the_instance_allows(cast, clean):
    def forked(person, **more):
        answer = person.post(
            f"/projects/{cast.public.id}/fork", path=f"copy{len(found)}", name=f"Copy {len(found)}", **more
        )
        return answer.json.get("visibility", answer.status)

    found = []
    for restricted in (["public"], ["public", "internal"], ["public", "internal", "private"]):
        cast.root.put("/application/settings", restricted_visibility_levels=restricted)
        found.append(forked(cast.stranger))
    found.append(forked(cast.root))
    assert found == ["internal", "private", 400, "public"]


def test_forking_twice_clashes(cast, clean):
    path = f"/projects/{cast.public.id}/fork"
    assert cast.stranger.post(path).status == 201
    again = cast.stranger.post(path)
    assert again.status == 409
    assert again.json["message"]["name"] == again.json["message"]["path"] == ["has already been taken"]
    assert cast.owner.post(path, namespace=cast.team.id).status == 409


@pytest.mark.parametrize(
    ("params", "name", "path"),
    [
        ({"name": "My Fork", "path": "my-fork"}, "My Fork", "my-fork"),
        ({"name": "My Fork"}, "My Fork", "public"),
        ({"path": "my-fork"}, "Public", "my-fork"),
    ],
)
def test_a_fork_may_have_another_name_or_path(cast, clean, params, name, path):
    cast.owner.put(f"/projects/{cast.public.id}", name="Public")
    fork = cast.stranger.post(f"/projects/{cast.public.id}/fork", **params)
    assert (fork.status, fork.json["name"], fork.json["path"]) == (201, name, path)
    assert fork.json["forked_from_project"]["id"] == cast.public.id


def test_name_and_path_of_a_fork_are_checked_like_those_of_any_project(cast, clean):
    path = f"/projects/{cast.public.id}/fork"
    for params, complaint in (({"name": ""}, "name"), ({"name": "?"}, "name"), ({"path": ""}, "path"),
                            ({"path": "-x"}, "path"), ({"path": "wikis"}, "path"), ({"name": "x" * 256}, "name")):  # fmt: skip
        refused = cast.stranger.post(path, **params)
        assert (refused.status, list(refused.json["message"])) == (400, [complaint])
    assert cast.stranger.post("/projects", name="Mine", path="mine").status == 201
    for params, clash in (({"name": "Mine"}, "name"), ({"path": "MINE"}, "path")):
        refused = cast.stranger.post(path, **params)
        assert (refused.status, refused.json["message"][clash]) == (409, ["has already been taken"])
    both = {"name": "Beside", "path": "beside", "namespace": cast.team.id}
    assert cast.owner.post(path, **both).json["path_with_namespace"] == f"{cast.team.path}/beside"


@pytest.fixture
def interrupted(cast, filled, database):
    """A fork whose copying began and did not end, as a crash leaves it; and what a start of the jobs does."""
    source = filled(cast.public)
    fork = cast.stranger.post(f"/projects/{source.id}/fork").json["id"]

    def begin_again(*, parted=False):
        cast.run("UPDATE projects SET import_status = 'started', default_branch = NULL WHERE id = :id", id=fork)
        if parted:
            cast.run("UPDATE projects SET forked_from_id = NULL WHERE id = :id", id=fork)
        cast.transact(lambda tx: enqueue(tx, "projects.copy", fork))
        cast.root.post(f"/projects/{cast.private.id}/fork")  # wakes the jobs, which find what is waiting
        return cast.stranger.get(f"/projects/{fork}").json

    return begin_again


def test_a_copy_that_was_interrupted_is_finished_after_a_restart(interrupted):
    found = interrupted()
    assert (found["import_status"], found["default_branch"]) == ("finished", "master")


def test_a_fork_whose_source_was_deleted_fails_with_an_import_error(interrupted):
    found = interrupted(parted=True)
    assert (found["import_status"], found["import_error"]) == ("failed", "The project it was forked from is gone")


RELATE = "POST /projects/{private.id}/fork/{public.id}"


@cases(
    [
        Case("owner", RELATE, 403, {"message": "403 Forbidden"}, events=[]),
        Case("root", RELATE, 201, Has(forked_from_project=Has(name="public")), events=["project.updated"]),
        Case("root", "POST /projects/{private.id}/fork/{private.id}", 409),
        Case("root", "POST /projects/{private.id}/fork/999999", 404, {"message": "404 Project Not Found"}),
        Case("owner", "DELETE /projects/{private.id}/fork", 403),
        Case("root", "DELETE /projects/{private.id}/fork", 304),
    ]
)
def test_administrators_relate_projects(case, cast):
    case.holds(cast)


def test_a_relation_is_made_once_and_ended_once(cast):
    path = f"/projects/{cast.private.id}/fork"
    assert cast.root.post(f"{path}/{cast.public.id}").json["forked_from_project"]["id"] == cast.public.id
    again = cast.root.post(f"{path}/{cast.internal.id}")
    assert (again.status, again.json) == (409, {"message": "Project already forked"})
    circle = cast.root.post(f"/projects/{cast.public.id}/fork/{cast.private.id}")
    assert circle.status == 409
    assert cast.root.delete(path).status == 204
    assert cast.root.delete(path).status == 304
    assert "forked_from_project" not in cast.root.get(f"/projects/{cast.private.id}").json


def test_pushes_are_rejected_while_the_repository_is_being_copied(cast, filled):
    project = filled(cast.private)
    for status, answered in (("started", 403), ("scheduled", 403), ("finished", 201), ("failed", 201)):
        cast.run("UPDATE projects SET import_status = :status WHERE id = :id", status=status, id=project.id)
        actions = [{"action": "create", "file_path": status, "content": "x"}]
        path = f"/projects/{project.id}/repository/commits"
        made = cast.owner.post(path, branch="master", commit_message="More", actions=actions)
        assert made.status == answered


@pytest.mark.commits
def test_a_fork_that_is_deleted_while_it_is_copied_leaves_no_error(cast, filled, database, stage, loop):
    services = build_services(Settings(data=stage.folder, password_kilobytes=64), database)
    source = filled(cast.public)

    async def delete_while_copying(fork, seconds):
        run = Run(services, 1)
        async with database.transaction() as tx:
            await tx.run("UPDATE projects SET import_status = 'scheduled' WHERE id = :id", id=fork)
        copying = asyncio.create_task(copy_project(run, str(fork)))
        await asyncio.sleep(seconds)
        async with database.transaction() as tx:
            await tx.run("UPDATE projects SET deleted_at = '2018-01-22T14:22:21.000Z' WHERE id = :id", id=fork)
        await remove_project(run, str(fork))
        await copying
        await remove_project(run, str(fork))

    for number, seconds in enumerate((0, 0.005, 0.01, 0.02, 0.04, 0.08)):
        fork = cast.stranger.post(f"/projects/{source.id}/fork", path=f"fork-{number}", name=f"Fork {number}").json[
            "id"
        ]
        loop.run_until_complete(delete_while_copying(fork, seconds))
        assert cast.root.get(f"/projects/{fork}").status == 404
