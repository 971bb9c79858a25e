"""The pages of milestones: what they show to whom, and what their forms do."""

import re

import pytest

from mujina.planning.milestones.burn_down import MOST_POINTS

DATES = {"start_date": "2018-01-01", "due_date": "2018-01-10"}


@pytest.fixture
def place(paper):
    return f"/{paper['path_with_namespace']}/milestones"


@pytest.fixture
def followed(cast, paper, place):
    """The page of a milestone with four issues, one of them closed and one confidential."""
    api = f"/projects/{paper['id']}"
    made = cast.owner.post(f"{api}/milestones", title="First", **DATES).json["id"]
    for title, more in (
        ("Alone", {}), ("Taken", {"assignee_ids": [cast.guest.id], "labels": "wet"}),
        ("Secret", {"confidential": True, "labels": "unseen"}), ("Done", {"weight": 3}),
    ):  # fmt: skip
        cast.owner.post(f"{api}/issues", title=title, milestone_id=made, created_at="2018-01-02", **more)
    cast.owner.put(f"{api}/issues/4", state_event="close")
    return f"{place}/1"


def test_a_milestone_is_created_from_the_form(browse, place):
    owner = browse("owner")
    assert "Milestones group issues for a date." in owner.open(place).text
    assert browse("guest").open(f"{place}/new").status == 403
    owner.open(f"{place}/new")
    refused = owner.send(place, milestone={"title": "", "description": "kept", **DATES})
    assert (refused.status, "kept" in refused.text, 'aria-invalid="true"' in refused.text) == (422, True, True)
    made = owner.send(place, milestone={"title": "First <one>", "description": "See *this*", **DATES})
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    page = owner.open(f"{place}/1").text
    assert ("First &lt;one&gt;" in page, "<em>this</em>" in page) == (True, True)


def test_a_milestone_shows_the_issues_that_the_reader_may_see(browse, place, followed):
    page = browse("owner").open(followed).text
    for words in ("Unstarted", "Secret", "overdue", "1 of 4 issues closed"):
        assert words in page, words
    assert [part.count("tile") for part in page.split('class="lane"')[1:]] == [2, 1, 1]
    guest = browse("guest")
    page = guest.open(followed).text
    assert ("Secret" in page, "unseen" in page, "1 of 3 issues closed" in page) == (False, False, True)
    assert "Close milestone" not in page
    assert "1 of 3 issues closed" in guest.open(place).text


def test_the_chart_counts_issues_or_weights_by_day(browse, followed):
    owner = browse("owner")
    page = owner.open(followed).text
    table = re.findall(r'<th scope="row">Jan \d+</th><td>(\d+)</td><td>([\d.]+)</td>', page)
    assert [left for left, _ in table] == ["0", *["4"] * 9]
    assert (table[0][1], table[-1][1]) == ("4.0", "0.0")
    weights = owner.open(followed, by="weight").text
    assert re.findall(r"\d</th><td>(\d+)</td>", weights)[-1] == "3"


def test_a_milestone_is_edited_closed_and_deleted(browse, place, followed):
    owner = browse("owner")
    owner.open(f"{followed}/edit")
    assert owner.send(followed, milestone={"title": "First", "due_date": "2017-01-01"}).status == 422
    assert owner.send(followed, milestone={"title": "First", "due_date": ""}).status == 303
    assert "The chart needs a start date and a due date." in owner.open(followed).text
    assert owner.send(f"{followed}/close").status == 303
    assert "No milestones match." in owner.open(place).text
    assert "First" in owner.open(place, state="closed").text
    assert owner.send(f"{followed}/reopen").status == 303
    assert owner.send(f"{followed}/delete").status == 303
    assert owner.open(followed).status == 404


def test_a_milestone_of_a_group_counts_what_the_reader_may_see(browse, cast, paper):
    place, group = f"/groups/{cast.team.path}/-/milestones", f"/groups/{cast.team.id}"
    owner = browse("owner")
    owner.open(f"{place}/new")
    assert (
        owner.send(place, milestone={"title": "Year", "start_date": "0001-01-01", "due_date": "9999-12-31"}).status
        == 303
    )
    milestone = cast.owner.get(f"{group}/milestones", search="Year").json[0]
    cast.owner.post(f"/projects/{paper['id']}/issues", title="Of paper", milestone_id=milestone["id"])
    cast.owner.post(f"/projects/{cast.public.id}/issues", title="For everyone", milestone_id=milestone["id"])
    page = owner.open(f"{place}/{milestone['iid']}").text
    assert "Of paper" in page
    assert page.count('<th scope="row">') <= MOST_POINTS + 2
    seen = browse("anonymous").open(f"{place}/{milestone['iid']}").text
    assert ("Of paper" in seen, "For everyone" in seen, "0 of 1 issue closed" in seen) == (False, True, True)
    assert browse("stranger").send(f"{place}/{milestone['iid']}/delete").status in (403, 422)
