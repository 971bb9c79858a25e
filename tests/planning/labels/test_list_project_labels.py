"""GET /projects/:id/labels: the project's own and those of the groups above, with counts that give nothing away."""

from tests.harness.cases import Case, cases
from tests.harness.statements import statements


@cases([
    Case("anonymous", "GET /projects/{public.id}/labels", 401),
    Case("stranger", "GET /projects/{private.id}/labels", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /projects/{public.id}/labels", 200, []),
    Case("guest", "GET /projects/{private.id}/labels", 200, [], statements=6),
])  # fmt: skip
def test_readers_of_the_project_list_its_labels(case, cast):
    case.holds(cast)


def test_a_label_has_its_fields(cast, label):
    label("bug", description="A & B are broken", priority=3)
    [shown] = cast.guest.get(f"/projects/{cast.private.id}/labels").json
    assert shown == {
        "id": shown["id"], "name": "bug", "color": "#FF0000", "description": "A & B are broken",
        "description_html": "A &amp; B are broken",
        "open_issues_count": 0, "closed_issues_count": 0, "open_merge_requests_count": 0, "priority": 3,
        "subscribed": False, "text_color": "#FFFFFF", "is_project_label": True,
    }  # fmt: skip


def test_group_labels_are_seen_below_and_all_come_by_title(cast, label):
    label("zebra")
    label("ape", of="company")
    label("bear", of="team")
    label("cat", of="guild")
    answer = cast.guest.get(f"/projects/{cast.private.id}/labels")
    assert [shown["name"] for shown in answer.json] == ["ape", "bear", "zebra"]
    assert answer.headers["X-Total"] == "3"
    assert [shown["name"] for shown in cast.guest.get(f"/projects/{cast.public.id}/labels").json] == ["ape", "bear"]


def test_pages_and_search(cast, label):
    for name in ("one", "two", "three"):
        label(name)
    path = f"/projects/{cast.private.id}/labels"
    assert [shown["name"] for shown in cast.guest.get(path, per_page=2, page=2).json] == ["two"]
    assert [shown["name"] for shown in cast.guest.get(path, search="THR").json] == ["three"]


def test_counts_are_of_the_issues_the_caller_sees(cast):
    issues = f"/projects/{cast.private.id}/issues"
    for iid in (cast.open, cast.confidential, cast.farewell):
        cast.developer.put(f"{issues}/{iid}", labels="bug")
    cast.developer.put(f"{issues}/{cast.farewell}", state_event="close")

    def counts(who):
        [shown] = getattr(cast, who).get(f"/projects/{cast.private.id}/labels").json
        return shown["open_issues_count"], shown["closed_issues_count"]

    assert counts("reporter") == counts("root") == (2, 1)
    assert counts("guest") == (1, 0)
    cast.developer.put(f"{issues}/{cast.confidential}", assignee_ids=[cast.guest.id])
    assert counts("guest") == (2, 0)
    cast.owner.delete(f"{issues}/{cast.open}")
    assert counts("reporter") == (1, 1)


def test_the_counts_of_a_group_label_are_of_this_project(cast, label):
    label("wide", of="team")
    cast.developer.put(f"/projects/{cast.private.id}/issues/{cast.open}", labels="wide")
    cast.developer.put(f"/projects/{cast.public.id}/issues/{cast.open}", labels="wide")
    assert cast.developer.get(f"/projects/{cast.private.id}/labels").json[0]["open_issues_count"] == 1
    assert cast.developer.get(f"/groups/{cast.team.id}/labels").json[0]["open_issues_count"] == 2
    assert cast.stranger.get(f"/groups/{cast.team.id}/labels").json[0]["open_issues_count"] == 1


def test_the_cost_does_not_grow_with_the_page(cast, label, database):
    costs = []
    for turn in range(2):
        with statements(database) as used:
            cast.developer.get(f"/projects/{cast.private.id}/labels")
        costs.append(used.count)
        for number in range(10):
            label(f"label {turn} {number}")
    assert costs[0] == costs[1] <= 6
