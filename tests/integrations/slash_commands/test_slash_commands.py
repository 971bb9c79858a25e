"""Commands that are written in Slack and Mattermost."""

import re

import pytest

TOKEN = "qxq-slash-token"


@pytest.fixture
def run(cast):
    """Saves the service and returns a function that sends a command."""
    here = f"/projects/{cast.private.id}/services"
    assert cast.master.put(f"{here}/slack-slash-commands", token=TOKEN).status == 200

    def run(text, token=TOKEN, slug="slack_slash_commands"):
        fields = {"token": token, "team_id": "T1", "user_id": "U1", "command": "/x", "text": text}
        return cast.anonymous.post(f"{here}/{slug}/trigger", **fields)

    return run


@pytest.fixture
def connected(run, browse, cast):
    """The user of the chat is connected to the developer."""
    address = re.search(r"https?://[^/]+(/profile/chat_accounts/new\?request=(\S+))", run("help").json["text"])
    developer = browse("developer")
    assert "U1" in developer.open(address[1]).text
    sent = developer.send("/profile/chat_accounts/new", request=address[2])
    assert sent.status == 303
    return run


def test_only_the_token_of_an_active_service_is_accepted(run, cast, browse):
    refused = run("help", token="another")
    assert (refused.status, refused.json) == (404, {"message": "404 Project Not Found"})
    assert run("help", slug="mattermost_slash_commands").status == 404
    assert cast.anonymous.post("/projects/999999/services/slack_slash_commands/trigger", token=TOKEN).status == 404
    answer = run("issue show 1").json
    assert (answer["response_type"], "Connect your account" in answer["text"]) == ("ephemeral", True)
    assert browse("developer").open("/profile/chat_accounts/new?request=made.up").status == 404
    cast.master.put(f"/projects/{cast.private.id}/services/slack-slash-commands", active=False)
    assert run("help").status == 404


def test_issues_are_created_shown_and_closed(connected, cast):
    made = connected("issue new Fire\nIn the *house*").json
    assert (made["response_type"], "Fire (opened)" in made["text"]) == ("in_channel", True)
    iid = int(re.search(r"#(\d+)", made["text"])[1])
    issue = cast.guest.get(f"/projects/{cast.private.id}/issues/{iid}").json
    assert (issue["author"]["username"], issue["description"]) == ("developer", "In the *house*")
    assert connected(f"issue close #{iid}").json["text"].startswith(f"#{iid} Fire (closed)")
    assert connected(f"issue show {cast.confidential}").json["response_type"] == "ephemeral"
    for text in ("", "help", "issue", "issue show x", "sing", "issue show 1x"):
        assert connected(text).json["text"].startswith("Available commands"), text
    assert connected("issue show 999").json == {"response_type": "ephemeral", "text": "404 Issue Not Found"}


def test_commands_in_the_description_of_a_new_issue_are_carried_out(connected, cast):
    made = connected("issue new Hole\nThe key is here.\n/confidential").json
    assert (made["response_type"], "Hole (opened)" in made["text"]) == ("ephemeral", True)
    iid = int(re.search(r"#(\d+)", made["text"])[1])
    here = f"/projects/{cast.private.id}/issues/{iid}"
    assert cast.guest.get(here).status == 404
    assert cast.owner.get(here).json["description"] == "The key is here."


def test_a_user_who_lost_access_is_refused(connected, cast):
    cast.owner.delete(f"/projects/{cast.private.id}/members/{cast.developer.id}")
    cast.run("UPDATE users SET state = 'blocked' WHERE id = :id", id=cast.developer.id)
    assert "Connect your account" in connected("issue show 1").json["text"]
