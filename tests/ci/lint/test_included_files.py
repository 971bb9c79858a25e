"""Files of other servers, templates, files inside files, and conditions about the commit."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mujina.app import build, build_services
from mujina.ci.config_files.operations import NO_REMOTE_FILES, TOO_LARGE
from mujina.settings import Settings
from tests.harness.client import Client

JOB = "main: {script: a}\n"


PAGES = {
    "/jobs.yml": (200, b"remote: {script: b}"),
    "/nested.yml": (200, b"include: {template: Bash.gitlab-ci.yml}\nremote: {script: b}"),
    "/large.yml": (200, b"#" * 1_100_000),
    "/text.yml": (200, b"just: a: text"),
    "/moved.yml": (302, b""),
}


class Elsewhere(BaseHTTPRequestHandler):
    """Another server with CI files."""

    def do_GET(self):
        status, body = PAGES.get(self.path.partition("?")[0], (404, b""))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/jobs.yml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


@pytest.fixture(scope="module")
def elsewhere():
    """Its host and port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def lint(code, stage, database, elsewhere):
    """What the check of a text says at an instance that allows files of that server."""
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        outbound_allow=(elsewhere,), remote_includes=True,
    )  # fmt: skip
    client = Client(build(build_services(settings, database)), stage.loop, code.cast.developer.token)
    return lambda text, **params: client.post(code.lint, content=text, **params).json


pytestmark = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


def test_a_file_of_another_server_is_included(lint, elsewhere):
    for path in ("jobs.yml", "moved.yml", "jobs.yml?ref=main"):
        found = lint(f"include: http://{elsewhere}/{path}\n{JOB}", include_jobs=True)
        assert (found["errors"], [job["name"] for job in found["jobs"]]) == ([], ["remote", "main"])
    [included] = found["includes"]
    assert (included["type"], included["location"]) == ("remote", f"http://{elsewhere}/jobs.yml")
    nested = lint(f"include: {{remote: http://{elsewhere}/nested.yml}}\n{JOB}", include_jobs=True)
    assert [job["name"] for job in nested["jobs"]] == ["build", "test", "deploy", "remote", "main"]


def test_a_file_of_another_server_that_cannot_be_read_says_why(lint, elsewhere):
    def errors(url):
        return lint(f"include: '{url}'\n{JOB}")["errors"]

    def refused(url, reason):
        assert errors(url) == [f"Remote file '{url}' is not valid.", reason]

    refused(f"http://{elsewhere}/none.yml", "The server answered with status 404")
    refused(f"http://{elsewhere}/large.yml", TOO_LARGE)
    refused("http://127.0.0.1:1/a.yml", "127.0.0.1 is at a loopback address, which may not be called.")
    refused("http://169.254.169.254/a.yml", "169.254.169.254 is at a cloud metadata address, which may not be called.")
    assert errors(f"http://{elsewhere}/jobs.txt") == [f"Remote file 'http://{elsewhere}/jobs.txt' is not valid."]
    broken = errors(f"http://user:secret@{elsewhere}/text.yml?token=secret")
    assert broken[0] == f"Remote file 'http://{elsewhere}/text.yml' is not valid."
    assert not any("secret" in error for error in broken)


def test_files_of_other_servers_are_not_fetched_unless_an_operator_allows_it(code, elsewhere):
    url = f"http://{elsewhere}/jobs.yml"
    found = code.cast.developer.post(code.lint, content=f"include: {url}\n{JOB}").json
    assert found["errors"] == [f"Remote file '{url}' is not valid.", NO_REMOTE_FILES]


def test_templates_are_included_and_unknown_ones_named(code):
    developer = code.cast.developer
    text = "include: {template: Python.gitlab-ci.yml}\n" + JOB
    found = developer.post(code.lint, content=text, include_jobs=True).json
    assert [job["name"] for job in found["jobs"]] == ["test", "package", "main"]
    assert found["includes"][0] | {"context_sha": None} == {
        "type": "template", "location": "Python.gitlab-ci.yml", "context_project": "company/department/team/code",
        "context_sha": None, "extra": {},
    }  # fmt: skip
    unknown = developer.post(code.lint, content=text.replace("Python", "Cobol")).json["errors"]
    assert unknown[0] == "Template file 'Cobol.gitlab-ci.yml' is not valid."
    assert "Python.gitlab-ci.yml" in unknown[1]
    assert developer.post("/ci/lint", content=text).json["status"] == "valid"


