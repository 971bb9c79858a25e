from tests.planning.notes.storage import stored


def test_notes_are_erased_with_their_project(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    note = cast.guest.post(f"{issue}/notes", body="hello @developer").json
    cast.developer.post(f"{issue}/notes/{note['id']}/award_emoji", name="tada")
    cast.developer.post(f"{issue}/award_emoji", name="tada")
    cast.master.post(f"{issue}/subscribe")
    cast.master.post(f"{issue}/todo")

    assert all(stored(cast).values())
    assert cast.owner.delete(f"/projects/{cast.private.id}").status == 204
    assert set(stored(cast).values()) == {0}
