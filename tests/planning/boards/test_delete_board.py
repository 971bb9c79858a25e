from tests.harness.client import Raw
from tests.harness.creation import make_project


def test_a_board_is_deleted_by_masters(cast):
    boards = f"/projects/{cast.private.id}/boards"
    board = f"{boards}/{cast.master.post(boards, name='Sprint').json['id']}"
    assert cast.developer.delete(board).status == 403
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.master.delete(board, old).status == 412
    assert cast.master.delete(board).status == 204
    assert cast.guest.get(board).json == {"message": "404 Board Not Found"}


def test_the_last_board_may_go(cast):
    made = make_project(cast.owner, "fresh")
    boards = f"/projects/{made['id']}/boards"
    board = cast.owner.post(boards, name="Only").json
    assert cast.owner.delete(f"{boards}/{board['id']}").status == 204
    assert cast.owner.get(boards).json == []
