def test_an_award_is_shown_where_it_was_given(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.guest.post(f"{issues}/{cast.open}/award_emoji", name="tada").json
    assert cast.reporter.get(f"{issues}/{cast.open}/award_emoji/{made['id']}").json == made
    elsewhere = cast.reporter.get(f"{issues}/{cast.confidential}/award_emoji/{made['id']}")
    assert (elsewhere.status, elsewhere.json) == (404, {"message": "404 Award Emoji Not Found"})
