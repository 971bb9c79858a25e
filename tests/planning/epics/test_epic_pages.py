"""The pages of epics: what they show to whom, and what their forms do."""

import re

import pytest


def order(page):
    """The titles of the issues of an epic, in order."""
    return re.findall(
        r'class="row-title"[^>]*>([^<]*)<', page.partition('id="issues"')[2].partition('id="timeline"')[0]
    )


@pytest.fixture
def place(cast):
    return f"/groups/{cast.team.path}/-/epics"


@pytest.fixture
def here(cast, place):
    """The page of an epic."""
    made = cast.owner.post(f"/groups/{cast.team.id}/epics", title="Dry", start_date="2018-02-01")
    return f"{place}/{made.json['iid']}"


@pytest.fixture
def filled(cast, paper, here):
    """The page of an epic with three issues, one of them confidential."""
    epic = f"/groups/{cast.team.id}/epics/{here.rpartition('/')[2]}"
    for title in ("One", "Two", "Secret"):
        issue = cast.owner.post(f"/projects/{paper['id']}/issues", title=title, confidential=title == "Secret").json
        assert cast.owner.post(f"{epic}/issues/{issue['id']}").status == 201
    return here


def test_an_epic_is_created_from_the_form(browse, place):
    owner = browse("owner")
    assert owner.open(f"{place}/new").status == 200
    dates = {"start_date": "2018-02-01", "end_date": "2018-01-01"}
    refused = owner.send(place, epic={"title": "", "description": "kept words", **dates})
    assert (refused.status, "kept words" in refused.text, refused.text.count('aria-invalid="true"')) == (422, True, 2)
    made = owner.send(place, epic={"title": "Dry <roof>", "description": "All *dry*", "start_date": "2018-02-01"})
    assert made.status == 303
    page = owner.open(made.headers["Location"]).text
    assert ("Dry &lt;roof&gt;" in page, "<em>dry</em>" in page) == (True, True)


def test_issues_are_added_by_reference_or_url(browse, cast, paper, here):
    owner, path = browse("owner"), paper["path_with_namespace"]
    for title in ("One", "Two"):
        cast.owner.post(f"/projects/{paper['id']}/issues", title=title)
    owner.open(here)
    for reference in (f"{path}#1", f"http://mujina.test/{path}/issues/2"):
        assert owner.send(f"{here}/issues", issue=reference).status == 303, reference
    for wrong in ("", "nothing", f"{cast.private.path}#999", "stranger/nowhere#1"):
        assert owner.send(f"{here}/issues", issue=wrong).status == 422, wrong
    assert order(owner.open(here).text) == ["Two", "One"]


def test_issues_of_an_epic_are_ordered_and_removed(browse, filled):
    owner, guest = browse("owner"), browse("guest")
    page = owner.open(filled).text
    assert order(page) == ["Secret", "Two", "One"]
    assert order(guest.open(filled).text) == ["Two", "One"]
    links = re.findall(r"/issues/(\d+)/delete", page)
    assert owner.send(f"{filled}/issues/{links[0]}/move", move_before_id=links[1]).status == 303
    assert owner.send(f"{filled}/issues/{links[2]}/move", move_after_id=links[1]).status == 303
    assert order(owner.open(filled).text) == ["One", "Two", "Secret"]
    assert guest.send(f"{filled}/issues/{links[1]}/delete").status == 403
    assert owner.send(f"{filled}/issues/{links[1]}/delete").status == 303
    assert order(owner.open(filled).text) == ["One", "Secret"]


def test_an_epic_is_discussed(browse, here):
    owner, guest = browse("owner"), browse("guest")
    owner.open(here)
    guest.open(here)
    assert owner.send(f"{here}/notes", body="It **drips**").status == 303
    assert guest.send(f"{here}/notes", body="again").status == 303
    page = owner.open(here).text
    assert "<strong>drips</strong>" in page
    note = re.findall(r'id="note_(\d+)"', page)[-1]
    assert guest.send(f"{here}/notes/{note}", body="once more").status == 303
    assert owner.open(f"{here}/notes/{note}/edit").status == 200
    assert owner.send(f"{here}/react", name="tada").status == 303
    assert "🎉 1" in owner.open(here).text
    for verb in ("unsubscribe", "unsubscribe", "subscribe", "todo", "todo"):
        assert owner.send(f"{here}/{verb}").status == 303, verb


