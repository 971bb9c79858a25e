import asyncio

import pytest


@pytest.fixture
def statuses(code):
    return f"{code.at}/commits/{code.first}/statuses"


@pytest.fixture
def report(cast, code):
    """What a system that builds the commit says of it."""

    def post(state, person=None, sha=None, **said):
        return (person or cast.owner).post(f"{code.path}/statuses/{sha or code.first}", state=state, **said)

    return post


def test_a_status_shows_the_given_attributes(cast, code, report, statuses):
    made = report(
        "success", name="ci", ref="side", target_url="https://ci.example.org/1", description="All green", coverage=97.5
    )
    assert made.status == 201
    status = made.json
    assert status.pop("id") > 0
    assert status.pop("created_at") <= status.pop("finished_at")
    assert status.pop("author")["username"] == "owner"
    assert status.pop("pipeline_id") == cast.owner.get(f"{code.at}/commits/{code.first}").json["last_pipeline"]["id"]
    assert status == {
        "sha": code.first, "ref": "side", "status": "success", "name": "ci", "target_url": "https://ci.example.org/1",
        "description": "All green", "started_at": None, "allow_failure": False, "coverage": 97.5,
    }  # fmt: skip
    assert cast.events()[-2:] == ["commit_status.created", "pipeline.created"]
    assert [each["name"] for each in cast.owner.get(statuses).json] == ["ci"]


def test_missing_sha_ref_and_name_have_defaults(code, report):
    status = report("pending", sha="master").json
    assert (status["sha"], status["ref"], status["name"]) == (code.first, "master", "default")
    assert report("pending", context="deploy").json["name"] == "deploy"


def test_a_status_moves_on_until_it_is_over(cast, report):
    first = report("pending", description="Waiting").json
    second = report("running").json
    third = report("failed", description="Broken").json
    assert first["id"] == second["id"] == third["id"]
    assert (second["status"], second["description"], third["description"]) == ("running", "Waiting", "Broken")
    assert second["finished_at"] is None
    assert second["started_at"] <= third["finished_at"]
    assert cast.events()[-6:] == [
        "commit_status.created", "pipeline.created", *["commit_status.updated", "pipeline.updated"] * 2,
    ]  # fmt: skip
    again = report("running").json
    assert again["id"] != first["id"]


def test_a_status_never_goes_back(report):
    for before, after, step in [
        ("pending", "pending", "enqueue"),
        ("running", "pending", "enqueue"),
        ("running", "running", "run"),
    ]:
        report(before, name=before + after)
        answer = report(after, name=before + after)
        refusal = f"Cannot transition status via :{step} from :{before} "
        assert (answer.status, answer.json["message"].split("(")[0]) == (400, refusal)


def test_a_status_that_is_not_over_may_end_in_any_way(report):
    for before in ("pending", "running"):
        for after in ("success", "failed", "canceled", "skipped"):
            begun = report(before, name=before + after).json
            ended = report(after, name=before + after).json
            assert (ended["id"], ended["status"]) == (begun["id"], after)


def test_the_last_status_of_each_name_stands_unless_all_are_asked_for(cast, report, statuses):
    report("failed", name="ci")
    report("success", name="ci")
    report("pending", name="lint", ref="side")

    def names(**query):
        return [(each["name"], each["status"]) for each in cast.owner.get(statuses, **query).json]

    assert names() == [("ci", "success"), ("lint", "pending")]
    assert names(all=True) == [("ci", "failed"), ("ci", "success"), ("lint", "pending")]
    assert names(name="ci") == [("ci", "success")]
    assert names(ref="side") == [("lint", "pending")]
    assert names(stage="external", per_page=1, page=2) == [("lint", "pending")]
    assert names(stage="test") == []


OVERALL = [
    ([], None),
    (["success", "success"], "success"),
    (["pending", "pending"], "pending"),
    (["success", "canceled"], "canceled"),
    (["success", "pending"], "running"),
    (["failed", "running"], "running"),
    (["success", "failed", "canceled"], "failed"),
    (["skipped", "skipped"], "skipped"),
    (["success", "skipped"], "success"),
    (["pending", "skipped"], "pending"),
    (["success", "skipped", "canceled"], "canceled"),
]


