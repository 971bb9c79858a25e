"""The setting `edition`: a lower one hides features, and a higher one finds everything as it was."""


def test_the_license_names_the_edition(cast, set_edition):
    for edition in ("core", "standard", "ultimate"):
        set_edition(edition)
        assert cast.root.get("/license").json["plan"] == edition


def test_core_shows_and_takes_no_weight(cast, set_edition):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.developer.put(issue, weight=3)
    board = cast.master.post(f"/projects/{cast.private.id}/boards", name="Board").json
    assert "weight" in board
    set_edition("core")
    edited = cast.developer.put(issue, weight=5)
    assert edited.status == 200
    listed = cast.developer.get(f"/projects/{cast.private.id}/issues").json
    boards = cast.developer.get(f"/projects/{cast.private.id}/boards").json
    for shown in (edited.json, cast.developer.get(issue).json, *listed, *boards):
        assert "weight" not in shown
    commanded = cast.developer.post(f"{issue}/notes", body="/weight 7").json
    assert commanded == {"commands_changes": {}, "summary": ["This edition has no weights."]}
    created = cast.developer.post(f"/projects/{cast.private.id}/issues", title="New", weight=4).json
    set_edition("standard")
    assert cast.developer.get(issue).json["weight"] == 3
    assert cast.developer.get(f"/projects/{cast.private.id}/issues/{created['iid']}").json["weight"] is None


def test_core_knows_one_assignee(cast, set_edition):
    issues = f"/projects/{cast.private.id}/issues"
    first, second = sorted([cast.guest.id, cast.reporter.id])

    def assigned(shown):
        return [person["id"] for person in shown["assignees"]]

    iid = cast.developer.post(issues, title="Two", assignee_ids=[first, second]).json["iid"]
    set_edition("core")
    shown = cast.developer.put(f"{issues}/{iid}", title="Still two").json
    assert assigned(shown) == [first] == [shown["assignee"]["id"]]
    assert [each["iid"] for each in cast.developer.get(issues, assignee_id=first).json] == [iid]
    assert cast.developer.get(issues, assignee_id=second).json == []
    # The assignee whom it shows, sent again, leaves those whom it hides.
    seen = len(cast.events())
    assert assigned(cast.developer.put(f"{issues}/{iid}", assignee_ids=[first]).json) == [first]
    assert cast.events()[seen:] == []
    shown, hidden = [f"@{name}" for _, name in sorted((each.id, each.username) for each in (cast.guest, cast.reporter))]
    told = cast.developer.post(f"{issues}/{iid}/notes", body=f"/unassign {hidden}").json
    assert told["summary"] == ["Nobody named is assigned."]
    created = cast.developer.post(issues, title="One", assignee_ids=[second, first]).json
    assert assigned(created) == [second]
    cast.developer.post(f"{issues}/{created['iid']}/notes", body=f"/assign @{cast.developer.username}")
    set_edition("standard")
    assert assigned(cast.developer.get(f"{issues}/{iid}").json) == [first, second]
    assert assigned(cast.developer.get(f"{issues}/{created['iid']}").json) == [cast.developer.id]
    set_edition("core")
    cast.developer.put(f"{issues}/{iid}", assignee_ids=[cast.developer.id])
    said = cast.developer.get(f"{issues}/{iid}/notes").json[0]["body"]
    assert (shown in said, hidden in said) == (True, False)


def test_core_keeps_push_rules_without_routes_and_without_effect(cast, set_edition):
    rule = f"/projects/{cast.private.id}/push_rule"
    created = cast.master.post(rule, commit_message_regex="^Fix").json
    commit = {"branch": "main", "start_branch": "main", "commit_message": "Add a file", "actions": []}

    def committed(name):
        action = {"action": "create", "file_path": name, "content": "x"}
        return cast.master.post(f"/projects/{cast.private.id}/repository/commits", **{**commit, "actions": [action]})

    assert committed("refused").status == 400
    set_edition("core")
    for answer in (
        cast.master.get(rule), cast.master.post(rule, max_file_size=1), cast.master.put(rule, max_file_size=1),
        cast.master.delete(rule),
    ):  # fmt: skip
        assert (answer.status, answer.json) == (404, {"message": "404 Not Found"})
    assert committed("accepted").status == 201
    set_edition("standard")
    assert cast.master.get(rule).json == created
    assert committed("refused").status == 400


def test_core_knows_one_assignee_of_a_merge_request(cast, set_edition):
    place = f"/projects/{cast.private.id}"
    action = {"action": "create", "file_path": "a", "content": "x"}
    for branch, start in (("master", None), ("topic", "master")):
        commit = {"branch": branch, "commit_message": "Add", "actions": [{**action, "file_path": branch}]}
        cast.master.post(f"{place}/repository/commits", **commit, **({"start_branch": start} if start else {}))
    first, second = sorted([cast.developer.id, cast.reporter.id])
    requests = f"{place}/merge_requests"
    made = cast.developer.post(
        requests, title="Two", source_branch="topic", target_branch="master", assignee_ids=[first, second]
    ).json

    def assigned():
        return [person["id"] for person in cast.developer.get(f"{requests}/{made['iid']}").json["assignees"]]

    assert assigned() == [first, second]
    set_edition("core")
    assert assigned() == [first]
    assert [len(cast.developer.get(requests, assignee_id=id_).json) for id_ in (first, second)] == [1, 0]
    people = sorted([cast.developer, cast.reporter], key=lambda person: person.id)
    named = [len(cast.developer.get(requests, **{"assignee_username[]": person.username}).json) for person in people]
    mine = [len(person.get("/merge_requests", scope="assigned_to_me").json) for person in people]
    assert (named, mine) == ([1, 0], [1, 0])
    cast.developer.put(f"{requests}/{made['iid']}", assignee_id=first)
    set_edition("standard")
    assert assigned() == [first, second]
    set_edition("core")
    cast.developer.put(f"{requests}/{made['iid']}", assignee_ids=[second, first])
    assert assigned() == [second]


