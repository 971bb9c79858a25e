import pytest


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"


def test_commands_of_a_description_are_carried_out_and_left_out(cast, issues):
    cast.reporter.post(f"/projects/{cast.private.id}/labels", name="bug", color="#112233")
    milestone = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json
    made = cast.reporter.post(
        issues, title="x", labels="ui",
        description="It broke.\n/label ~bug\n/assign @guest\n/milestone %v1\n/due 2030-01-01\n/weight 4\n/estimate 2h",
    ).json  # fmt: skip
    assert made["description"] == "It broke."
    assert made["labels"] == ["bug", "ui"]
    assert [user["username"] for user in made["assignees"]] == ["guest"]
    assert (made["milestone"]["id"], made["due_date"], made["weight"]) == (milestone["id"], "2030-01-01", 4)
    assert made["time_stats"]["human_time_estimate"] == "2h"
    told = [note["body"] for note in cast.reporter.get(f"{issues}/{made['iid']}/notes").json]
    assert told == ["changed time estimate to 2h"]


def test_commands_that_need_an_existing_issue_are_removed_without_effect(cast, issues):
    made = cast.reporter.post(issues, title="x", description="/close\n/title y\n/todo\n/award :tada:\nsaid").json
    assert (made["state"], made["title"], made["description"]) == ("opened", "x", "said")
    assert cast.reporter.get("/todos").json == []


def test_a_guest_commands_nothing_that_triage_decides(cast, issues):
    made = cast.guest.post(issues, title="x", description="/assign me\n/weight 3\n/estimate 1h\nsaid").json
    assert (made["assignees"], made["weight"], made["description"]) == ([], None, "said")
    assert made["time_stats"]["time_estimate"] == 0


def test_what_a_guest_reports_in_confidence_is_seen_by_no_other_guest(cast):
    issues = f"/projects/{cast.public.id}/issues"
    made = cast.guest.post(issues, title="x", description="A hole.\n/confidential", confidential=False).json
    assert (made["confidential"], made["description"]) == (True, "A hole.")
    assert cast.stranger.get(f"{issues}/{made['iid']}").status == 404
    assert cast.stranger.get(issues, search="hole").json == []
    assert cast.reporter.get(f"{issues}/{made['iid']}").status == 200


def test_a_description_without_commands_stays_as_it_is(cast, issues):
    text = "  /usr/bin\n\n```\n/close\n```  "
    assert cast.guest.post(issues, title="x", description=text).json["description"] == text


def test_commands_in_comments_of_a_template_are_text(cast, issues):
    text = "Broken.\n<!-- Uncomment what fits:\n/confidential\n\n/assign me\n-->"
    made = cast.reporter.post(issues, title="x", description=f"{text}\n/weight 2").json
    assert (made["description"], made["weight"], made["assignees"]) == (text, 2, [])
    assert made["confidential"] is False


def test_editing_a_description_commands_nothing(cast, issues):
    after = cast.reporter.put(f"{issues}/{cast.open}", description="/close").json
    assert (after["description"], after["state"]) == ("/close", "opened")
