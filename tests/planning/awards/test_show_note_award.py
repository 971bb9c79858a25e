def test_an_award_is_shown_at_its_note_alone(cast, note):
    made = cast.guest.post(f"{note}/award_emoji", name="tada").json
    assert cast.developer.get(f"{note}/award_emoji/{made['id']}").json == made
    issue = note.partition("/notes/")[0]
    assert cast.developer.get(f"{issue}/award_emoji/{made['id']}").json == {"message": "404 Award Emoji Not Found"}
