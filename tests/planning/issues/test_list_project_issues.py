"""GET /projects/:id/issues: every filter, exact totals, and nothing a caller may not see."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.statements import statements


@pytest.fixture
def listed(cast):
    """The titles one of the cast sees in the private project, in order."""

    def ask(who="developer", **query):
        answer = getattr(cast, who).get(f"/projects/{cast.private.id}/issues", **query)
        assert answer.status == 200, answer
        assert int(answer.headers["X-Total"]) == len(answer.json) or "page" in query or "per_page" in query
        return [issue["title"] for issue in answer.json]

    return ask


@pytest.fixture
def write(cast):
    """A new issue in the private project, as answered."""

    def post(title, who="developer", **said):
        answer = getattr(cast, who).post(f"/projects/{cast.private.id}/issues", title=title, **said)
        assert answer.status == 201, answer
        return answer.json

    return post


@cases([
    Case("anonymous", "GET /projects/{public.id}/issues", 401, {"message": "401 Unauthorized"}),
    Case("stranger", "GET /projects/{private.id}/issues", 404, {"message": "404 Project Not Found"}),
    Case("external", "GET /projects/{internal.id}/issues", 404),
    Case("stranger", "GET /projects/{public.id}/issues", 200),
    Case("guest", "GET /projects/{private.id}/issues", 200, statements=6),
    Case("developer", "GET /projects/{private.encoded}/issues", 200, statements=5),
    Case("developer", "GET /projects/{private.id}/issues?state=merged", 400, {"error": "state does not have a valid value"}),
    Case("developer", "GET /projects/{private.id}/issues?order_by=color", 400,
         {"error": "order_by does not have a valid value"}),
    Case("developer", "GET /projects/{private.id}/issues?created_after=yesterday", 400,
         {"error": "created_after is invalid"}),
    Case("developer", "GET /projects/{private.id}/issues?assignee_id=me", 400, {"error": "assignee_id is invalid"}),
])  # fmt: skip
def test_readers_list_issues_and_parameters_are_checked(case, cast):
    case.holds(cast)


@pytest.mark.parametrize(
    ("who", "titles"),
    [
        ("root", ["Farewell", "Confidential", "Open"]),
        ("reporter", ["Farewell", "Confidential", "Open"]),
        ("inherited", ["Farewell", "Confidential", "Open"]),
        ("shared", ["Farewell", "Confidential", "Open"]),
        ("guest", ["Open"]),
    ],
)
def test_a_confidential_issue_is_for_reporters_and_those_involved(listed, who, titles):
    assert listed(who) == titles
    assert listed(who, search="Confidential Farewell open") == []
    assert listed(who, search="confidential") == [title for title in titles if title == "Confidential"]


def test_a_guest_sees_the_confidential_issues_they_wrote_or_are_assigned(cast, listed, write):
    write("Secret of the guest", "guest", confidential=True)
    write("For the guest", confidential=True, assignee_ids=[cast.guest.id])
    assert listed("guest") == ["For the guest", "Secret of the guest", "Open"]
    assert listed("guest", state="opened") == ["For the guest", "Secret of the guest", "Open"]
    assert listed("guest", state="closed") == []


def test_the_state_chooses_its_issues(cast, listed):
    cast.developer.put(f"/projects/{cast.private.id}/issues/{cast.open}", state_event="close")
    assert listed(state="closed") == ["Open"]
    assert listed(state="opened") == ["Farewell", "Confidential"]
    assert listed(state="all") == ["Farewell", "Confidential", "Open"]
    assert listed("guest", state="opened") == []


def test_labels_are_all_carried_and_told_apart_by_case(listed, write):
    write("both", labels="bug,ui")
    write("one", labels="bug")
    write("other", labels="Bug")
    assert listed(labels="bug") == ["one", "both"]
    assert listed(labels="bug,ui") == ["both"]
    assert listed(labels="BUG") == []
    assert listed(labels="bug,nowhere") == []


@pytest.mark.parametrize("none", ["No Label", "No+Label", "None"])
def test_issues_without_a_label(listed, write, none):
    write("labeled", labels="bug")
    assert listed(labels=none) == ["Farewell", "Confidential", "Open"]


def test_issues_with_any_label(listed, write):
    write("labeled", labels="bug,ui")
    write("other", labels="bug")
    assert listed(labels="Any") == ["other", "labeled"]
    assert listed(labels="Any,bug") == listed(labels="None,bug") == []


@pytest.mark.parametrize("word", ["Any", "None"])
def test_a_label_or_milestone_called_like_a_word_is_meant_by_it_where_it_can_be_used(cast, listed, write, word):
    milestone = cast.inherited.post(f"/groups/{cast.team.id}/milestones", title=word).json
    assert cast.shared.post(f"/groups/{cast.guild.id}/labels", name=word, color="red").status == 201
    write("labeled", labels="bug")
    bare = ["Farewell", "Confidential", "Open"]
    assert listed(labels=word) == (["labeled"] if word == "Any" else bare)
    assert listed(milestone=word) == []
    write("called so", labels=f"bug,{word}", milestone_id=milestone["id"])
    assert listed(labels=word) == listed(milestone=word) == listed(labels=word, search="called") == ["called so"]
    assert listed(labels="No Label") == bare


def test_milestones_by_title_and_by_their_dates(cast, listed, write):
    milestones = f"/projects/{cast.private.id}/milestones"
    started = cast.developer.post(milestones, title="v1", start_date="2018-01-01", due_date="2999-01-01").json
    later = cast.developer.post(milestones, title="v2", start_date="2998-01-01", due_date="2999-06-01").json
    write("in v1", milestone_id=started["id"])
    write("in v2", milestone_id=later["id"])
    assert listed(milestone="v1") == ["in v1"]
    assert listed(milestone="V1") == []
    assert listed(milestone="#started") == listed(milestone="Started") == ["in v1"]
    assert listed(milestone="#upcoming") == listed(milestone="Upcoming") == ["in v1"]
    for none in ("No Milestone", "No+Milestone", "None"):
        assert listed(milestone=none) == ["Farewell", "Confidential", "Open"]
    assert listed(milestone="Any") == ["in v2", "in v1"]
    assert listed(milestone="") == ["in v2", "in v1", "Farewell", "Confidential", "Open"]


@pytest.mark.parametrize("word", ["Started", "Upcoming"])
def test_a_milestone_may_have_a_keyword_as_its_title(cast, listed, write, word):
    milestones = f"/projects/{cast.private.id}/milestones"
    dated = {"start_date": "2018-01-01", "due_date": "2999-01-01"}
    write("dated", milestone_id=cast.developer.post(milestones, title="v1", **dated).json["id"])
    assert listed(milestone=word) == ["dated"]
    write("called so", milestone_id=cast.developer.post(milestones, title=word).json["id"])
    assert listed(milestone=word) == ["called so"]


def test_a_milestone_of_the_group_above_is_found_by_title(cast, listed, write):
    milestone = cast.inherited.post(f"/groups/{cast.team.id}/milestones", title="Everywhere").json
    write("wide", milestone_id=milestone["id"])
    assert listed(milestone="Everywhere") == ["wide"]


def test_authors_and_assignees(cast, listed, write):
    write("mine", assignee_ids=[cast.guest.id])
    assert listed(author_id=cast.reporter.id) == ["Open"]
    assert listed(author_id=0) == []
    assert listed(author_id=999_999) == []
    assert listed(assignee_id=cast.guest.id) == ["mine"]
    assert listed(assignee_id=999_999) == []
    assert listed(assignee_id=0) == ["Farewell", "Confidential", "Open"]
    assert listed(assignee_id="None") == ["Farewell", "Confidential", "Open"]
    assert listed(assignee_id="Any") == ["mine"]


@pytest.mark.parametrize(
    ("scope", "titles"),
    [
        ("created-by-me", ["Confidential"]),
        ("created_by_me", ["Confidential"]),
        ("assigned-to-me", ["Open"]),
        ("assigned_to_me", ["Open"]),
        ("all", ["Farewell", "Confidential", "Open"]),
    ],
)
def test_the_scope_chooses_its_issues(cast, listed, scope, titles):
    cast.master.put(f"/projects/{cast.private.id}/issues/{cast.open}", assignee_ids=[cast.developer.id])
    assert listed(scope=scope) == titles


def test_iids_in_any_order_and_form(cast, listed):
    assert listed(iids=[cast.open, cast.farewell]) == ["Farewell", "Open"]
    assert listed(iids=f"{cast.farewell},{cast.open}") == ["Farewell", "Open"]
    assert listed(iids=[999]) == []


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("LOGIN", ["Login fails", "Something else"]),
        ("login fails", ["Login fails"]),
        ("fails login", ["Login fails"]),
        ("og fai", ["Login fails"]),
        ("login else", []),
        ('"something else"', ["Something else"]),
        ('"else something"', []),
        ('"something else" wo', ["Something else"]),
        ("100%", ["Something else"]),
        ("100_", []),
        ("straße", ["STRASSE"]),
        ("ab", []),
        ("zz", ["zz"]),
    ],
)
def test_search_by_words_in_title_or_description(listed, write, search, found):
    write("STRASSE")
    write("Something else", description="the login is 100% fine")
    write("Login fails", description="on mondays")
    write("zz")
    assert listed(search=search) == found


def test_created_after_and_before_are_inclusive(cast, listed):
    for iid, day in ((cast.open, 1), (cast.confidential, 2), (cast.farewell, 3)):
        cast.root.put(f"/projects/{cast.private.id}/issues/{iid}", created_at=f"2018-01-0{day}T00:00:00Z")
    assert listed(created_after="2018-01-02T00:00:00Z") == ["Farewell", "Confidential"]
    assert listed(created_before="2018-01-02T00:00:00Z") == ["Confidential", "Open"]
    assert listed(created_after="2018-01-02T01:00:00+01:00", created_before="2018-01-02T00:00:00Z") == ["Confidential"]


def test_unknown_parameters_are_ignored(cast, listed):
    everything = listed()
    assert listed(color="red", something="else") == listed(search=" ") == everything
    assert cast.owner.post(f"/projects/{cast.private.id}/archive").status == 201
    assert listed() == everything


@pytest.mark.parametrize("path", ["/issues?scope=all", "/groups/{team.id}/issues", "/projects/{private.id}/issues"])
def test_filters_are_the_same_in_all_three_lists(cast, path):
    """Each filter of the specification, one after the other, leaves this issue and takes it away."""
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    milestone = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json["id"]
    cast.developer.put(
        issue, title="Needle", description="in a haystack", labels="bug,ui", milestone_id=milestone,
        assignee_ids=[cast.guest.id], state_event="close",
    )  # fmt: skip
    cast.guest.post(f"{issue}/award_emoji", name="tada")
    filters = [
        ("state", "closed", "opened"), ("labels", "ui,bug", "ui,other"), ("labels", "bug", "No+Label"),
        ("milestone", "v1", "v2"), ("scope", "assigned-to-me", "created-by-me"),
        ("author_id", cast.reporter.id, cast.guest.id), ("assignee_id", cast.guest.id, cast.developer.id),
        ("my_reaction_emoji", "tada", "heart"), ("iids[]", cast.open, 999), ("search", "needle", "thread"),
        ("search", "hay stack", "hay needle"), ("created_after", "2018-01-01T00:00:00Z", "2999-01-01T00:00:00Z"),
        ("created_before", "2999-01-01T00:00:00Z", "2018-01-01T00:00:00Z"),
    ]  # fmt: skip
    place, _, query = path.format_map(cast.names).partition("?")
    always = dict(pair.split("=") for pair in query.split("&") if pair)
    for name, kept, gone in filters:
        shown = cast.guest.get(place, **always | {name: kept})
        assert "Needle" in [each["title"] for each in shown.json], (name, kept)
        assert int(shown.headers["X-Total"]) == len(shown.json)
        left = cast.guest.get(place, **always | {name: gone})
        assert "Needle" not in [each["title"] for each in left.json], (name, gone)
        assert int(left.headers["X-Total"]) == len(left.json)


def test_order_and_its_direction(cast, listed):
    cast.developer.put(f"/projects/{cast.private.id}/issues/{cast.open}", title="Open")
    assert listed(sort="asc") == ["Open", "Confidential", "Farewell"]
    assert listed(order_by="updated_at")[0] == "Open"
    assert listed(order_by="updated_at", sort="asc")[-1] == "Open"


def test_a_project_without_issues_lists_none(cast, listed):
    cast.owner.put(f"/projects/{cast.private.id}", issues_enabled=False)
    assert listed("root") == listed("guest") == []


def test_pages_add_up_to_the_total_and_cost_the_same(cast, listed, write, database):
    for number in range(25):
        write(f"issue {number}", labels="bug,ui", assignee_ids=[cast.guest.id, cast.reporter.id])
    pages = [listed(page=page, per_page=10) for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [10, 10, 8, 0]
    assert len({title for page in pages for title in page}) == 28
    costs = []
    for size in (2, 20, 100):
        with statements(database) as used:
            cast.developer.get(f"/projects/{cast.private.id}/issues", per_page=size)
        costs.append(used.count)
    assert costs == [4, 4, 4]  # two of them compute what has no document yet


MANY = """
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1250)
    INSERT INTO issues (project_id, iid, title, title_folded, description_folded, author_id, created_at, updated_at)
    SELECT :id, 1000 + n, 'old ' || CAST(n AS text), '', '', :author, '2001-01-01T00:00:00.000Z', '2001-01-01T00:00:00.000Z'
    FROM numbers"""


@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_far_pages_are_those_that_follow(cast, database, sort):
    cast.run(MANY, id=cast.private.id, author=cast.guest.id)
    for place in (f"/projects/{cast.private.id}/issues", "/issues"):
        for asked in ({}, {"author_id": cast.guest.id}):
            whole: list[int] = []
            for page in range(1, 15):
                shown = cast.guest.get(place, scope="all", sort=sort, per_page=100, page=page, **asked)
                whole += [issue["id"] for issue in shown.json]
            assert len(whole) == len(set(whole)) == int(shown.headers["X-Total"]) >= 1250
            dated = [
                cast.guest.get(place, scope="all", sort=sort, per_page=7, page=n, **asked).json for n in (1, 170, 179)
            ]
            assert [issue["id"] for page in dated for issue in page] == whole[:7] + whole[1183:1190] + whole[1246:1253]


def test_an_issue_in_a_list_has_exactly_the_fields_of_the_specification(cast):
    issue = cast.developer.get(f"/projects/{cast.private.id}/issues").json[-1]
    assert set(issue) == {
        "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "closed_at", "labels",
        "milestone", "assignees", "assignee", "author", "user_notes_count", "due_date", "web_url", "confidential",
        "weight", "discussion_locked", "time_stats",
    }  # fmt: skip
    assert issue["web_url"] == f"http://mujina.test/{cast.private.path}/issues/{cast.open}"
    assert issue["author"]["username"] == "reporter"


@pytest.fixture
def different(cast, write):
    """Three issues that differ in everything a filter of newer API versions asks for; the one that is due."""
    here = f"/projects/{cast.private.id}/issues"
    write("both", assignee_ids=[cast.guest.id, cast.reporter.id], labels="ui,bug", weight=3)
    one = write("one", "guest")
    cast.developer.put(f"{here}/{one['iid']}", assignee_ids=[cast.guest.id])
    due = write("due", labels="bug", due_date="2001-01-01")
    return cast.owner.put(f"{here}/{due['iid']}", description="both", updated_at="2001-01-01T00:00:00Z").json


def test_filters_of_newer_api_versions_select_issues(cast, listed, different):
    assert listed("guest", author_username="GUEST") == ["one"]
    assert listed(assignee_username="guest") == ["one", "both"]
    assert listed(assignee_username="guest,Reporter") == listed(**{"assignee_username[]": "reporter"}) == ["both"]
    assert listed(confidential="true") == ["Farewell", "Confidential"]
    assert listed("guest", confidential="true") == []
    assert listed(confidential="false") == ["due", "one", "both", "Open"]
    assert listed(weight=3) == listed(weight="Any") == ["both"]
    assert listed(weight="None", labels="bug") == ["due"]
    assert listed(due_date="overdue") == listed(due_date="any") == ["due"]
    assert listed(due_date="0", labels="bug") == ["both"]
    for when in ("today", "tomorrow", "week", "month", "next_month_and_previous_two_weeks"):
        assert listed(due_date=when) == []
    assert listed(issue_type="incident") == []
    assert listed(issue_type="issue", labels="bug", non_archived="true") == ["due", "both"]
    assert listed(updated_before=different["updated_at"]) == ["due"]
    assert "due" not in listed(updated_after="2002-01-01")
    assert listed(search="both") == ["due", "both"]
    assert listed(search="both", **{"in": "title"}) == ["both"]
    assert listed(search="both", **{"in": "description"}) == ["due"]
    assert cast.developer.get("/issues", scope="all", updated_before="2001-01-02").headers["X-Total"] == "1"
    assert cast.developer.get(f"/groups/{cast.team.id}/issues", due_date="overdue").json[0]["title"] == "due"


def test_negated_filters_of_newer_api_versions_exclude_issues(cast, listed, different):
    for left_out, titles in {
        "not[labels]": {"bug,ui": ["one", "Farewell", "Confidential", "Open"]},
        "not[author_id]": {cast.developer.id: ["one", "Farewell", "Open"]},
        "not[author_username]": {"developer": ["one", "Farewell", "Open"]},
        "not[assignee_id]": {cast.guest.id: ["due", "Farewell", "Confidential", "Open"]},
        "not[assignee_username]": {"reporter": ["due", "one", "Farewell", "Confidential", "Open"]},
        "not[weight]": {3: ["due", "one", "Farewell", "Confidential", "Open"]},
        "not[iids][]": {different["iid"]: ["one", "both", "Farewell", "Confidential", "Open"]},
        "not[milestone]": {"none": ["due", "one", "both", "Farewell", "Confidential", "Open"]},
        "not[my_reaction_emoji]": {"tada": ["due", "one", "both", "Farewell", "Confidential", "Open"]},
    }.items():
        [(value, expected)] = titles.items()
        assert listed(**{left_out: value}) == expected, left_out
    refused = cast.developer.get(f"/projects/{cast.private.id}/issues", **{"not": "x"})
    assert refused.json == {"error": "not is invalid"}


def test_orders_of_newer_api_versions(cast, listed, write):
    write("zebra", weight=1, due_date="2001-01-02")
    write("ant", weight=2, due_date="2001-01-01")
    assert listed(order_by="title", sort="asc") == ["ant", "Confidential", "Farewell", "Open", "zebra"]
    assert listed(order_by="id", sort="asc", per_page=2) == ["Open", "Confidential"]
    assert listed(order_by="id", sort="asc", per_page=2, page=3) == ["ant"]
    assert listed(order_by="due_date", sort="asc", per_page=2) == ["ant", "zebra"]
    assert listed(order_by="weight", per_page=2) == ["ant", "zebra"]
    for order in ("popularity", "priority", "label_priority", "milestone_due", "relative_position", "merged_at"):
        assert sorted(listed(order_by=order)) == sorted(listed())
        assert listed(order_by=order, search="ant") == ["ant"]
    assert listed(order_by="title", search="ant") == ["ant"]
    assert listed(order_by="merged_at") == listed()
    cast.owner.put(f"/projects/{cast.private.id}/issues/{cast.open}", state_event="close")
    assert listed(order_by="closed_at", per_page=1) == ["Open"]


def test_labels_are_objects_on_request(cast):
    cast.owner.post(f"/projects/{cast.public.id}/labels", name="bug", color="#FFF", description="wrong")
    cast.owner.put(f"/projects/{cast.public.id}/issues/{cast.open}", labels="bug")
    for path in (f"/projects/{cast.public.id}/issues", f"/groups/{cast.team.id}/issues", "/issues"):
        plain = cast.owner.get(path, scope="all", labels="bug")
        detailed = cast.owner.get(path, scope="all", labels="bug", with_labels_details=True)
        searched = cast.owner.get(path, scope="all", labels="bug", with_labels_details=True, search="e")
        assert plain.headers["X-Total"] == detailed.headers["X-Total"]
        for issue, other in zip(plain.json, detailed.json, strict=True):
            [label] = other["labels"]
            assert label.pop("id") > 0
            described = {"description": "wrong", "description_html": "wrong"}
            assert label == {"name": "bug", "color": "#FFF", "text_color": "#333333", **described}
            assert issue == other | {"labels": ["bug"]}
        assert searched.status == 200
    assert cast.owner.get(f"/projects/{cast.public.id}/issues", with_labels_details="x").status == 400
