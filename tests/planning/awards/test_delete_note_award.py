def test_an_award_on_a_note_is_taken_back_by_who_gave_it(cast, note):
    award = f"{note}/award_emoji/{cast.guest.post(f'{note}/award_emoji', name='tada').json['id']}"
    assert cast.reporter.delete(award).status == 401
    assert cast.guest.delete(award).status == 204
    assert cast.guest.delete(award).status == 404
