import base64
from functools import partial

import pytest

from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects import operations
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import find_project
from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

AT = "PUT /projects/{private.id}"


@cases(
    [
        Case("anonymous", AT, 401, params={"description": "x"}),
        Case("stranger", AT, 404, {"message": "404 Project Not Found"}, {"description": "x"}),
        Case("developer", AT, 403, {"message": "403 Forbidden"}, {"description": "x"}, events=[]),
        Case("master", AT, 200, Has(description="x"), {"description": "x"}, events=["project.updated"]),
        Case("master", AT, 200, Has(description=""), {"description": ""}),
        Case("owner", AT, 400, Has(message=Has(name=["can't be blank"])), {"name": None}),
        Case("owner", AT, 400, Has(message=Has(path=["can't be blank"])), {"path": None}),
        Case("master", AT, 403, {"message": "403 Forbidden"}, {"visibility": "internal"}),
        Case("master", AT, 403, {"message": "403 Forbidden"}, {"name": "other"}),
        Case("master", AT, 200, Has(name="private"), {"name": "private", "description": "x"}),
        Case("owner", AT, 200, Has(name="Other", path="private"), {"name": "Other"}),
        Case("owner", AT, 200, Has(visibility="internal"), {"visibility": "internal"}),
        Case("root", AT, 200, Has(tag_list=["a", "b"], topics=["a", "b"]), {"tag_list": "b,a"}),
        Case(
            "root",
            AT,
            200,
            Has(tag_list=["c", "d e"], topics=["c", "d e"]),
            {"topics": ["d\n e", " ", "c"], "tag_list": "x"},
        ),
        Case(
            "master",
            AT,
            200,
            Has(request_access_enabled=True, lfs_enabled=False),
            {"request_access_enabled": 1, "lfs_enabled": 0},
        ),
        Case("master", AT, 200, Has(approvals_before_merge=2), {"approvals_before_merge": 2}),
        Case("owner", AT, 400, Has(message={"name": ["has already been taken"]}), {"name": "public"}),
        Case("owner", AT, 400, Has(message={"path": ["has already been taken"]}), {"path": "PUBLIC"}),
        Case("owner", AT, 400, Has(), {"path": "-x"}),
        Case("master", AT, 400, Has(), {"approvals_before_merge": -1}),
    ]
)
def test_masters_edit_and_owners_rename(case, cast):
    case.holds(cast)


def test_an_edit_needs_a_parameter(cast):
    answer = cast.master.put(f"/projects/{cast.private.id}", unknown="x")
    assert answer.status == 400
    assert answer.json["error"].endswith("are missing, at least one parameter must be provided")


def test_a_new_path_answers_and_the_old_one_does_not(cast):
    renamed = cast.owner.put(f"/projects/{cast.private.id}", path="renamed").json
    assert renamed["path_with_namespace"] == "company/department/team/renamed"
    assert cast.owner.get("/projects/company%2Fdepartment%2Fteam%2Frenamed").status == 200
    assert cast.owner.get(f"/projects/{cast.private.encoded}").status == 404


@pytest.mark.parametrize(
    "params", [{"jobs_enabled": False}, {"wiki_enabled": False}, {"shared_runners_enabled": False}]
)
def test_parameters_left_out_change_nothing(cast, params):
    before = cast.master.get(f"/projects/{cast.private.id}").json
    cast.master.put(f"/projects/{cast.private.id}", **params)
    after = cast.master.get(f"/projects/{cast.private.id}").json
    assert {name for name in before if before[name] != after[name]} == set(params)


def test_an_edit_that_began_before_another_does_not_undo_it(cast):
    here = f"/projects/{cast.private.id}"
    owner = Actor(cast.owner.id)

    before = cast.transact(lambda tx: find_project(tx, owner, Ref.of(cast.private.id)))
    for change in (EditProject(name="Other", path="other", visibility="internal"), EditProject(description="late")):
        cast.transact(partial(operations.edit, actor=owner, project=before, change=change))
    after = cast.owner.get(here).json
    assert [after[name] for name in ("name", "path", "visibility", "description")] == [
        "Other", "other", "internal", "late",
    ]  # fmt: skip


def test_only_administrators_choose_the_storage_and_there_is_one(cast):
    here = f"/projects/{cast.private.id}"
    refused = cast.root.put(here, repository_storage="elsewhere")
    assert (refused.status, refused.json) == (400, {"message": {"repository_storage": ["is not included in the list"]}})
    assert cast.root.put(here, repository_storage="default").json["repository_storage"] == "default"
    assert cast.owner.put(here, repository_storage="elsewhere").status == 200


def test_lfs_disabled_in_a_group_is_disabled_in_all_its_projects(cast):
    here = f"/projects/{cast.private.id}"
    assert cast.owner.get(here).json["lfs_enabled"] is True
    cast.root.put(f"/groups/{cast.company.id}", lfs_enabled=False)
    assert cast.owner.get(here).json["lfs_enabled"] is False
    login = base64.b64encode(f"owner:{cast.owner.token}".encode()).decode()
    raw = Raw(body=b'{"operation": "download", "objects": []}', headers={"Authorization": f"Basic {login}"})
    assert cast.owner.post(f"//{cast.private.path}.git/info/lfs/objects/batch", raw).status == 501
