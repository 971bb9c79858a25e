from tests.planning.boards.positions import order


def test_a_list_goes_and_the_others_close_up(cast, lists, three):
    one = f"{lists}/{three[0]['id']}"
    assert cast.guest.delete(one).status == 403
    assert cast.reporter.delete(one).status == 204
    assert cast.reporter.delete(one).json == {"message": "404 List Not Found"}
    assert order(cast, lists) == ["doing", "done"]


def test_lists_of_a_deleted_label_go_and_the_others_close_up(cast, lists, labels, three):
    assert cast.reporter.delete(f"/projects/{cast.private.id}/labels/{labels[0]}").status == 204
    assert order(cast, lists) == ["doing", "done"]
    label = cast.owner.post(f"/groups/{cast.team.id}/labels", name="never", color="#112233").json["id"]
    cast.reporter.post(lists, label_id=label)
    assert order(cast, lists) == ["doing", "done", "never"]
    cast.reporter.put(f"{lists}/{three[2]['id']}", position=2)
    assert order(cast, lists) == ["doing", "never", "done"]
    assert cast.owner.delete(f"/groups/{cast.team.id}/labels/{label}").status == 204
    assert order(cast, lists) == ["doing", "done"]
