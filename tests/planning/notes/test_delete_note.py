import pytest

from tests.harness.client import Raw


@pytest.mark.parametrize(
    ("who", "status"),
    [("guest", 204), ("master", 204), ("owner", 204), ("root", 204), ("developer", 403), ("reporter", 403),
     ("stranger", 404), ("anonymous", 401)],
)  # fmt: skip
def test_a_note_is_deleted_by_its_author_and_by_masters(cast, note, who, status):
    answer = getattr(cast, who).delete(note)
    assert answer.status == status
    assert cast.guest.get(note).status == (404 if status == 204 else 200)


def test_a_deleted_note_is_counted_no_more(cast, note):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    assert cast.guest.get(issue).json["user_notes_count"] == 1
    cast.guest.delete(note)
    assert cast.guest.get(issue).json["user_notes_count"] == 0
    assert cast.guest.delete(note).status == 404
    assert cast.guest.get(issue).json["user_notes_count"] == 0


def test_a_note_changed_since_is_not_deleted(cast, note):
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.guest.delete(note, old).status == 412
    new = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2150 03:45:40 GMT"})
    assert cast.guest.delete(note, new).status == 204