def test_the_roadmap_shows_the_dates_of_epics(browse, cast, place, here):
    owner, roadmap = browse("owner"), f"/groups/{cast.team.path}/-/roadmap"
    owner.open(f"{here}/edit")
    assert owner.send(here, epic={"title": "Dry", "end_date": "2018-03-01"}).status == 303
    assert "Dry" in owner.open(place, search="dry").text
    assert "No epics match." in owner.open(place, search="flood").text
    assert "Dry: Feb 1, 2018 to Mar 1, 2018" in owner.open(roadmap).text
    dates = {"start_date": "0001-01-01", "end_date": "9999-12-31"}
    cast.owner.post(f"/groups/{cast.team.id}/-/epics", title="Long", **dates)
    assert "Long" in owner.open(roadmap).text


def test_epics_are_edited_by_members_and_deleted_by_owners(browse, place, here):
    owner, developer = browse("owner"), browse("developer")
    assert browse("guest").open(f"{here}/edit").status == 403
    developer.open(here)
    assert developer.send(f"{here}/delete").status == 403
    owner.open(here)
    assert owner.send(f"{here}/delete").status == 303
    assert "Epics group issues of several projects." in owner.open(place).text


def test_pages_of_epics_name_the_edition_they_need(browse, here, set_edition):
    set_edition("standard")
    refused = browse("owner").open(here)
    assert (refused.status, "Epics need the ultimate edition" in refused.text) == (403, True)
    assert "/-/epics" not in refused.text.partition("<main")[0]


def test_epics_have_the_labels_of_their_group(browse, cast):
    place, labels = f"/groups/{cast.team.path}/-/epics", f"/groups/{cast.team.id}/labels"
    cast.owner.post(labels, name="roof", color="#112233")
    cast.root.post(f"/groups/{cast.company.id}/labels", name="all <b>", color="#445566")
    owner, guest = browse("owner"), browse("guest")
    assert "roof" in owner.open(f"{place}/new").text
    refused = owner.send(place, epic={"title": "Wet", "labels": "roof, mine"})
    assert (refused.status, "mine is not a label of this group" in refused.text, 'value="roof, mine"' in refused.text) == (
        422, True, True,
    )  # fmt: skip
    here = owner.send(place, epic={"title": "Dry", "labels": "roof"}).headers["Location"]
    other = owner.send(place, epic={"title": "Other"}).headers["Location"]
    page = guest.open(here).text
    assert ("roof" in page, "#112233" in page, "added" in page) == (True, True, False)
    assert "roof" in guest.open(place).text
    for label_name, found in (("roof", (True, False)), ("roof,all <b>", (False, False)), ("", (True, True))):
        page = guest.open(place, label_name=label_name).text
        assert (">Dry<" in page, ">Other<" in page) == found
    owner.open(f"{here}/edit")
    assert owner.send(here, epic={"title": "Dry", "labels": "all <b>"}).status == 303
    notes, _, facts = owner.open(here).text.partition('id="facts"')
    assert ("all &lt;b&gt;" in facts, "#112233" in facts, "removed" in notes) == (True, False, True)
    assert owner.send(here, epic={"title": "Dry too"}).status == 303
    assert "all &lt;b&gt;" in owner.open(here).text
    assert guest.send(here, epic={"title": "Dry", "labels": ""}).status == 403
    # A group that moves away loses the labels of the groups above; a deleted label is gone.
    owner.open(f"{other}/edit")
    assert owner.send(other, epic={"title": "Other", "labels": "roof,all <b>"}).status == 303
    cast.root.post(f"/groups/{cast.team.id}/transfer")
    here, other = "/groups/team/-/epics/1", "/groups/team/-/epics/2"
    pages = [owner.open(at).text.partition('id="facts"')[2] for at in (here, other)]
    assert [("all &lt;b&gt;" in page, "#112233" in page) for page in pages] == [(False, False), (False, True)]
    assert cast.owner.delete(f"/groups/{cast.team.id}/labels", name="roof").status == 204
    assert "#112233" not in owner.open(other).text.partition('id="facts"')[2]
    assert owner.open("/groups/team/-/epics").status == 200
    assert set(cast.owner.get(f"/groups/{cast.team.id}/epics/1").json) == {
        "id", "iid", "group_id", "title", "description", "author", "start_date", "end_date",
    }  # fmt: skip
