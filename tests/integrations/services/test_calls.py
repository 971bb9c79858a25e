"""What services are told of events: real requests to a receiver on loopback, and mails."""

import base64
import json

import pytest

from mujina.adapters import mail
from mujina.integrations.services.calls import ServiceCall, build_calls
from mujina.integrations.services.messages import MARKDOWN, PLAIN, SLACK, message_of
from tests.adapters.receiver import answer
from tests.harness.browsers import browser_of

SECRET = "qxq-service-secret"


@pytest.fixture
def save(hooks):
    """Saves a service of the private project whose address is that of the receiver; the path of the service."""

    def save(slug, **fields):
        here = f"/projects/{hooks.cast.private.id}/services/{slug}"
        saved = hooks.cast.master.put(here, **fields)
        assert saved.status == 200, saved
        return here

    return save


@pytest.fixture
def open_issue(hooks):
    def open_issue(title="A <b> | @all *title*", **more):
        made = hooks.cast.developer.post(f"/projects/{hooks.cast.private.id}/issues", title=title, **more)
        assert made.status == 201, made
        return made.json

    return open_issue


@pytest.fixture
def push(hooks):
    """Commits a file to a branch of the private project."""

    def push(branch="master", name="a.txt", **more):
        action = {"action": "create", "file_path": name, "content": "x"}
        here = f"/projects/{hooks.cast.private.id}/repository/commits"
        made = hooks.cast.master.post(here, branch=branch, commit_message="Add <it>", actions=[action], **more)
        assert made.status == 201, made

    return push


def test_slack_is_told_of_an_issue_in_its_markup(hooks, save, open_issue):
    save("slack", webhook=hooks.url(f"/{SECRET}"), username="bot", channel="#all", issue_channel="#issues")
    issue = open_issue(description="& more")
    [request] = hooks.requests()
    assert (request.path, request.headers["content-type"]) == (f"/{SECRET}", "application/json")
    body = json.loads(request.body)
    assert (body["channel"], body["username"]) == ("#issues", "bot")
    assert f"|#{issue['iid']} A &lt;b&gt; ¦ @all *title*>" in body["text"]
    assert body["attachments"][0]["text"] == "&amp; more"
    hooks.cast.developer.put(f"/projects/{hooks.cast.private.id}/issues/{issue['iid']}", title="Another")
    open_issue(confidential=True)
    assert hooks.requests() == [], "an edit is no news, and nobody asked for confidential issues"


def test_mattermost_teams_and_discord_get_escaped_markdown(hooks, save, open_issue):
    for slug in ("mattermost", "microsoft-teams", "discord"):
        save(slug, webhook=hooks.url(f"/{slug}"))
    open_issue()
    bodies = {request.path: json.loads(request.body) for request in hooks.requests()}
    texts = {
        bodies["/mattermost"]["text"], bodies["/microsoft-teams"]["text"], bodies["/discord"]["content"]
    }  # fmt: skip
    [text] = texts
    assert r"A \<b\> \| @" in text
    assert "@\u200ball \\*title\\*]" in text
    assert bodies["/microsoft-teams"]["@type"] == "MessageCard"
    assert bodies["/discord"]["allowed_mentions"] == {"parse": []}


def test_pushes_reach_build_servers_in_their_form(hooks, save, push):
    cast = hooks.cast
    save("jenkins", jenkins_url=hooks.url("/jenkins/"), project_name="My job", username="me", password=SECRET)
    save("drone-ci", drone_url=hooks.url("/drone"), token=SECRET)
    save("packagist", server=hooks.url("/packagist"), username="me", token=SECRET)
    save("teamcity", teamcity_url=hooks.url("/teamcity"), build_type="T", username="me", password=SECRET)
    push("master")
    found = {request.path.split("/")[1]: request for request in hooks.requests()}
    assert set(found) == {"jenkins", "drone", "packagist", "teamcity"}
    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert (found["jenkins"].path, found["jenkins"].headers["authorization"]) == (
        "/jenkins/project/My%20job", f"Basic {basic}",
    )  # fmt: skip
    assert found["jenkins"].headers["x-gitlab-event"] == "Push Hook"
    assert json.loads(found["jenkins"].body)["ref"] == "refs/heads/master"
    owner = cast.private.path.rpartition("/")[0].replace("/", "%2F")
    assert found["drone"].path == f"/drone/hook?owner={owner}&name=private&access_token={SECRET}"
    assert found["packagist"].path == f"/packagist/api/update-package?username=me&apiToken={SECRET}"
    repository = json.loads(found["packagist"].body)["repository"]
    assert repository == {"url": cast.master.get(f"/projects/{cast.private.id}").json["http_url_to_repo"]}
    assert found["teamcity"].headers["content-type"] == "application/xml"
    assert found["teamcity"].body == b'<build branchName="master"><buildType id="T"/></build>'


@pytest.mark.parametrize("answers", [[answer(f"<{SECRET}>".encode(), status="404 Gone")]])
def test_the_log_of_a_service_has_no_secret(hooks, save, open_issue, database):
    here = save("slack", webhook=hooks.url(f"/{SECRET}"))
    open_issue()
    cast = hooks.cast
    [(url, body, status)] = cast.rows("SELECT w.url, w.response_body, w.response_status FROM hook_logs w")
    assert (url, body, status) == (hooks.url("/"), "<[REDACTED]>", "404")
    master = browser_of(cast.master, database, cast.anonymous)
    assert "404" in master.open(f"/{cast.private.path}/services/slack/edit").text
    assert cast.master.put(f"{here}/test").json == {"message": "The receiver answered with status 404."}


