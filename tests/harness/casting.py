"""How the cast comes to be: through the product's own doors, and its operations where no door is open yet."""

from datetime import UTC, datetime, timedelta
from typing import Any

from mujina.accounts.credentials.operations import create_token
from mujina.accounts.paths.operations import create_group_namespace
from mujina.accounts.users import operations as users
from mujina.accounts.users.params import CreateUser
from mujina.kernel import clock
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.permissions.levels import DEVELOPER, GUEST, MASTER, OWNER, REPORTER
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from tests.harness.cast import Place, Roster
from tests.harness.client import Client

PEOPLE = (
    "root", "owner", "master", "developer", "reporter", "guest", "stranger", "blocked", "external", "inherited",
    "shared", "expired", "left", "read_user",
)  # fmt: skip
DIRECT = {
    "master": MASTER, "developer": DEVELOPER, "reporter": REPORTER, "guest": GUEST, "blocked": DEVELOPER,
    "left": DEVELOPER, "read_user": DEVELOPER,
}  # fmt: skip


def build_cast(client: Client, database: Database) -> Roster:
    """The whole cast in an empty, migrated database."""
    return client.loop.run_until_complete(_Casting(client, database).all())


class _Casting:
    def __init__(self, client: Client, database: Database) -> None:
        self.client = client
        self.database = database
        self.people: dict[str, tuple[int, str, str | None]] = {}
        self.places: dict[str, Place] = {}
        self.issues: dict[str, int] = {}

    async def all(self) -> Roster:
        async with self.database.transaction() as tx:
            for name in PEOPLE:
                await self._person(tx, name)
            await self._groups(tx)
        for visibility in ("private", "internal", "public"):
            await self._project(visibility)
        async with self.database.transaction() as tx:
            await tx.run("UPDATE users SET state = 'blocked' WHERE id = :id", id=self.people["blocked"][0])
        return Roster(self.people, self.places, self.issues)

    async def _person(self, tx: Tx, name: str) -> None:
        change = CreateUser(
            email=f"{name}@example.org", username=name, name=name.capitalize(), admin=name == "root",
            external=name == "external", skip_confirmation=True, password="never used",
        )  # fmt: skip
        id = await users.create(tx, SYSTEM, change, None)
        scopes = {"root": ["api", "sudo"], "read_user": ["read_user"]}.get(name, ["api"])
        self.people[name] = id, name, await create_token(tx, SYSTEM, id, "tests", scopes)

    async def _groups(self, tx: Tx) -> None:
        company = await self._group(tx, "company", [])
        department = await self._group(tx, "department", [company])
        await self._group(tx, "team", [department, company])
        await self._group(tx, "guild", [])
        await self._member(tx, "group", "team", "owner", OWNER)
        await self._member(tx, "group", "company", "inherited", DEVELOPER)
        await self._member(tx, "group", "guild", "shared", MASTER)

    async def _group(self, tx: Tx, name: str, ancestors: list[int]) -> int:
        id = await create_group_namespace(tx, name.capitalize(), name, ancestors[0] if ancestors else None)
        await tx.run("INSERT INTO groups (id, visibility) VALUES (:id, 'public')", id=id)
        await tx.run_each(
            "INSERT INTO group_tree (group_id, ancestor_id, depth) VALUES (:id, :ancestor, :depth)",
            [{"id": id, "ancestor": ancestor, "depth": depth} for depth, ancestor in enumerate([id, *ancestors])],
        )
        path = await tx.value("SELECT r.path FROM routes r WHERE r.namespace_id = :id", id=id)
        self.places[name] = Place(id, path)
        return id

    async def _member(
        self, tx: Tx, kind: Any, place: str, person: str, level: int, expires_on: str | None = None
    ) -> None:
        source = Source(kind, self.places[place].id)
        await members.add(tx, SYSTEM, source, self.people[person][0], level, expires_on)

    async def _project(self, visibility: str) -> None:
        """A project with its people and its three issues; the author of the last one leaves."""
        made = await self._ask(
            "root", "POST", "/projects", name=visibility, visibility=visibility, namespace_id=self.places["team"].id
        )
        self.places[visibility] = Place(made["id"], made["path_with_namespace"])
        yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
        async with self.database.transaction() as tx:
            for person, level in DIRECT.items():
                await self._member(tx, "project", visibility, person, level)
            await self._member(tx, "project", visibility, "expired", DEVELOPER, yesterday)
            await tx.run(
                """INSERT INTO project_shares (project_id, group_id, cap, expires_on, created_at)
                   VALUES (:project, :guild, :cap, :never, :now)""",
                project=made["id"], guild=self.places["guild"].id, cap=REPORTER, never=clock.NEVER, now=clock.now(),
            )  # fmt: skip
        issues = f"/projects/{made['id']}/issues"
        for name, author in (("open", "reporter"), ("confidential", "developer"), ("farewell", "left")):
            issue = await self._ask(author, "POST", issues, title=name.capitalize(), confidential=name != "open")
            self.issues[name] = issue["iid"]
        async with self.database.transaction() as tx:
            await members.remove(tx, SYSTEM, Source("project", made["id"]), self.people["left"][0])

    async def _ask(self, who: str, verb: str, path: str, **params: Any) -> Any:
        answer = await self.client.with_token(self.people[who][2]).exchange(verb, path, params=params)
        assert answer.status == 201, answer
        return answer.json
