"""The pages of milestones: what they show to whom, and what their forms do."""

import re

from mujina.planning.milestones.burn_down import MOST_POINTS


def test_a_milestone_is_made_followed_and_closed(browse, cast, paper):
    place, api = f"/{paper['path_with_namespace']}/milestones", f"/projects/{paper['id']}"
    owner, guest = browse("owner"), browse("guest")
    assert "Milestones group issues for a date." in owner.open(place).text
    assert guest.open(f"{place}/new").status == 403
    owner.open(f"{place}/new")
    dates = {"start_date": "2018-01-01", "due_date": "2018-01-10"}
    refused = owner.send(place, milestone={"title": "", "description": "kept", **dates})
    assert (refused.status, "kept" in refused.text, 'aria-invalid="true"' in refused.text) == (422, True, True)
    made = owner.send(place, milestone={"title": "First <one>", "description": "See *this*", **dates})
    assert (made.status, made.headers["Location"]) == (303, f"{place}/1")
    milestone_id = cast.owner.get(f"{api}/milestones").json[0]["id"]
    for title, more in (
        ("Alone", {}), ("Taken", {"assignee_ids": [cast.guest.id], "labels": "wet"}),
        ("Secret", {"confidential": True, "labels": "unseen"}), ("Done", {"weight": 3}),
    ):  # fmt: skip
        cast.owner.post(f"{api}/issues", title=title, milestone_id=milestone_id, created_at="2018-01-02", **more)
    cast.owner.put(f"{api}/issues/4", state_event="close")
    page = owner.open(f"{place}/1").text
    for words in ("First &lt;one&gt;", "<em>this</em>", "Unstarted", "Secret", "overdue", "1 of 4 issues closed"):
        assert words in page, words
    columns = [part.count("tile") for part in page.split('class="lane"')[1:]]
    assert columns == [2, 1, 1]
    seen = guest.open(f"{place}/1").text
    assert ("Secret" in seen, "unseen" in seen, "1 of 3 issues closed" in seen) == (False, False, True)
    assert "1 of 3 issues closed" in guest.open(place).text
    assert "Close milestone" not in seen
    table = re.findall(r'<th scope="row">Jan \d+</th><td>(\d+)</td><td>([\d.]+)</td>', page)
    assert [left for left, _ in table] == ["0", *["4"] * 9]
    assert (table[0][1], table[-1][1]) == ("4.0", "0.0")
    weights = owner.open(f"{place}/1", by="weight").text
    assert re.findall(r"\d</th><td>(\d+)</td>", weights)[-1] == "3"
    assert owner.send(f"{place}/1", milestone={"title": "First", "due_date": "2017-01-01"}).status == 422
    assert owner.send(f"{place}/1", milestone={"title": "First", "due_date": ""}).status == 303
    assert "The chart needs a start date and a due date." in owner.open(f"{place}/1").text
    assert owner.send(f"{place}/1/close").status == 303
    assert "No milestones match." in owner.open(place).text
    assert "First" in owner.open(place, state="closed").text
    assert owner.send(f"{place}/1/reopen").status == 303
    assert owner.send(f"{place}/1/delete").status == 303
    assert owner.open(f"{place}/1").status == 404


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