def test_files_inside_files_are_those_of_their_project(code):
    code.commit(code.library, **{"all.yml": "include: jobs.yml\nall: {script: a}\n"})
    text = f"include: {{project: company/department/team/library, file: all.yml}}\n{JOB}"
    found = code.cast.developer.post(code.lint, content=text, include_jobs=True).json
    assert [job["name"] for job in found["jobs"]] == ["compile", "all", "main"]
    assert [(each["type"], each["location"]) for each in found["includes"]] == [
        ("file", "all.yml"),
        ("local", "jobs.yml"),
    ]


def test_conditions_of_an_include_ask_about_the_commit(code):
    def jobs(rule):
        text = f"include: {{template: Bash.gitlab-ci.yml, rules: [{rule}]}}\n{JOB}"
        return len(code.cast.developer.post(code.lint, content=text, include_jobs=True).json["jobs"])

    assert jobs("{exists: [Dockerfile]}") == 4
    assert jobs("{exists: [none]}") == 1
    assert jobs("{if: '$CI_COMMIT_BRANCH == \"master\"'}") == 4
    assert jobs("{if: $CI_COMMIT_TAG}") == 1


def test_a_dry_run_knows_predefined_variables_and_tells_no_stored_one(code):
    master = code.cast.owner
    assert master.post(f"/projects/{code.id}/variables", key="SECRET", value="hidden").status == 201

    def jobs(condition):
        text = f"asked: {{script: a, rules: [{{if: '{condition}'}}]}}\n{JOB}"
        found = code.cast.developer.post(code.lint, content=text, dry_run=True, include_jobs=True).json
        return [job["name"] for job in found["jobs"]]

    for condition in (
        '$CI_COMMIT_REF_SLUG == "master"', '$CI_PROJECT_NAME == "code"', '$GITLAB_USER_LOGIN == "developer"',
        '$CI_COMMIT_REF_PROTECTED == "true"', "$SECRET == null",
    ):  # fmt: skip
        assert jobs(condition) == ["asked", "main"], condition
    assert jobs("$SECRET =~ /^h/") == ["main"]


def test_a_dry_run_compares_with_a_ref(code):
    code.commit(code.id, branch="topic", **{"api/main.go": "x"})

    def outcome(ref, against):
        text = f"api: {{script: a, rules: [{{changes: {{paths: ['api/**'], compare_to: {against}}}}}]}}\n{JOB}"
        found = code.cast.developer.post(code.lint, content=text, dry_run=True, ref=ref, include_jobs=True).json
        return found["errors"] or [job["name"] for job in found["jobs"]]

    assert outcome("topic", "master") == ["api", "main"]
    assert outcome("topic", "refs/heads/master") == ["api", "main"]
    assert outcome("topic", "topic") == ["main"]
    assert outcome("master", "topic") == ["main"]
    assert outcome("master", "nowhere") == ["rules:changes:compare_to 'nowhere' is not a valid ref"]


def test_inputs_of_an_included_file(code):
    spec = "spec: {inputs: {stage: {default: test}, versions: {type: array}}}\n---\n"
    matrix = '[{V: "$[[ inputs.versions ]]"}]'
    job = f'"run $[[ inputs.stage ]]": {{stage: "$[[ inputs.stage ]]", script: make, parallel: {{matrix: {matrix}}}}}'
    code.commit(code.id, **{"ci/inputs.yml": spec + job})
    text = f"include: {{local: ci/inputs.yml, inputs: {{versions: [a, b]}}}}\n{JOB}"
    found = code.cast.developer.post(code.lint, content=text, include_jobs=True).json
    assert (found["errors"], [job["name"] for job in found["jobs"]]) == ([], ["run test: [a]", "run test: [b]", "main"])
    missing = code.cast.developer.post(code.lint, content=f"include: ci/inputs.yml\n{JOB}").json
    assert missing["errors"] == [
        "Local file 'ci/inputs.yml' is not valid.", "spec:inputs:versions is required and has no value",
    ]  # fmt: skip
