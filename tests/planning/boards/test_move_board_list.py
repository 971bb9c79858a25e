from tests.planning.boards.positions import order


def test_lists_are_moved_and_the_others_close_up(cast, lists, three):
    assert order(cast, lists) == ["to do", "doing", "done"]
    moved = cast.reporter.put(f"{lists}/{three[2]['id']}", position=0)
    assert (moved.status, moved.json["position"]) == (200, 0)
    assert order(cast, lists) == ["done", "to do", "doing"]
    for beyond in (3, -1):
        assert cast.reporter.put(f"{lists}/{three[2]['id']}", position=beyond).status == 400


def test_lists_are_moved_by_reporters(cast, lists, three):
    one = f"{lists}/{three[0]['id']}"
    assert cast.guest.put(one, position=1).status == 403