def test_every_edition_has_pages_with_issues_and_merge_requests(cast, browse, set_edition):
    place, home = f"/projects/{cast.private.id}", f"/{cast.private.path}"
    milestone = cast.master.post(f"{place}/milestones", title="Soon").json
    label = cast.master.post(f"{place}/labels", name="Late", color="#ff0000").json
    board = cast.master.post(f"{place}/boards", name="Board").json
    cast.master.post(f"{place}/boards/{board['id']}/lists", label_id=label["id"])
    fields = {"milestone_id": milestone["id"], "assignee_ids": [cast.developer.id], "labels": "Late"}
    heavy, _ = [
        cast.master.post(f"{place}/issues", title=f"{word} zebra", weight=weight, **fields).json["iid"]
        for word, weight in (("Heavy", 9), ("Light", 1))
    ]
    action = {"action": "create", "file_path": "a", "content": "x"}
    for branch, start in (("master", {}), ("topic", {"start_branch": "master"})):
        commit = {"branch": branch, "commit_message": "Add", "actions": [{**action, "file_path": branch}]}
        cast.master.post(f"{place}/repository/commits", **commit, **start)
    request = cast.developer.post(
        f"{place}/merge_requests", title="Heavy zebra too", source_branch="topic", target_branch="master", **fields
    ).json
    group = f"/groups/{cast.team.path}/-"
    visitor = browse("developer")
    for edition in ("core", "standard"):
        set_edition(edition)
        for path in (
            "/", "/dashboard/issues", "/dashboard/issues.atom", "/dashboard/merge_requests", "/dashboard/todos",
            "/dashboard/activity", f"{home}/activity", f"{home}/issues", f"{home}/issues?search=heavy",
            f"{home}/issues.atom", f"{home}/issues/{heavy}", f"{home}/issues/{heavy}/edit", f"{home}/boards",
            f"{home}/milestones/{milestone['iid']}", f"{home}/merge_requests",
            f"{home}/merge_requests/{request['iid']}", f"{group}/issues", f"{group}/issues.atom",
            f"{group}/merge_requests", "/search?search=heavy&scope=issues", "/search?search=heavy&scope=merge_requests",
        ):  # fmt: skip
            shown = visitor.open(path)
            assert (shown.status, "zebra" in shown.text) == (200, True), (edition, path)
        for page in (f"{home}/issues", f"{group}/issues"):
            weights = edition == "standard"
            text = visitor.open(page, weight=1).text
            assert ("Light zebra" in text, "Heavy zebra" in text, "Weight" in text) == (True, not weights, weights)
            text = visitor.open(page, order="weight").text
            assert (text.index("Heavy zebra") < text.index("Light zebra")) is weights


def test_core_shows_a_confidential_issue_to_its_first_assignee_alone(cast, set_edition):
    issues = f"/projects/{cast.public.id}/issues"
    first, second = sorted([cast.guest, cast.stranger], key=lambda person: person.id)
    before = {person.id: int(person.get(issues).headers["X-Total"]) for person in (first, second)}
    made = cast.developer.post(
        issues, title="Hidden words", confidential=True, assignee_ids=[first.id, second.id], labels="Odd"
    ).json
    here = f"{issues}/{made['iid']}"
    cast.developer.post(f"{here}/notes", body="Hidden note")

    def todos(person):
        return [todo for state in ("pending", "done") for todo in person.get("/todos", state=state).json]

    def seen(person):
        """What the person finds of the issue, wherever one may look for it."""
        return [
            person.get(here).status,
            person.get(f"{here}/notes").status,
            person.put(here, description="Mine").status,
            [each["iid"] for each in person.get(issues, search="hidden words").json],
            [each["iid"] for each in person.get("/issues", scope="all", labels="Odd").json],
            [each["iid"] for each in person.get("/issues", scope="assigned-to-me", labels="Odd").json],
            int(person.get(issues).headers["X-Total"]) - before[person.id],
            len(person.get("/search", scope="issues", search="hidden words").json),
            len(person.get(f"/projects/{cast.public.id}/search", scope="notes", search="hidden note").json),
            len([todo for todo in todos(person) if todo["target"]["iid"] == made["iid"]]),
        ]

    everything, nothing = [200, 200, 200, *(3 * [[made["iid"]]]), 1, 1, 1, 1], [404, 404, 404, [], [], [], 0, 0, 0, 0]
    assert [seen(first), seen(second)] == [everything, everything]
    set_edition("core")
    assert [seen(first), seen(second)] == [everything, nothing]
    participants = cast.developer.get(f"{here}/participants").json
    assert second.id not in [person["id"] for person in participants]
    cast.developer.put(here, assignee_ids=[second.id])
    assert [seen(first)[0], seen(second)[0]] == [404, 200]
    set_edition("standard")
    assert [seen(first)[0], seen(second)[0]] == [404, 200]
