"""Who gets a mail, by notification level and by what the event has to do with them."""

import pytest


def set_level(person, level, place="", **events):
    assert person.put(f"{place}/notification_settings", level=level, **events).status == 200


@pytest.fixture
def project(post):
    """The path of a project in which everybody has another level."""
    cast, here = post.cast, post.here
    set_level(cast.owner, "watch", here)
    set_level(cast.master, "watch", f"/groups/{cast.company.id}")
    set_level(cast.inherited, "watch")
    set_level(cast.shared, "custom", here, close_issue=True)
    set_level(cast.developer, "mention")
    set_level(cast.stranger, "watch")  # not a member: their global level concerns the projects they belong to
    set_level(cast.guest, "disabled", here)
    label = cast.owner.post(f"{here}/labels", name="hot", color="#ff0000").json
    cast.guest.post(f"{here}/labels/{label['id']}/subscribe")
    return here


def test_levels_of_issues(post, project):
    """After each step, who got a mail, and why."""
    cast, here = post.cast, project
    made = cast.reporter.post(f"{here}/issues", title="Fire", description="@developer @guest @blocked @stranger look")
    issue, watching = f"{here}/issues/{made.json['iid']}", {"master": "watching", "inherited": "watching"}
    assert post.reasons() == {**watching, "owner": "watching", "developer": "mentioned"}

    def note(person, body):
        return lambda: person.post(f"{issue}/notes", body=body)

    def edit(person, **change):
        return lambda: person.put(issue, **change)

    steps = [
        # at the level `mention`, having been mentioned before is not enough
        (note(cast.owner, "Water!"), {**watching, "reporter": "participating"}),
        (note(cast.owner, "@reporter and @developer?"), {**watching, "reporter": "mentioned", "developer": "mentioned"}),
        (edit(cast.owner, title="Smoke"), {}),
        (edit(cast.owner, assignee_ids=[cast.developer.id]),
         {**watching, "reporter": "participating", "developer": "assigned"}),
        (edit(cast.owner, assignee_ids=[]), {**watching, "reporter": "participating", "developer": "unassigned"}),
        (edit(cast.owner, labels="hot,cold"), {"guest": "subscribed"}),
        (edit(cast.owner, state_event="close"), {**watching, "reporter": "participating", "shared": "custom"}),
        (edit(cast.owner, state_event="reopen"), {**watching, "reporter": "participating"}),
        (edit(cast.owner, description="@developer @master look"), {"master": "mentioned"}),
        (lambda: cast.guest.post(f"{issue}/subscribe"), {}),
        (lambda: cast.reporter.post(f"{issue}/unsubscribe"), {}),
        (note(cast.owner, "@reporter, nothing?"), {**watching, "master": "participating", "guest": "subscribed"}),
        # several at once: one mail
        (edit(cast.owner, state_event="close", assignee_ids=[cast.shared.id], description="@shared"),
         {**watching, "guest": "subscribed", "shared": "assigned"}),
    ]  # fmt: skip
    for number, (act, expected) in enumerate(steps):
        assert act().status < 300, number
        assert post.reasons() == expected, number


def test_levels_fall_back_from_the_nearest_group(post):
    cast = post.cast
    set_level(cast.developer, "watch")
    set_level(cast.developer, "disabled", f"/groups/{cast.company.id}")
    post.cast.reporter.post(f"{post.here}/issues", title="One")
    assert post.reasons() == {}
    set_level(cast.developer, "watch", f"/groups/{cast.team.id}")
    post.cast.reporter.post(f"{post.here}/issues", title="Two")
    assert post.reasons() == {"developer": "watching"}
    set_level(cast.developer, "participating", post.here)
    post.cast.reporter.post(f"{post.here}/issues", title="Three")
    assert post.reasons() == {}
    set_level(cast.developer, "global", post.here)
    set_level(cast.developer, "custom", f"/groups/{cast.team.id}", new_issue=True)
    post.cast.reporter.post(f"{post.here}/issues", title="Four")
    assert post.reasons() == {"developer": "custom"}


