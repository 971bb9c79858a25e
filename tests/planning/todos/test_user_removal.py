def test_what_somebody_who_left_gave_is_still_to_do(cast):
    cast.reporter.post(f"/projects/{cast.private.id}/issues/{cast.confidential}/notes", body="@developer please")
    assert cast.root.delete(f"/users/{cast.reporter.id}").status == 204
    (todo,) = cast.developer.get("/todos").json
    assert todo["author"]["username"] == "ghost"


def test_what_somebody_who_was_erased_gave_is_not(cast):
    cast.reporter.post(f"/projects/{cast.private.id}/issues/{cast.confidential}/notes", body="@developer please")
    assert cast.root.delete(f"/users/{cast.reporter.id}", hard_delete=True).status == 204
    assert cast.developer.get("/todos").json == []
