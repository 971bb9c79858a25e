"""The pages of boards: their columns, and what their forms do."""

import re

import pytest


def columns(page):
    """The titles of the cards of each column."""
    return [re.findall(r'class="row-title"[^>]*>([^<]*)<', part) for part in page.split('class="lane"')[1:]]


@pytest.fixture
def place(paper):
    return f"/{paper['path_with_namespace']}/boards"


@pytest.fixture
def board(cast, paper, place):
    """The page of a board with the columns doing and review, and three cards, one of them confidential."""
    api = f"/projects/{paper['id']}"
    made = cast.owner.post(f"{api}/boards", name="Work").json["id"]
    for title in ("doing", "review"):
        label = cast.owner.post(f"{api}/labels", name=title, color="#123456").json["id"]
        cast.owner.post(f"{api}/boards/{made}/lists", label_id=label)
    for title, more in (
        ("One", {}),
        ("Two", {"labels": "doing"}),
        ("Secret", {"labels": "doing", "confidential": True}),
    ):
        cast.owner.post(f"{api}/issues", title=title, **more)
    return f"{place}/{made}"


def lists(page):
    """The ids of the columns between the first and the last, in order."""
    return re.findall(r'id="list-(\d+)"', page)


def test_a_board_is_created_renamed_and_deleted(browse, cast, paper, place):
    owner, reporter = browse("owner"), browse("reporter")
    assert "Boards show issues in columns." in browse("guest").open(place).text
    owner.open(f"{place}/new")
    assert owner.send(place, board={"name": " "}).status == 422
    made = owner.send(place, board={"name": "Work"})
    assert made.status == 303
    board = made.headers["Location"]
    reporter.open(board)
    assert reporter.send(f"{board}/delete").status == 403
    owner.open(f"{board}/edit")
    assert owner.send(board, board={"name": "Renamed"}).status == 303
    assert "Renamed" in owner.open(place).text
    assert owner.send(f"{board}/delete").status == 303
    assert owner.open(board).status == 404
    cast.owner.put(f"/projects/{paper['id']}", issues_enabled=False)
    assert owner.open(place).status == 404


def test_columns_are_added_moved_and_deleted(browse, cast, paper, board):
    reporter = browse("reporter")
    doing, review = lists(reporter.open(board).text)
    cast.owner.post(f"/projects/{paper['id']}/labels", name="done", color="#123456")
    added = [reporter.send(f"{board}/lists", label=label).status for label in ("done", "doing", "nothing")]
    assert added == [303, 422, 422]
    assert reporter.send(f"{board}/lists/{review}/move", position="0").status == 303
    assert lists(reporter.open(board).text)[:2] == [review, doing]
    assert reporter.send(f"{board}/lists/{review}/move", position="7").status == 422
    assert reporter.send(f"{board}/lists/{review}/delete").status == 303
    assert lists(reporter.open(board).text)[0] == doing


def test_columns_show_the_cards_that_the_reader_may_see(browse, board, place):
    assert columns(browse("reporter").open(board).text) == [["One"], ["Secret", "Two"], [], []]
    page = browse("guest").open(place).text
    assert (columns(page), "Move to" in page) == ([["One"], ["Two"], [], []], False)


def test_cards_are_filtered(browse, cast, paper, board):
    reporter = browse("reporter")
    for chosen, left in (
        ({"search": "secret"}, [[], ["Secret"], [], []]), ({"label_name": "doing"}, [[], ["Secret", "Two"], [], []]),
        ({"author_username": cast.owner.username, "milestone_title": ""}, [["One"], ["Secret", "Two"], [], []]),
        ({"assignee_username": cast.guest.username}, [[]] * 4),
        ({"milestone_title": "None", "search": "one"}, [["One"], [], [], []]),
    ):  # fmt: skip
        assert columns(reporter.open(board, **chosen).text) == left, chosen
    assert "Label: doing" in reporter.open(board, label_name="doing").text
    moved = reporter.send(f"{board}/move?label_name=doing", card=f"{paper['id']}:1:open:open")
    assert (moved.status, moved.headers["Location"]) == (303, f"{board}?label_name=doing")


def test_moving_a_card_changes_state_and_labels(browse, cast, paper, board):
    reporter, guest, card = browse("reporter"), browse("guest"), f"{paper['id']}:1"
    doing, review = lists(reporter.open(board).text)
    guest.open(board)
    assert guest.send(f"{board}/move", card=f"{card}:open:{doing}").status in (403, 422)
    for source, target, expected in (
        ("open", doing, ("opened", ["doing"])), (doing, review, ("opened", ["review"])), (review, "closed", ("closed", [])),
        ("closed", doing, ("opened", ["doing"])), (doing, "open", ("opened", [])), ("open", "open", ("opened", [])),
    ):  # fmt: skip
        assert reporter.send(f"{board}/move", card=f"{card}:{source}:{target}").status == 303
        issue = cast.owner.get(f"/projects/{paper['id']}/issues/1").json
        assert (issue["state"], issue["labels"]) == expected
    other = f"{cast.private.id}:1:open:closed"
    for wrong in ("nonsense", other, f"{paper['id']}:99:open:closed", f"{card}:open:99999"):
        assert reporter.send(f"{board}/move", card=wrong).status in (404, 422), wrong


def test_a_column_shows_more_cards(browse, cast, paper):
    place, api = f"/groups/{cast.team.path}/-/boards", f"/projects/{paper['id']}"
    label = cast.owner.post(f"/groups/{cast.team.id}/labels", name="much", color="#123456").json
    board = cast.owner.post(f"/groups/{cast.team.id}/boards", name="Wide").json
    listed = cast.owner.post(f"/groups/{cast.team.id}/boards/{board['id']}/lists", label_id=label["id"]).json
    for number in range(21):
        cast.owner.post(f"{api}/issues", title=f"Task {number}", labels="much" if number else "")
    owner = browse("owner")
    page = owner.open(f"{place}/{board['id']}").text
    assert "paper#1" in page
    assert len(columns(page)[1]) == 20
    assert "Show more" not in page
    cast.owner.post(f"{api}/issues", title="One more", labels="much")
    page = owner.open(f"{place}/{board['id']}").text
    assert "Show more" in page
    assert len(columns(owner.open(f"{place}/{board['id']}", column=listed["id"], cards=40).text)[1]) == 21
    assert len(columns(owner.open(f"{place}/{board['id']}", column="9" * 30, cards="9" * 18).text)[1]) == 20
    assert owner.send(f"{place}/{board['id']}/move", card=f"{paper['id']}:1:open:{listed['id']}").status == 303
    assert cast.owner.get(f"{api}/issues/1").json["labels"] == ["much"]
    assert "paper" not in str(columns(browse("anonymous").open(f"{place}/{board['id']}").text))
