"""MR/participants, MR/subscribe, MR/unsubscribe, MR/todo, and the todos of merge requests."""


def test_participants_are_listed(cast, code):
    path = f"{code.requests}/{code.open(assignee_ids=[cast.master.id], description='see @reporter').json['iid']}"
    cast.guest.post(f"{path}/award_emoji", name="tada")
    cast.stranger.post(f"{path}/notes", body="hello")
    found = cast.anonymous.get(f"{path}/participants")
    names = [person["username"] for person in found.json]
    assert names[0] == cast.developer.username
    assert sorted(names) == sorted(
        person.username for person in (cast.developer, cast.master, cast.reporter, cast.guest, cast.stranger)
    )
    assert found.headers["x-total"] == "5"
    cast.owner.put(code.path, visibility="private")
    shown = [person["username"] for person in cast.owner.get(f"{path}/participants").json]
    assert sorted(shown) == sorted(person.username for person in (cast.developer, cast.master, cast.reporter))
    assert cast.guest.get(f"{path}/participants").status == 403


def test_an_approver_takes_part_until_the_request_is_approved(cast, code):
    cast.owner.put(code.path, approvals_before_merge=1)
    path = f"{code.requests}/{code.open().json['iid']}"
    named = cast.owner.put(f"{path}/approvers", approver_ids=[cast.reporter.id], approver_group_ids=[])
    assert named.status == 200, named

    def names():
        return [person["username"] for person in cast.guest.get(f"{path}/participants").json]

    assert names() == [cast.developer.username, cast.reporter.username]
    assert cast.reporter.post(f"{path}/approve").status == 201
    assert cast.developer.username in names()


def test_people_subscribe_and_unsubscribe(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.developer.post(f"{path}/subscribe").status == 304
    assert cast.stranger.get(path).json["subscribed"] is False
    made = cast.stranger.post(f"{path}/subscribe")
    assert (made.status, made.json["subscribed"], made.json["iid"]) == (201, True, 1)
    assert cast.stranger.post(f"{path}/subscribe").status == 304
    assert cast.developer.post(f"{path}/unsubscribe").json["subscribed"] is False
    assert cast.developer.post(f"{path}/unsubscribe").status == 304
    assert cast.anonymous.post(f"{path}/subscribe").status == 401


def test_a_request_is_put_on_the_list(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    made = cast.guest.post(f"{path}/todo")
    assert (made.status, made.json["action_name"], made.json["target"]["title"]) == (201, "marked", "Merge me")
    assert made.json["target_url"] == made.json["target"]["web_url"]
    assert cast.guest.post(f"{path}/todo").status == 304
    cast.developer.post(f"{code.path}/statuses/{code.topic}", state="success", ref="topic")
    cast.developer.post(f"{path}/todo")
    for person, may_merge in ((cast.guest, False), (cast.developer, False), (cast.master, True)):
        cast.master.post(f"{path}/todo")
        shown = person.get(path).json
        assert (shown["user"]["can_merge"], shown["head_pipeline"]["status"]) == (may_merge, "success")
        assert person.get("/todos").json[0]["target"] == shown, "the same as by itself"
    assert cast.guest.post(f"/todos/{made.json['id']}/mark_as_done").json["state"] == "done"
    assert cast.guest.post(f"{path}/todo").status == 201
    cast.owner.put(code.path, visibility="private")
    assert cast.guest.get("/todos").json == []
    assert cast.guest.post(f"{path}/todo").status == 403


def test_assignees_and_mentioned_users_get_todos_and_finish_them(cast, code):
    made = code.open(assignee_id=cast.master.id, description="@guest please, and @reporter").json
    path = f"{code.requests}/{made['iid']}"

    def todos(person):
        return [todo["action_name"] for todo in person.get("/todos").json]

    assert (todos(cast.master), todos(cast.guest)) == (["assigned"], ["directly_addressed"])
    assert todos(cast.reporter) == ["mentioned"]
    cast.master.put(path, target_branch="other")
    assert todos(cast.master) == []
    cast.developer.put(path, target_branch="master", assignee_ids=[cast.developer.id])
    assert todos(cast.developer) == ["assigned"]
    code.commit("topic", person=cast.developer, more="x")
    assert todos(cast.developer) == []
    assert todos(cast.reporter) == ["mentioned"]


def test_a_removed_member_is_no_longer_responsible(cast, code):
    made = code.open(assignee_ids=[cast.master.id], reviewer_ids=[cast.reporter.id]).json
    path = f"{code.requests}/{made['iid']}"
    assert [person["id"] for person in made["reviewers"]] == [cast.reporter.id]
    for person in (cast.master, cast.reporter):
        assert cast.owner.delete(f"{code.path}/members/{person.id}").status == 204
    shown = cast.owner.get(path).json
    assert (shown["assignees"], shown["reviewers"]) == ([], [])
    assert cast.master.get("/todos").json == []
