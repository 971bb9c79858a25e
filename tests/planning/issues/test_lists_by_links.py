"""Issues by label, milestone, assignee and author, alone and in pairs: what filtering the whole list by hand gives, in its order.

Some values are rare and some frequent, and the order of creation is not that of the ids.
"""

from itertools import combinations

import pytest

ISSUES = """
    INSERT INTO issues (project_id, iid, title, title_folded, author_id, milestone_id, weight, confidential, state, created_at,
        updated_at)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60)
    SELECT :project, 1000 + n, 'Issue', 'issue', CASE WHEN n % 30 = 1 THEN :guest ELSE :developer END,
        CASE WHEN n % 30 = 2 THEN CAST(:rare AS bigint) WHEN n % 7 > 0 THEN :frequent END, n % 2, n % 5 = 0,
        CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'opened' END,
        '2018-01-' || CAST(10 + n * 7 % 13 AS text) || 'T10:00:00.000Z',
        '2018-02-' || CAST(10 + n * 5 % 17 AS text) || 'T10:00:00.000Z'
    FROM numbers"""
LINKS = {
    "issue_labels": ("label_id", {"rare": "i.iid % 30 = 3", "frequent": "i.iid % 2 = 0"}),
    "issue_assignees": ("user_id", {"guest": "i.iid % 30 = 4", "developer": "i.iid % 3 <> 0"}),
}


@pytest.fixture
def here(cast):
    """The path of the issues; each filter has a value that two of sixty have, and one that most of them have."""
    project = f"/projects/{cast.private.id}"
    named = {
        noun: {name: cast.owner.post(f"{project}/{noun}", **values(name)).json["id"] for name in ("rare", "frequent")}
        for noun, values in {
            "labels": lambda name: {"name": name, "color": "#ff0000"}, "milestones": lambda name: {"title": name},
        }.items()
    }  # fmt: skip
    people = {"guest": cast.guest.id, "developer": cast.developer.id}
    cast.run(ISSUES, project=cast.private.id, **people, **named["milestones"])
    for table, (column, links) in LINKS.items():
        for name, some in links.items():
            cast.run(
                f"""INSERT INTO {table} (issue_id, {column}) SELECT i.id, :id FROM issues i
                    WHERE i.project_id = :project AND i.iid > 1000 AND {some}""",
                id=(named["labels"] | people)[name], project=cast.private.id,
            )  # fmt: skip
    return f"{project}/issues"


def filters(cast):
    """Each parameter, and which issues it keeps."""
    for title in ("rare", "frequent"):
        yield {"labels": title}, lambda issue, title=title: title in issue["labels"]
        yield {"milestone": title}, lambda issue, title=title: (issue["milestone"] or {}).get("title") == title
    for who in (cast.guest.id, cast.developer.id):
        yield {"assignee_id": who}, lambda issue, who=who: who in [person["id"] for person in issue["assignees"]]
        yield {"author_id": who}, lambda issue, who=who: issue["author"]["id"] == who
    for name in (cast.guest.username, cast.developer.username):
        named = {"assignee_username": name.upper()}
        yield named, lambda issue, name=name: name in [person["username"] for person in issue["assignees"]]
        yield {"author_username": name.upper()}, lambda issue, name=name: issue["author"]["username"] == name
    yield {"weight": 1}, lambda issue: issue["weight"] == 1
    yield {"state": "opened"}, lambda issue: issue["state"] == "opened"


ORDERS = {"guest": {"sort": "asc"}, "reporter": {"order_by": "updated_at"}, "developer": {"order_by": "title"}}


def check(cast, here, who, order):
    whole = who.get(here, per_page=100, **order).json
    assert len(whole) > 40
    for (one, keeps), (other, keeps_too) in combinations([({}, lambda _: True), *filters(cast)], 2):
        if not one.keys() & other.keys():
            expected = [issue["id"] for issue in whole if keeps(issue) and keeps_too(issue)]
            found = who.get(here, per_page=100, **one, **other, **order)
            assert [issue["id"] for issue in found.json] == expected, (one, other, order)
            assert found.headers["X-Total"] == str(len(expected)), (one, other, order)


@pytest.mark.parametrize("who", ORDERS)
def test_filters_keep_what_they_say_in_the_order_of_the_list(cast, here, who):
    check(cast, here, getattr(cast, who), ORDERS[who])


def test_an_issue_whose_time_of_creation_changed_moves_in_lists_by_its_label(cast, here):
    first = cast.owner.get(here, labels="frequent", sort="asc").json[0]
    assert cast.owner.put(f"{here}/{first['iid']}", created_at="2019-01-01T00:00:00Z").status == 200
    assert cast.owner.get(here, labels="frequent").json[0]["id"] == first["id"]
    check(cast, here, cast.owner, {})