def test_a_service_is_tested_with_a_sample(hooks, save, push):
    here = save("slack", webhook=hooks.url())
    push()
    hooks.requests()
    assert hooks.cast.master.put(f"{here}/test").status == 200
    [request] = hooks.requests()
    assert "pushed" in json.loads(request.body)["text"]
    wiki = save("external-wiki", external_wiki_url="https://wiki.example")
    refused = hooks.cast.master.put(f"{wiki}/test")
    assert (refused.status, "not called" in refused.json["message"]) == (422, True)
    assert hooks.cast.developer.put(f"{here}/test").status == 403


def test_only_the_default_branch_is_told_of_if_wanted(hooks, save, push):
    save("discord", webhook=hooks.url(), notify_only_default_branch=True)
    push()
    push("topic", "b.txt", start_branch="master")
    assert len(hooks.requests()) == 1


def test_recipients_get_a_mail_for_each_push(hooks, save, push, stage):
    save("emails-on-push", recipients="one@example.org two@example.org nonsense")
    push()
    mails = [each for _, each in mail.kept(stage.folder) if "pushed" in each["Subject"]]
    assert sorted(each["To"] for each in mails) == ["one@example.org", "two@example.org"]
    assert mails[0]["Subject"].startswith(f"[{hooks.cast.private.path}] ")


def test_jira_moves_the_issues_that_a_merge_closes():
    fields = {"url": "https://jira.example/", "username": "me", "password": SECRET, "jira_issue_transition_id": "2,5"}
    merge = {
        "iid": 3,
        "title": "Closes ABC-1",
        "description": "fixes abc-1, AB-22 and see XY-3",
        "url": "u",
        "action": "merge",
    }
    body = {"object_kind": "merge_request", "object_attributes": merge, "project": {"path_with_namespace": "a/b"}}
    calls = [call for call in build_calls("jira", fields, body) if isinstance(call, ServiceCall)]
    root = "https://jira.example/rest/api/2/issue"
    assert [call.url for call in calls] == [f"{root}/{key}/transitions" for key in ("ABC-1", "ABC-1", "AB-22", "AB-22")]
    assert [json.loads(call.body)["transition"]["id"] for call in calls] == ["2", "5"] * 2
    assert build_calls("jira", fields, {**body, "object_attributes": {**merge, "action": "open"}}) == []


def test_pushover_gets_a_form():
    project = {"path_with_namespace": "a/b", "web_url": "https://x/a/b", "name": "b", "default_branch": "master"}
    body = {
        "object_kind": "push",
        "ref": "refs/heads/master",
        "before": "0" * 40,
        "after": "1" * 40,
        "user_name": "Ann",
        "project": project,
    }
    [call] = build_calls("pushover", {"api_key": "k", "user_key": "u", "priority": 0}, body)
    assert isinstance(call, ServiceCall)
    assert (call.content_type, call.url) == (
        "application/x-www-form-urlencoded",
        "https://api.pushover.net/1/messages.json",
    )
    assert b"token=k&user=u&priority=0&title=b&message=Ann+pushed+new+branch+master+to+a%2Fb" in call.body


PROJECT = {"path_with_namespace": "a/b", "web_url": "https://x/a/b", "name": "b", "default_branch": "master"}
USER = {"name": "Ann"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"object_kind": "push", "ref": "refs/heads/x", "before": "1" * 40, "after": "0" * 40, "user_name": "Ann"}, "Ann removed branch x from a/b"),
        ({"object_kind": "tag_push", "ref": "refs/tags/v1", "before": "0" * 40, "after": "1" * 40, "user_name": "Ann"}, "Ann pushed new tag v1 to a/b"),
        ({"object_kind": "pipeline", "object_attributes": {"id": 3, "status": "failed", "tag": False, "ref": "x"}}, "Pipeline #3 of branch x in a/b has failed"),
        ({"object_kind": "pipeline", "object_attributes": {"id": 3, "status": "running", "tag": False, "ref": "x"}}, None),
        ({"object_kind": "wiki_page", "user": USER, "object_attributes": {"title": "Home", "url": "u", "action": "create"}}, "Ann created wiki page Home in a/b"),
        ({"object_kind": "merge_request", "user": USER, "object_attributes": {"iid": 3, "title": "T", "url": "u", "action": "merge"}}, "Ann merged merge request !3 T in a/b"),
        ({"object_kind": "note", "user": USER, "issue": {"title": "T"}, "object_attributes": {"noteable_type": "Issue", "note": "n", "url": "u"}}, "Ann commented on an issue in a/b"),
        ({"object_kind": "build"}, None),
    ],
)  # fmt: skip
def test_each_event_has_a_sentence(body, text):
    message = message_of({**body, "project": PROJECT})
    assert (None if message is None else PLAIN.write(message.parts)) == text
    if message is not None:
        assert all(dialect.write(message.parts) for dialect in (SLACK, MARKDOWN))
