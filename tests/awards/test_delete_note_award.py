import pytest


@pytest.fixture
def note(cast):
    """The reporter's note on the open issue."""
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    return f"{notes}/{cast.reporter.post(notes, body='hello').json['id']}"


def test_an_award_on_a_note_is_taken_back_by_who_gave_it(cast, note):
    award = f"{note}/award_emoji/{cast.guest.post(f'{note}/award_emoji', name='tada').json['id']}"
    assert cast.reporter.delete(award).status == 401
    assert cast.guest.delete(award).status == 204
    assert cast.guest.delete(award).status == 404
