"""What services are told of events: real requests to a receiver on loopback, and mails."""

import base64
import json
from email.utils import parseaddr
from urllib.parse import parse_qs

import pytest

from mujina.adapters.outbound.client import OutboundResponse
from mujina.app import build, build_services
from mujina.integrations.deliveries.mails.operations import CUT, MAX_CHANGES
from mujina.integrations.deliveries.operations import RECEIVERS
from mujina.integrations.services.messages import MARKDOWN, PLAIN, SLACK, message_of
from mujina.kernel.product import Chapter, Product
from mujina.product import PRODUCT
from mujina.settings import Settings
from tests.adapters.receiver import answer
from tests.harness.browsers import browser_of
from tests.harness.cast import bind
from tests.harness.client import Client
from tests.harness.smtp import smtp_receiver

SECRET = "qxq-service-secret"


def basic(user, password):
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


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
    assert (found["jenkins"].path, found["jenkins"].headers["authorization"]) == (
        "/jenkins/project/My%20job", basic("me", SECRET),
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
    assert found["teamcity"].headers["authorization"] == basic("me", SECRET)
    for slug in ("jenkins", "drone-ci", "packagist", "teamcity"):
        tested = cast.master.put(f"/projects/{cast.private.id}/services/{slug}/test")
        assert (tested.status, len(hooks.requests())) == (200, 1), (slug, tested)


@pytest.mark.parametrize("answers", [[answer(f"<{SECRET}>".encode(), status="404 Gone")]])
def test_the_log_of_a_service_has_no_secret(hooks, save, open_issue, database):
    here = save("slack", webhook=hooks.url(f"/{SECRET}"))
    open_issue()
    cast = hooks.cast
    [(url, body, status)] = cast.rows("SELECT w.url, w.response_body, w.response_status FROM hook_logs w")
    assert (url, body, status) == (hooks.url("/"), "<[REDACTED]>", "404")
    master = browser_of(cast.master, database, cast.anonymous)
    assert ">404<" in master.open(f"/{cast.private.path}/services/slack/edit").text
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


@pytest.fixture
def smtp(stage, database, loop, hooks):
    """A mail server to which the instance hands its mail, and the cast of that instance."""
    without_mail = database.settings
    with smtp_receiver(loop) as receiver:
        settings = Settings(
            data=stage.folder, jobs="inline", external_url="http://git.mujina.test", password_kilobytes=64,
            smtp_url=f"smtp://127.0.0.1:{receiver.port}", mail_from="Forge <forge@example.org>",
        )  # fmt: skip
        client = Client(build(build_services(settings, database)), loop)
        hooks.cast = bind(stage.roster, client, database)
        yield receiver
    database.settings = without_mail


def mails(smtp, word):
    return sorted((each for each in smtp.taken() if word in each["Subject"]), key=lambda each: each["To"])


def text_of(message):
    return message.get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_recipients_get_the_changes_of_each_push_by_mail(hooks, save, push, smtp):
    cast = hooks.cast
    here = save("emails-on-push", recipients="one@example.org two@example.org nonsense")
    push()
    first = mails(smtp, "pushed")
    assert [each["To"] for each in first] == ["one@example.org", "two@example.org"]
    assert first[0]["Subject"].startswith(f"[{cast.private.path}] ")
    push(name="b <1>.txt")
    [second, _] = mails(smtp, "pushed")
    assert "b <1>.txt (new file)\n====" in text_of(second)
    assert "@@ -0,0 +1 @@\n+x\n" in text_of(second)
    assert "b &lt;1&gt;.txt (new file)" in second.get_body(("html",)).get_content()
    assert second["From"] == "Forge <forge@example.org>"
    assert cast.master.put(f"{here}/test").status == 200
    assert [each["To"] for each in mails(smtp, "pushed")] == ["one@example.org", "two@example.org"]
    save("emails-on-push", recipients="one@example.org", disable_diffs=True)
    push(name="c.txt")
    [third] = mails(smtp, "pushed")
    assert "Add <it>" in text_of(third)
    assert "c.txt" not in text_of(third)


def test_long_changes_are_cut(hooks, save, push, smtp):
    save("emails-on-push", recipients="one@example.org")
    push()
    smtp.taken()
    for name in ("b.txt", "c.txt"):
        push(name=name)
    many = [{"action": "update", "file_path": name, "content": "z\n" * 20_000} for name in ("b.txt", "c.txt")]
    here = f"/projects/{hooks.cast.private.id}/repository/commits"
    assert hooks.cast.master.post(here, branch="master", commit_message="Edit", actions=many).status == 201
    *_, last = mails(smtp, "pushed")
    assert CUT in text_of(last)
    assert MAX_CHANGES / 2 < len(text_of(last)) < MAX_CHANGES + 1_000


def test_mail_comes_from_the_committer_only_in_the_domain_of_the_instance(hooks, save, push, smtp):
    cast = hooks.cast
    save("emails-on-push", recipients="one@example.org", send_from_committer_email=True)
    for domain, sender in (("mujina.test", "m@mujina.test"), ("example.com", "forge@example.org")):
        cast.run(
            "UPDATE emails SET email = :email, is_public = :yes WHERE user_id = :id",
            email=f"m@{domain}", id=cast.master.id, yes=True,
        )  # fmt: skip
        push(name=f"{domain}.txt")
        [mail] = mails(smtp, "pushed")
        assert parseaddr(mail["From"])[1] == sender


def test_recipients_get_a_mail_for_each_finished_pipeline(hooks, save, push, smtp):
    cast = hooks.cast
    push()
    here = save("pipelines-email", recipients="one@example.org,two@example.org", notify_only_broken_pipelines=True)
    head = cast.master.get(f"/projects/{cast.private.id}/repository/commits/master").json["id"]
    for state, count in (("running", 0), ("success", 0), ("failed", 2)):
        name = "other" if state == "failed" else "build"
        made = cast.master.post(f"/projects/{cast.private.id}/statuses/{head}", state=state, name=name, ref="master")
        assert made.status == 201, made
        assert len(found := mails(smtp, "Pipeline #")) == count, (state, found)
    assert "has failed" in found[0]["Subject"]
    assert "/pipelines/" in text_of(found[0])
    assert cast.master.put(f"{here}/test").status == 200
    assert len(mails(smtp, "Pipeline #")) == 2


def test_jira_moves_the_issues_that_a_merge_closes(hooks, save, push):
    cast = hooks.cast
    fields = {"url": hooks.url("/jira/"), "username": "me", "password": SECRET, "jira_issue_transition_id": "2,5"}
    here = save("jira", **fields)
    push()
    push("topic", "b.txt", start_branch="master")
    opened = cast.master.post(
        f"/projects/{cast.private.id}/merge_requests", source_branch="topic", target_branch="master",
        title="Closes ABC-1", description="fixes abc-1, AB-22 and see XY-3",
    )  # fmt: skip
    assert (opened.status, hooks.requests()) == (201, []), "no issue is moved before the merge"
    merged = cast.master.put(f"/projects/{cast.private.id}/merge_requests/{opened.json['iid']}/merge")
    assert merged.status == 200, merged
    found = hooks.requests()
    assert [request.path for request in found] == [
        f"/jira/rest/api/2/issue/{key}/transitions" for key in ("ABC-1", "ABC-1", "AB-22", "AB-22")
    ]
    bodies = [json.loads(request.body) for request in found]
    assert [body["transition"]["id"] for body in bodies] == ["2", "5"] * 2
    assert opened.json["web_url"] in bodies[0]["update"]["comment"][0]["add"]["body"]
    assert found[0].headers["authorization"] == basic("me", SECRET)
    tested = cast.master.put(f"{here}/test")
    assert (tested.status, tested.json) == (422, {"message": "This service receives none of the sample events."})


def test_pushover_gets_a_form(stage, database, hooks):
    """Its address is fixed: what answers in its place here is where the testing mode receives all deliveries."""
    seen = []

    def pushover(url, headers, body):
        seen.append((url, headers["Content-Type"], body))
        return OutboundResponse(200, {}, b"ok", truncated=False)

    product = Product([*PRODUCT.chapters, Chapter("tests.integrations.services", RECEIVERS.of(pushover))])
    cast = bind(stage.roster, stage.client(database, product=product), database)
    here = f"/projects/{cast.private.id}"
    assert cast.master.put(f"{here}/services/pushover", api_key="k", user_key=SECRET, priority=0).status == 200
    action = {"action": "create", "file_path": "a.txt", "content": "x"}
    made = cast.master.post(f"{here}/repository/commits", branch="master", commit_message="Add", actions=[action])
    assert made.status == 201, made
    [(url, content_type, form)] = seen
    assert (url, content_type) == ("https://api.pushover.net/1/messages.json", "application/x-www-form-urlencoded")
    sent = parse_qs(form)
    assert (sent["token"], sent["user"], sent["priority"], sent["title"]) == (["k"], [SECRET], ["0"], ["private"])
    assert sent["message"][0].endswith(f"pushed new branch master to {cast.private.path}")
    assert (cast.master.put(f"{here}/services/pushover/test").status, len(seen)) == (200, 2)
    assert SECRET not in str(cast.rows("SELECT w.url, w.request_headers, w.response_body FROM hook_logs w"))


PROJECT = {"path_with_namespace": "a/b", "web_url": "https://x/a/b", "name": "b", "default_branch": "master"}
USER = {"name": "Ann"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"object_kind": "push", "ref": "refs/heads/x", "before": "1" * 40, "after": "0" * 40, "user_name": "Ann"},
         "Ann removed branch x from a/b"),
        ({"object_kind": "tag_push", "ref": "refs/tags/v1", "before": "0" * 40, "after": "1" * 40, "user_name": "Ann"},
         "Ann pushed new tag v1 to a/b"),
        ({"object_kind": "pipeline", "object_attributes": {"id": 3, "status": "failed", "tag": False, "ref": "x"}},
         "Pipeline #3 of branch x in a/b has failed"),
        ({"object_kind": "pipeline", "object_attributes": {"id": 3, "status": "running", "tag": False, "ref": "x"}}, None),
        ({"object_kind": "wiki_page", "user": USER,
          "object_attributes": {"title": "Home", "url": "u", "action": "create"}}, "Ann created wiki page Home in a/b"),
        ({"object_kind": "merge_request", "user": USER,
          "object_attributes": {"iid": 3, "title": "T", "url": "u", "action": "merge"}}, "Ann merged merge request !3 T in a/b"),
        ({"object_kind": "note", "user": USER, "issue": {"title": "T"},
          "object_attributes": {"noteable_type": "Issue", "note": "n", "url": "u"}}, "Ann commented on an issue in a/b"),
        ({"object_kind": "build"}, None),
    ],
)  # fmt: skip
def test_each_event_has_a_sentence(body, text):
    message = message_of({**body, "project": PROJECT})
    assert (None if message is None else PLAIN.write(message.parts)) == text
    if message is not None:
        assert all(dialect.write(message.parts) for dialect in (SLACK, MARKDOWN))
