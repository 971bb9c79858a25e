"""People and comments of a GitLab export: it names people by their ids, members by their usernames, and authors by their names."""

from typing import Any

from mujina.moving.sources.exports.documents import (
    ExportDocuments,
    Fields,
    decode,
    fields_of,
    given,
    objects,
    picked,
    text_of,
)


class ExportedPeople:
    """Everyone whom the export names. A person who is no member has no username there but `user-ID`."""

    def __init__(self, documents: ExportDocuments) -> None:
        self._documents = documents
        self._names = dict[int, str]()
        self._usernames = dict[int, str]()

    def learn_names(self, work: Fields) -> None:
        """The authors of the comments on an issue or merge request have names."""
        for note in objects(work.get("notes")):
            name, author_id = text_of(fields_of(note.get("author")).get("name")), note.get("author_id")
            if name and isinstance(author_id, int):
                self._names[author_id] = name[:255]

    def member(self, found: Fields) -> Fields | None:
        """The member, whose address is known for the map of people; None for an invitation."""
        user = fields_of(found.get("user"))
        user_id, username = user.get("id") or found.get("user_id"), text_of(user.get("username"))
        if not isinstance(user_id, int) or not username:
            return None
        self._usernames[user_id] = username
        person = self.find(user_id) or {}
        self._documents.one(f"/api/v4/users/{user_id}", {**person, **picked(user, "email", "public_email")})
        return {**person, **picked(found, "access_level", "expires_at", "created_at")}

    def find(self, person_id: Any) -> Fields | None:
        if not isinstance(person_id, int) or person_id < 1:
            return None
        username = self._usernames.get(person_id, f"user-{person_id}")
        return {"id": person_id, "username": username, "name": self._names.get(person_id, username)}

    @staticmethod
    def position(note: Fields) -> Fields:
        """The line that a comment is about, which is exported as JSON in a text; an empty object if none."""
        value = note.get("position") or note.get("original_position")
        return fields_of(decode(value) if isinstance(value, str) else value)


def write_awards(documents: ExportDocuments, people: ExportedPeople, path: str, found: Fields) -> None:
    """The reactions to something."""
    awards = [
        {"id": documents.number(), "user": people.find(each.get("user_id")), **picked(each, "name", "created_at")}
        for each in objects(found.get("award_emoji"))
    ]
    documents.list(f"{path}/award_emoji", awards)


def write_discussions(documents: ExportDocuments, people: ExportedPeople, path: str, work: Fields) -> None:
    """The comments on an issue or merge request, those of a thread together, and the reactions to them."""
    threads = dict[str, Fields]()
    for found in sorted(objects(work.get("notes")), key=lambda each: text_of(each.get("created_at"))):
        note, alone = _note(documents, people, found), found.get("type") is None
        write_awards(documents, people, f"{path}/notes/{note['id']}", found)
        key = ("" if alone else text_of(found.get("discussion_id"))[:64]) or f"n{note['id']}"
        threads.setdefault(key, {"id": key, "individual_note": alone, "notes": []})["notes"].append(note)
    documents.list(f"{path}/discussions", threads.values())


def _note(documents: ExportDocuments, people: ExportedPeople, found: Fields) -> Fields:
    return {
        "author": people.find(found.get("author_id")),
        **given(
            id=documents.number(), body=found.get("note"), resolved=found.get("resolved_at") is not None,
            resolved_by=people.find(found.get("resolved_by_id")), position=people.position(found) or None,
        ),
        **picked(found, "created_at", "updated_at", "system", "resolved_at"),
    }  # fmt: skip