def test_mails_about_a_merge_request_reach_those_whom_it_concerns(post):
    cast, here = post.cast, post.here

    def commit(person, branch, name, **start):
        actions = [{"action": "create", "file_path": name, "content": "x"}]
        return person.post(
            f"{here}/repository/commits", branch=branch, commit_message="Change", actions=actions, **start
        )

    commit(cast.master, "master", "a")
    sha = commit(cast.developer, "topic", "b", start_branch="master").json["id"]
    set_level(cast.owner, "watch", here)
    set_level(cast.shared, "custom", here, push_to_merge_request=True)
    made = cast.developer.post(
        f"{here}/merge_requests", title="Mend", source_branch="topic", target_branch="master",
        reviewer_ids=[cast.reporter.id], assignee_id=cast.master.id, description="@inherited",
    )  # fmt: skip
    request = f"{here}/merge_requests/{made.json['iid']}"
    everyone = dict.fromkeys(("developer", "master", "inherited", "reporter"), "participating") | {"owner": "watching"}

    def besides(person, **others):
        return {name: why for name, why in (everyone | others).items() if name != person}

    assert post.reasons() == besides("developer", master="assigned", reporter="review_requested", inherited="mentioned")
    steps = [
        (lambda: cast.master.post(f"{request}/notes", body="Well"), besides("master")),
        (lambda: commit(cast.developer, "topic", "c"), {"shared": "custom"}),
        (lambda: cast.master.post(f"{request}/approve"), besides("master")),
        (lambda: cast.master.post(f"{request}/unapprove"), besides("master")),
        (lambda: cast.developer.put(request, state_event="close"), besides("developer")),
        (lambda: cast.developer.put(request, state_event="reopen"), besides("developer")),
        (lambda: cast.master.put(f"{request}/merge"), besides("master")),
        # the author of a commit participates in what is said about it
        (lambda: cast.master.post(f"{here}/repository/commits/{sha}/comments", note="Why, @inherited?"),
         {"developer": "participating", "owner": "watching", "inherited": "mentioned"}),
    ]  # fmt: skip
    for number, (act, expected) in enumerate(steps):
        answer = act()
        assert answer.status < 300, (number, answer)
        assert post.reasons() == expected, number


def test_mails_about_a_membership_reach_those_whom_it_concerns(post):
    cast, here = post.cast, f"/projects/{post.cast.public.id}"
    member = f"{here}/members/{cast.stranger.id}"
    cast.owner.put(here, request_access_enabled=True)
    cast.owner.put(f"/groups/{cast.team.id}", request_access_enabled=True)
    steps = [
        (lambda: cast.stranger.post(f"{here}/access_requests"), {"owner", "master"}),
        (lambda: cast.master.delete(f"{here}/access_requests/{cast.stranger.id}"), {"stranger"}),
        (lambda: cast.stranger.post(f"{here}/access_requests"), {"owner", "master"}),
        (lambda: cast.master.put(f"{here}/access_requests/{cast.stranger.id}/approve", access_level=20), {"stranger"}),
        (lambda: cast.master.put(member, access_level=30), {"stranger"}),
        (lambda: cast.master.delete(member), set()),
        (lambda: cast.stranger.post(f"/groups/{cast.team.id}/access_requests"), {"owner"}),
        (lambda: cast.stranger.delete(f"/groups/{cast.team.id}/access_requests/{cast.stranger.id}"), set()),
        (lambda: cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=10),
         {"stranger"}),
    ]  # fmt: skip
    for number, (act, expected) in enumerate(steps):
        answer = act()
        assert answer.status < 300, (number, answer)
        assert post.taken().keys() == expected, number
    post.run(
        "UPDATE members SET expires_on = '2018-01-01' WHERE source_kind = 'group' AND user_id = :id",
        id=cast.stranger.id,
    )
    post.enqueue("members.forget_expired", "")
    subjects = [mail["Subject"] for mail in post.receiver.taken() if mail["To"] == "stranger@example.org"]
    assert subjects == ["Team | Access expired"]


def test_notes_on_epics_and_snippets(post):
    cast = post.cast
    group = f"/groups/{cast.team.id}"
    set_level(cast.inherited, "watch", group)
    epic = cast.owner.post(f"{group}/-/epics", title="Tale", description="@developer").json["iid"]
    assert post.reasons() == {"developer": "mentioned"}
    cast.reporter.post(f"{group}/-/epics/{epic}/notes", body="Once")
    assert post.reasons() == {"owner": "participating", "inherited": "watching", "developer": "participating"}
    snippet = cast.reporter.post(
        f"{post.here}/snippets", title="Trick", file_name="x", code="x", visibility="private"
    ).json["id"]
    cast.owner.post(f"{post.here}/snippets/{snippet}/notes", body="@guest @stranger")
    assert post.reasons() == {"reporter": "participating", "inherited": "watching", "guest": "mentioned"}
