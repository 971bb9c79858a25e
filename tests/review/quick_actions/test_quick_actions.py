"""Commands in notes on merge requests, and in the description of a new one."""

import pytest


@pytest.fixture
def made(code):
    return f"{code.requests}/{code.open().json['iid']}"


def test_commands_change_a_request(cast, code, made):
    def command(body, by=cast.developer):
        answer = by.post(f"{made}/notes", body=body)
        assert answer.status == 202, answer
        return answer.json["commands_changes"], cast.guest.get(made).json

    milestone = cast.developer.post(f"{code.path}/milestones", title="One").json
    cast.developer.post(f"{code.path}/labels", name="bug", color="red")
    assert command("/wip")[1]["title"] == "WIP: Merge me"
    changes, shown = command("/wip")
    assert (changes, shown["title"]) == ({"wip_event": "unwip"}, "Merge me")
    assert command("/title Better")[1]["title"] == "Better"
    shown = command(f'/assign @{cast.master.username}\n/milestone %"One"\n/label ~bug\n/estimate 1h\n/spend 30m')[1]
    assert (shown["assignee"]["id"], shown["milestone"]["id"]) == (cast.master.id, milestone["id"])
    assert (shown["labels"], shown["time_stats"]["time_estimate"]) == (["bug"], 3600)
    shown = command("/unassign\n/remove_milestone\n/unlabel\n/remove_time_spent\n/remove_estimate")[1]
    assert (shown["assignee"], shown["milestone"], shown["labels"]) == (None, None, [])
    assert command("/target_branch missing")[0] == {}
    assert command("/target_branch missing")[1]["target_branch"] == "master"
    code.branch("other", other="x")
    changes, shown = command("/target_branch other")
    assert (changes, shown["target_branch"]) == ({"target_branch": "other"}, "other")
    assert len(cast.guest.get(f"{made}/versions").json) == 2
    assert command("/close")[1]["state"] == "closed"
    head = code.commit("topic", again="x")
    changes, shown = command("/reopen\n/target_branch master")
    assert (shown["state"], shown["sha"], shown["target_branch"]) == ("opened", head, "master")
    assert command("/todo", cast.owner)[0] == {"todo_event": "add"}
    assert cast.owner.get("/todos").json[0]["target_type"] == "MergeRequest"
    command("/done\n/award :tada:\n/unsubscribe", cast.owner)
    assert cast.owner.get("/todos").json == []
    assert cast.owner.get(made).json["subscribed"] is False
    assert [award["name"] for award in cast.guest.get(f"{made}/award_emoji").json] == ["tada"]
    # Commands of issues are text here.
    assert cast.developer.post(f"{made}/notes", body="/due tomorrow").json["body"] == "/due tomorrow"


def test_commands_of_who_may_not_edit_are_text(cast, made):
    note = cast.reporter.post(f"{made}/notes", body="/close")
    assert (note.status, note.json["body"]) == (201, "/close")
    assert cast.guest.get(made).json["state"] == "opened"


def test_a_command_merges(cast, code, made):
    # The developer may edit the request, and may not push to the protected branch.
    assert cast.developer.post(f"{made}/notes", body="/merge").json["summary"] == ["You cannot use /merge here."]
    assert cast.guest.get(made).json["state"] == "opened"
    answer = cast.master.post(f"{made}/notes", body="/merge")
    assert (answer.status, answer.json["commands_changes"]) == (202, {"merge": True})
    assert cast.guest.get(made).json["state"] == "merged"
    code.commit("second", start_branch="master", topic2="x")
    second = f"{code.requests}/{code.open(source_branch='second', title='WIP: x').json['iid']}"
    refused = cast.master.post(f"{second}/notes", body="/merge")
    assert refused.json["summary"] == ["Could not carry out /merge."]
    said = cast.master.post(f"{second}/discussions", body="good\n/wip")
    assert (said.status, said.json["notes"][0]["body"]) == (201, "good")
    assert cast.master.post(f"{second}/discussions/{said.json['id']}/notes", body="now\n/merge").json["body"] == "now"
    assert cast.guest.get(second).json["state"] == "merged"
    # Other commands come first.
    code.branch("stable", stable="x")
    code.branch("third", third="x")
    third, tip = f"{code.requests}/{code.open(source_branch='third').json['iid']}", code.tip()
    assert cast.master.post(f"{third}/notes", body="/target_branch stable\n/merge").status == 202
    shown = cast.guest.get(third).json
    assert (shown["state"], shown["target_branch"], code.tip()) == ("merged", "stable", tip)


def test_a_command_approves(cast, made):
    assert cast.master.post(f"{made}/notes", body="/approve").json["commands_changes"] == {"approve": True}
    approved = cast.guest.get(f"{made}/approvals").json["approved_by"]
    assert [each["user"]["id"] for each in approved] == [cast.master.id]
    again = cast.master.post(f"{made}/notes", body="/approve")
    assert again.json == {"commands_changes": {}, "summary": ["Could not carry out /approve."]}


def test_commands_in_the_description_of_a_new_request(cast, code):
    cast.developer.post(f"{code.path}/labels", name="bug", color="red")
    code.branch("other", other="x")
    text = f"Text\n/label ~bug\n/assign @{cast.master.username}\n/estimate 2h\n/target_branch other\n/close"
    request = code.open(description=text).json
    assert (request["description"], request["labels"], request["target_branch"]) == ("Text", ["bug"], "other")
    assert (request["assignee"]["id"], request["state"]) == (cast.master.id, "opened")
    assert cast.guest.get(f"{code.requests}/{request['iid']}").json["time_stats"]["time_estimate"] == 7200
    assert request["diff_refs"]["start_sha"] == code.tip("other")
    edited = cast.developer.put(f"{code.requests}/{request['iid']}", description="/close").json
    assert (edited["description"], edited["state"]) == ("/close", "opened")
    # From a fork its author may not triage.
    missing = code.open(description="/target_branch none").json
    assert (missing["target_branch"], missing["description"]) == ("master", None)


def test_commands_in_comments_of_a_template_are_text(cast, code):
    text = "<!--\n/assign me\n-->\nDone."
    request = code.open(description=text).json
    assert (request["description"], request["assignee"]) == (text, None)
