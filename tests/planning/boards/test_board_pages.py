"""The pages of boards: their columns, and what their forms do."""

import re


def columns(page):
    """The titles of the cards of each column."""
    return [re.findall(r'class="row-title"[^>]*>([^<]*)<', part) for part in page.split('class="lane"')[1:]]


def test_a_board_is_made_and_cards_are_moved(browse, cast, paper):
    place, api = f"/{paper['path_with_namespace']}/boards", f"/projects/{paper['id']}"
    owner, reporter, guest = browse("owner"), browse("reporter"), browse("guest")
    assert "Boards show issues in columns." in guest.open(place).text
    owner.open(f"{place}/new")
    assert owner.send(place, board={"name": " "}).status == 422
    made = owner.send(place, board={"name": "Work"})
    assert made.status == 303
    board = made.headers["Location"]
    for title in ("doing", "review"):
        cast.owner.post(f"{api}/labels", name=title, color="#123456")
        reporter.open(board)
        assert reporter.send(f"{board}/lists", label=title).status == 303
    assert reporter.send(f"{board}/lists", label="doing").status == 422
    assert reporter.send(f"{board}/lists", label="nothing").status == 422
    for title, more in (
        ("One", {}),
        ("Two", {"labels": "doing"}),
        ("Secret", {"labels": "doing", "confidential": True}),
    ):
        cast.owner.post(f"{api}/issues", title=title, **more)
    page = reporter.open(board).text
    assert columns(page) == [["One"], ["Secret", "Two"], [], []]
    assert columns(guest.open(place).text) == [["One"], ["Two"], [], []]
    assert "Move to" not in guest.page.text
    for chosen, left in (
        ({"search": "secret"}, [[], ["Secret"], [], []]), ({"label_name": "doing"}, [[], ["Secret", "Two"], [], []]),
        ({"author_username": cast.owner.username, "milestone_title": ""}, [["One"], ["Secret", "Two"], [], []]),
        ({"assignee_username": cast.guest.username}, [[]] * 4), ({"milestone_title": "None", "search": "one"}, [["One"], [], [], []]),
    ):  # fmt: skip
        assert columns(reporter.open(board, **chosen).text) == left, chosen
    assert "Label: doing" in reporter.open(board, label_name="doing").text
    moved = reporter.send(f"{board}/move?label_name=doing", card=f"{paper['id']}:1:open:open")
    assert (moved.status, moved.headers["Location"]) == (303, f"{board}?label_name=doing")
    doing, review = re.findall(r'id="list-(\d+)"', page)
    card = f"{paper['id']}:1"
    guest.open(board)
    assert guest.send(f"{board}/move", card=f"{card}:open:{doing}").status in (403, 422)
    for source, target, expected in (
        ("open", doing, ("opened", ["doing"])), (doing, review, ("opened", ["review"])), (review, "closed", ("closed", [])),
        ("closed", doing, ("opened", ["doing"])), (doing, "open", ("opened", [])), ("open", "open", ("opened", [])),
    ):  # fmt: skip
        assert reporter.send(f"{board}/move", card=f"{card}:{source}:{target}").status == 303
        issue = cast.owner.get(f"{api}/issues/1").json
        assert (issue["state"], issue["labels"]) == expected
    for card in (
        "nonsense",
        f"{cast.private.id}:1:open:closed",
        f"{paper['id']}:99:open:closed",
        f"{paper['id']}:1:open:9",
    ):
        assert reporter.send(f"{board}/move", card=card).status in (404, 422), card
    assert reporter.send(f"{board}/lists/{review}/move", position="0").status == 303
    assert re.findall(r'id="list-(\d+)"', reporter.open(board).text) == [review, doing]
    assert reporter.send(f"{board}/lists/{review}/move", position="7").status == 422
    assert reporter.send(f"{board}/lists/{review}/delete").status == 303
    assert reporter.send(f"{board}/delete").status == 403
    owner.open(f"{board}/edit")
    assert owner.send(board, board={"name": "Renamed"}).status == 303
    assert "Renamed" in owner.open(place).text
    assert owner.send(f"{board}/delete").status == 303
    assert owner.open(board).status == 404
    cast.owner.put(f"{api}", issues_enabled=False)
    assert owner.open(place).status == 404


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