def test_a_commit_says_what_all_of_its_statuses_come_to(cast, code, report):
    for n, (states, overall) in enumerate(OVERALL):
        sha = code.commit(**{f"file{n}": ""}).json["id"]
        for number, state in enumerate(states):
            report(state, sha=sha, name=f"job {number}")
        commit = cast.owner.get(f"{code.at}/commits/{sha}").json
        pipeline = commit["last_pipeline"]
        assert (commit["status"], pipeline and pipeline["status"]) == (overall, overall)


REFUSED = [
    ({}, {"message": '400 (Bad request) "state" not given', "error": "state is missing"}),
    ({"state": "burnt"}, {"error": "state does not have a valid value"}),
    ({"state": "success", "coverage": "much"}, {"error": "coverage is invalid"}),
    ({"state": "success", "coverage": "nan"}, {"error": "coverage is invalid"}),
    ({"state": "success", "target_url": "javascript:1"}, {"message": {"target_url": ["must be a valid URL"]}}),
    ({"state": "success", "name": "x" * 256}, {"message": {"name": ["is too long (maximum is 255 characters)"]}}),
]


def test_an_invalid_status_is_refused(cast, code, statuses):
    for said, body in REFUSED:
        answer = cast.owner.post(f"{code.path}/statuses/{code.first}", **said)
        assert (answer.status, answer.json) == (400, body)
    assert cast.owner.get(statuses).json == []


def test_only_developers_report(cast, code, report, statuses):
    cast.owner.post(f"{code.path}/members", user_id=cast.reporter.id, access_level=20)
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=10)
    cast.owner.post(f"{code.path}/members", user_id=cast.developer.id, access_level=30)
    people = [cast.developer, cast.reporter, cast.guest, cast.stranger, cast.anonymous]
    assert [report("success", person).status for person in people] == [201, 403, 403, 404, 401]
    assert [person.get(statuses).status for person in people] == [200, 200, 403, 404, 404]
    assert report("success", sha="none").json == {"message": "404 Commit Not Found"}
    cast.owner.post(f"{code.path}/archive")
    assert report("success", cast.developer).status == 403
    assert cast.developer.get(statuses).status == 200


def test_a_status_without_a_ref_is_for_the_branch_that_ends_at_the_commit(cast, code, report):
    cast.owner.post(f"{code.at}/branches", branch="a-later-one", ref="master")
    body = {"branch": "a-later-one", "commit_message": "More"}
    cast.owner.post(f"{code.at}/commits", **body, actions=[{"action": "create", "file_path": "x", "content": ""}])
    assert report("pending").json["ref"] == "master"
    assert report("pending", ref="refs/heads/a-later-one").json["ref"] == "a-later-one"


def test_a_status_without_a_ref_is_for_the_default_branch_before_others(cast, code, report):
    cast.owner.post(f"{code.at}/branches", branch="a-first-one", ref="master")
    assert report("pending").json["ref"] == "master", "both end at the commit"
    for branch in ("master", "a-first-one"):
        assert code.commit(branch=branch, message="More", **{branch: "1"}).status == 201
    assert report("success").json["ref"] == "master", "both contain it"


def test_a_commit_no_branch_holds_needs_a_ref(cast, code, report):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    lost = code.commit(branch="side", message="Lost", side="1").json["id"]
    cast.owner.delete(f"{code.at}/branches/side")
    assert report("success", sha=lost).json == {"message": "404 References for commit Not Found"}
    assert report("success", sha=lost, ref="side").status == 201


def test_the_statuses_of_a_commit_on_a_ref_make_one_pipeline(cast, code, report):
    first, again, other = report("pending").json, report("success", name="b").json, report("failed", ref="side").json
    assert first["pipeline_id"] == again["pipeline_id"] != other["pipeline_id"]
    path = f"{code.at}/commits/{code.first}"
    pipeline = cast.owner.get(path).json["last_pipeline"]
    assert pipeline.pop("created_at") <= pipeline.pop("updated_at")
    assert pipeline.pop("web_url").endswith(f"/{code.project['path_with_namespace']}/pipelines/{other['pipeline_id']}")
    assert pipeline == {
        "id": other["pipeline_id"], "project_id": code.project["id"], "sha": code.first, "ref": "side", "status": "failed",
        "source": "external", "iid": 2, "name": None,
    }  # fmt: skip
    named = report("success", pipeline_id=first["pipeline_id"])
    assert (named.json["ref"], named.json["id"]) == (first["ref"], first["id"])
    for wrong in ({"pipeline_id": 99999}, {"pipeline_id": first["pipeline_id"], "ref": "side"}):
        assert report("success", name="c", **wrong).json == {
            "message": "404 Pipeline for pipeline_id, sha and ref Not Found"
        }


