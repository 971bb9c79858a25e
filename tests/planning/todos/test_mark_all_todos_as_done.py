def test_everything_is_done_at_once(cast):
    cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.open}/todo")
    cast.developer.post(f"/projects/{cast.private.id}/issues/{cast.open}/todo")
    answer = cast.guest.post("/todos/mark_as_done")
    assert (answer.status, answer.body) == (204, b"")
    assert cast.guest.get("/todos").json == []
    assert len(cast.developer.get("/todos").json) == 1
