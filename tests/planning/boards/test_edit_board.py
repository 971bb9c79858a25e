def test_a_board_is_renamed_by_masters(cast):
    boards = f"/projects/{cast.private.id}/boards"
    board = f"{boards}/{cast.master.post(boards, name='Sprint').json['id']}"
    assert cast.developer.put(board, name="Run").status == 403
    answer = cast.master.put(board, name="Run")
    assert (answer.status, answer.json["name"]) == (200, "Run")
    assert cast.master.put(board, name="").json == {"message": {"name": ["can't be blank"]}}
    assert cast.master.put(f"{boards}/99999", name="x").json == {"message": "404 Board Not Found"}
