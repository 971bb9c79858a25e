def test_a_list_is_shown_to_users_who_see_the_board(cast):
    boards = f"/projects/{cast.private.id}/boards"
    lists = f"{boards}/{cast.master.post(boards, name='Mine').json['id']}/lists"
    label = cast.reporter.post(f"/projects/{cast.private.id}/labels", name="doing", color="#112233").json
    made = cast.reporter.post(lists, label_id=label["id"]).json
    assert cast.guest.get(f"{lists}/{made['id']}").json == made
    assert cast.guest.get(f"{lists}/99999").json == {"message": "404 List Not Found"}
    assert cast.stranger.get(f"{lists}/{made['id']}").json == {"message": "404 Project Not Found"}
