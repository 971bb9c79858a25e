def test_todos_from_a_removed_user_come_from_the_ghost(cast):
    cast.reporter.post(f"/projects/{cast.private.id}/issues/{cast.confidential}/notes", body="@developer please")
    assert cast.root.delete(f"/users/{cast.reporter.id}").status == 204
    (todo,) = cast.developer.get("/todos").json
    assert todo["author"]["username"] == "ghost"


def test_todos_from_an_erased_user_are_deleted(cast):
    cast.reporter.post(f"/projects/{cast.private.id}/issues/{cast.confidential}/notes", body="@developer please")
    assert cast.root.delete(f"/users/{cast.reporter.id}", hard_delete=True).status == 204
    assert cast.developer.get("/todos").json == []
