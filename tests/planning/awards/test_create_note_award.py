def test_a_note_takes_awards_of_its_own(cast, note):
    made = cast.guest.post(f"{note}/award_emoji", name="tada")
    assert made.status == 201
    assert (made.json["awardable_type"], made.json["awardable_id"]) == ("Note", cast.guest.get(note).json["id"])
    assert cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji").json == []
    assert "has already been taken" in cast.guest.post(f"{note}/award_emoji", name="tada").json["message"]


def test_no_user_votes_on_their_own_note(cast, note):
    assert cast.reporter.post(f"{note}/award_emoji", name="thumbsup").status == 404
    assert cast.guest.post(f"{note}/award_emoji", name="thumbsup").status == 201
