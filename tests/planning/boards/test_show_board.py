def test_a_board_of_another_project_is_missing(cast, board):
    elsewhere = board.replace(f"/projects/{cast.private.id}/", f"/projects/{cast.public.id}/")
    assert cast.master.get(elsewhere).json == {"message": "404 Board Not Found"}
