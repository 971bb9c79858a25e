"""Reports of the kind `dotenv`: variables that a job leaves to those after it, and to its environment."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mujina.ci.variables.dotenv import MAX_BYTES, MAX_VARIABLES, parse_dotenv
from tests.ci.running_jobs import Runner

REPORT = b"""\
VERSION=1.2
export NAME = "two words"
EMPTY=
URL='https://x.example.org/?a=b'
# a comment
no variable
5=6
DOLLAR=$HOME
"""


def test_the_lines_of_a_report_are_variables():
    expected = {
        "VERSION": "1.2", "NAME": "two words", "EMPTY": "", "URL": "https://x.example.org/?a=b", "DOLLAR": "$HOME",
    }  # fmt: skip
    found = parse_dotenv(REPORT, packed=False)
    assert {each.key: each.value for each in found} == expected
    assert all(each.raw and each.public for each in found)
    assert parse_dotenv(gzip.compress(REPORT), packed=True) == found
    assert parse_dotenv(REPORT, packed=True) == []


def test_a_report_has_limits():
    assert len(parse_dotenv(b"\n".join(b"A%d=1" % n for n in range(1_000)), packed=False)) == MAX_VARIABLES
    [long] = parse_dotenv(gzip.compress(b"A=" + b"x" * 10_000_000), packed=True)
    assert len(long.value) == MAX_BYTES - 2


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_have_a_result(content, packed):
    assert type(parse_dotenv(content, packed=packed)) is list


FILE = """\
stages: [build, test, deploy]
compile: {stage: build, script: make, artifacts: {reports: {dotenv: build.env}}, variables: {VERSION: file}}
check: {stage: test, script: check, variables: {VERSION: file}}
apart: {stage: test, script: check, dependencies: []}
review: {stage: build, script: up, environment: {name: review, url: "https://$HOST/"}}
"""


@pytest.fixture
def ask(ci, cast):
    made = cast.owner.post("/user/runners", runner_type="project_type", project_id=ci.id).json

    def ask():
        payload = cast.anonymous.post("/jobs/request", token=made["token"]).json
        values = {each["key"]: each["value"] for each in payload["variables"]}
        return payload["job_info"]["name"], values.get("VERSION")

    return ask


def test_later_jobs_get_the_variables_with_the_artifacts(ci, cast, stage, ask):
    ci.file(FILE.replace("review:", ".review:"))
    runner = Runner(ci, cast, stage.folder)
    stored = runner.upload(gzip.compress(b"VERSION=1.2\n"), "dotenv.gz", "artifact_type=dotenv&artifact_format=gzip")
    assert stored.status == 201
    runner.finish()
    assert {ask(), ask()} == {("check", "1.2"), ("apart", None)}


def test_the_address_of_an_environment_may_come_from_its_job(ci, cast, stage):
    ci.file(FILE)
    runner = Runner(ci, cast, stage.folder, "review")
    assert runner.upload(b"HOST=a.example.org\n", "x.env", "artifact_type=dotenv&artifact_format=raw").status == 201
    runner.finish()
    runner.work()
    found = {each["name"]: each["external_url"] for each in cast.owner.get(f"{ci.path}/environments").json}
    assert found["review"] == "https://a.example.org/"