def test_a_branch_and_a_tag_of_one_name_have_statuses_of_their_own(cast, code, report):
    for kind, fields in (("branches", {"branch": "v9"}), ("tags", {"tag_name": "v9"}), ("tags", {"tag_name": "v10"})):
        assert cast.owner.post(f"{code.at}/{kind}", **fields, ref="master").status == 201
    branch, tag = report("pending", ref="v9").json, report("failed", ref="refs/tags/v9").json
    assert (branch["ref"], tag["ref"]) == ("v9", "v9")
    assert (branch["pipeline_id"] != tag["pipeline_id"], branch["id"] != tag["id"]) == (True, True)
    assert report("success", ref="refs/heads/v9").json["id"] == branch["id"]
    only = report("success", ref="v10").json["pipeline_id"]
    full = {
        id_: cast.owner.get(f"{code.path}/pipelines/{id_}").json
        for id_ in (branch["pipeline_id"], tag["pipeline_id"], only)
    }
    assert [(each["tag"], each["status"]) for each in full.values()] == [
        (False, "success"), (True, "failed"), (True, "success"),
    ]  # fmt: skip
    named = report("success", name="named", pipeline_id=tag["pipeline_id"]).json
    assert named["pipeline_id"] == tag["pipeline_id"]


def test_a_status_belongs_to_the_pipeline_that_it_names(cast, code, report):
    older = report("success").json["pipeline_id"]
    cast.run("UPDATE pipelines SET source = 'push' WHERE id = :id", id=older)
    newer = cast.value(
        """INSERT INTO pipelines (project_id, iid, ref, tag, sha, source, status, protected, created_at, updated_at)
           SELECT project_id, 99, ref, tag, sha, 'web', 'created', FALSE, created_at, updated_at FROM pipelines
           WHERE id = :id RETURNING id""",
        id=older,
    )
    assert report("success", name="b").json["pipeline_id"] == newer
    assert report("success", name="c", pipeline_id=older).json["pipeline_id"] == older


def test_those_who_read_code_may_still_not_read_pipelines(browse, cast, code, report):
    cast.owner.put(code.path, visibility="internal")
    cast.owner.post(f"{code.path}/members", user_id=cast.guest.id, access_level=10)
    report("success")

    def seen(person):
        commit = person.get(f"{code.at}/commits/{code.first}").json
        return commit["status"], commit["last_pipeline"] is not None

    assert [seen(person) for person in (cast.guest, cast.stranger)] == [("success", True), (None, False)]
    page = f"/{code.project['path_with_namespace']}/commits/master"
    assert ["success" in browse(name).open(page).text for name in ("guest", "stranger")] == [True, False]
    cast.owner.put(code.path, public_jobs=False)
    assert seen(cast.guest) == (None, False)
    cast.owner.put(code.path, visibility="public")
    assert [seen(person) for person in (cast.anonymous, cast.guest)] == [("success", True)] * 2


@pytest.mark.commits
def test_reports_at_once_make_one_pipeline(cast, code, loop):
    async def all_at_once():
        return await asyncio.gather(
            *(
                cast.owner.exchange(
                    "POST", f"{code.path}/statuses/{code.first}", params={"state": "success", "name": f"job {n}"}
                )
                for n in range(8)
            )
        )

    answers = loop.run_until_complete(all_at_once())
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json["pipeline_id"] for answer in answers}) == 1


def test_statuses_are_for_those_who_read_pipelines(cast, code, report):
    """Everybody reads the code of an internal project, but only its members its pipelines."""
    report("success")
    for visibility, stranger in (("public", 200), ("internal", 403), ("private", 404)):
        assert cast.owner.put(code.path, visibility=visibility).status == 200
        statuses = [
            person.get(f"{code.at}/commits/{code.first}/statuses").status for person in (cast.stranger, cast.owner)
        ]
        assert statuses == [stranger, 200], visibility
