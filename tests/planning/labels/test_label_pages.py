"""The pages of labels: what they show to whom, and what their forms do."""

import pytest


@pytest.fixture
def place(paper):
    return f"/{paper['path_with_namespace']}/labels"


@pytest.fixture
def here(cast, paper, place):
    """The page of a label of two issues, one of them confidential."""
    api = f"/projects/{paper['id']}"
    label = cast.reporter.post(f"{api}/labels", name="wet", color="#123456").json["id"]
    for title, confidential in (("Secret", True), ("Known", False)):
        cast.owner.post(f"{api}/issues", title=title, confidential=confidential, labels="wet")
    return f"{place}/{label}"


def test_a_project_begins_with_a_default_set(browse, cast, paper, place):
    reporter = browse("reporter")
    page = reporter.open(place).text
    assert ("Labels sort issues." in page, "Create a default set" in page) == (True, True)
    assert "Create a default set" not in browse("guest").open(place).text
    for _ in range(2):
        assert reporter.send(f"{place}/default_set").status == 303
        assert len(cast.reporter.get(f"/projects/{paper['id']}/labels").json) == 8


@pytest.mark.usefixtures("here")
def test_a_label_is_created_from_the_form(browse, cast, paper, place):
    reporter = browse("reporter")
    reporter.open(f"{place}/new")
    wrong = {"title": "", "description": "kept words", "color": "no color", "preset": "#c0392b"}
    refused = reporter.send(place, label=wrong)
    assert (refused.status, "kept words" in refused.text, refused.text.count('aria-invalid="true"')) == (422, True, 2)
    assert "has already been taken" in reporter.send(place, label={"title": "wet", "preset": "#c0392b"}).text
    assert reporter.send(place, label={"title": "dry", "preset": "#c0392b", "color": "#123456"}).status == 303
    labels = {each["name"]: each["color"] for each in cast.reporter.get(f"/projects/{paper['id']}/labels").json}
    assert labels["dry"] == "#123456"


def test_a_label_counts_issues_and_is_subscribed_to(browse, cast, place, here):
    guest = browse("guest")
    assert "2 open issues" in browse("reporter").open(place).text
    assert "1 open issue<" in guest.open(place).text
    assert guest.send(f"{here}/subscribe").status == 303
    assert "Unsubscribe" in guest.open(place).text
    assert guest.send(f"{here}/unsubscribe").status == 303
    assert [guest.open(f"{here}/edit").status, guest.send(f"{here}/delete").status] == [403, 403]
    assert browse("stranger").open(place).status == 404
    assert browse("anonymous").open(f"/{cast.public.path}/labels").status == 200


def test_a_label_is_edited_and_deleted(browse, cast, paper, place, here):
    reporter, api = browse("reporter"), f"/projects/{paper['id']}/labels"
    cast.reporter.post(api, name="confirmed", color="#123456")
    reporter.open(f"{here}/edit")
    edited = reporter.send(here, label={"title": "damp", "color": "#123456", "preset": "#2f855a", "priority": "1"})
    assert edited.status == 303
    label = cast.reporter.get(f"{api}/{here.rpartition('/')[2]}").json
    assert (label["name"], label["color"], label["priority"]) == ("damp", "#2f855a", 1)
    page = reporter.open(place).text
    assert page.index("Prioritized labels") < page.index("damp") < page.index("Other labels") < page.index("confirmed")
    assert "No labels match." in reporter.open(place, search="nothing at all").text
    assert reporter.send(f"{here}/delete").status == 303


def test_labels_of_a_group_are_marked_and_edited_in_the_group(browse, cast, paper):
    owner = browse("owner")
    place = f"/groups/{cast.team.path}/-/labels"
    owner.open(f"{place}/new")
    assert owner.send(place, label={"title": "everywhere", "preset": "#c0392b"}).status == 303
    label = next(each for each in cast.owner.get(f"/groups/{cast.team.id}/labels").json if each["name"] == "everywhere")
    below = f"/{paper['path_with_namespace']}/labels"
    assert "Group label" in owner.open(below).text
    assert "belongs to a group above" in owner.open(f"{below}/{label['id']}/edit").text
    assert owner.send(f"{below}/{label['id']}", label={"priority": "2", "title": "elsewhere"}).status == 303
    shown = cast.owner.get(f"/projects/{paper['id']}/labels/{label['id']}").json
    assert (shown["name"], shown["priority"]) == ("everywhere", 2)
    assert owner.send(f"{below}/{label['id']}/delete").status in (403, 422)
    assert owner.send(f"{place}/{label['id']}", label={"title": "all", "preset": ""}).status == 422
    assert owner.send(f"{place}/{label['id']}", label={"title": "all", "preset": "#c0392b"}).status == 303
    assert owner.send(f"{place}/{label['id']}/delete").status == 303
