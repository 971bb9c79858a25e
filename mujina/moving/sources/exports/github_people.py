"""People of a migration archive: objects name them by the addresses of their pages."""

from collections import defaultdict
from collections.abc import Generator, Iterable
from typing import Any

from mujina.moving.sources.exports.documents import ExportDocuments, Fields, given, objects, once, picked, text_of


class GitHubPeople:
    """Everybody whom the archive names."""

    def __init__(self, documents: ExportDocuments) -> None:
        self._documents = documents
        self._people = dict[str, Fields]()
        self._organizations = dict[str, Fields]()
        self._teams = defaultdict[str, list[tuple[str, str]]](list)
        """Address of a repository → the addresses of members of its teams, and their permission."""

    def read_users(self, users: Iterable[Fields]) -> None:
        for found in users:
            person = self.find(found.get("url"))
            if person is not None:
                emails = objects(found.get("emails"))
                primary = next((each for each in emails if each.get("primary")), Fields())
                name = text_of(found.get("name"))[:255] or None
                person |= given(name=name, email=text_of(primary.get("address")) or None)

    def read_organizations(self, organizations: Iterable[Fields], teams: Iterable[Fields]) -> None:
        for found in organizations:
            url, login = text_of(found.get("url")), text_of(found.get("login"))
            if url and login:
                group = {"id": self._documents.number(), "login": login, **picked(found, "name", "description")}
                self._organizations[url] = group
                self._documents.one(f"/orgs/{login}", group)
                admins = [each.get("user") for each in objects(found.get("members")) if each.get("role") == "admin"]
                owners = [{**person, "role_name": "owner"} for person in once(map(self.find, admins))]
                self._documents.list(f"/orgs/{login}/members", owners)
        for found in teams:
            people = [text_of(each.get("user")) for each in objects(found.get("members"))]
            for permission in objects(found.get("permissions")):
                access = text_of(permission.get("access"))
                self._teams[text_of(permission.get("repository"))] += [(person, access) for person in people]

    def owner(self, address: Any, login: str) -> Fields:
        """The owner of a repository: an organization of the archive, or else a user."""
        group = self._organizations.get(text_of(address))
        if group is not None:
            return {"id": group["id"], "login": login, "type": "Organization"}
        return {**(self.find(address) or {"id": 1}), "login": login, "type": "User"}

    def collaborators(self, repository: Fields) -> Generator[Fields]:
        """Those who have a permission for a repository, by themselves or in a team."""
        own = [
            (text_of(each.get("user")), text_of(each.get("permission")))
            for each in objects(repository.get("collaborators"))
        ]
        for address, permission in (*own, *self._teams.get(text_of(repository.get("url")), [])):
            if person := self.find(address):
                yield {**person, "role_name": permission}

    def find(self, address: Any) -> Fields | None:
        """The person at an address, which need not be in the list of users."""
        url = text_of(address)
        login = url.rstrip("/").rpartition("/")[2][:255]
        if not login:
            return None
        if url not in self._people:
            self._people[url] = {"id": self._documents.number(), "login": login}
        return self._people[url]

    def write(self) -> None:
        """Everybody, with an address for the map of people."""
        self._documents.people(self._people.values())
