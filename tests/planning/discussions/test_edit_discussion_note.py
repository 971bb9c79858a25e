def test_a_note_is_edited_only_through_its_own_noteable(cast, issue, discussion):
    note = f"{issue}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"
    assert cast.developer.put(note, body="x").status == 403
    assert cast.guest.put(note, body="better").json["body"] == "better"
    assert cast.master.put(note, body="best").json["body"] == "best"
    elsewhere = note.replace(discussion["id"], "0" * 40)
    assert cast.guest.put(elsewhere, body="x").json == {"message": "404 Note Not Found"}
    assert cast.guest.put(note, body=" ").json == {"message": {"note": ["can't be blank"]}}
