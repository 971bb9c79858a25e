def test_awards_of_a_note_are_listed(cast, note):
    made = cast.guest.post(f"{note}/award_emoji", name="tada").json
    answer = cast.developer.get(f"{note}/award_emoji")
    assert (answer.json, answer.headers["X-Total"]) == ([made], "1")


def test_awards_of_a_missing_note_are_missing(cast, note):
    cast.guest.post(f"{note}/award_emoji", name="tada")
    cast.reporter.delete(note)
    answer = cast.guest.get(f"{note}/award_emoji")
    assert (answer.status, answer.json) == (404, {"message": "404 Note Not Found"})
