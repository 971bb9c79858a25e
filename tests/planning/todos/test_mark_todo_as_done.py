def test_a_todo_is_done_and_shown_so(cast):
    todo = cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.open}/todo").json
    answer = cast.guest.post(f"/todos/{todo['id']}/mark_as_done")
    assert (answer.status, answer.json) == (201, todo | {"state": "done"})
    assert cast.guest.post(f"/todos/{todo['id']}/mark_as_done").status == 201


def test_anothers_todo_is_missing(cast):
    todo = cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.open}/todo").json
    for person in (cast.developer, cast.root):
        answer = person.post(f"/todos/{todo['id']}/mark_as_done")
        assert (answer.status, answer.json) == (404, {"message": "404 Todo Not Found"})
    assert cast.anonymous.post(f"/todos/{todo['id']}/mark_as_done").status == 401
    assert cast.guest.get("/todos").headers["X-Total"] == "1"
