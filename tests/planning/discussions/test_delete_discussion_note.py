from tests.harness.client import Raw


def test_a_note_is_deleted_only_through_its_own_noteable(cast, issue, discussion):
    note = f"{issue}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"
    assert cast.guest.delete(note.replace(discussion["id"], "0" * 40)).status == 404
    assert cast.developer.delete(note).status == 403
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.guest.delete(note, old).status == 412
    assert cast.guest.delete(note).status == 204
    assert cast.guest.get(f"{issue}/discussions/{discussion['id']}").status == 404


def test_the_discussion_goes_on_without_it(cast, issue, discussion):
    there = f"{issue}/discussions/{discussion['id']}"
    cast.developer.post(f"{there}/notes", body="fine")
    cast.guest.delete(f"{there}/notes/{discussion['notes'][0]['id']}")
    assert [note["body"] for note in cast.guest.get(there).json["notes"]] == ["fine"]
