"""An application whose users sign in by a directory of the test's own."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mujina.accounts.ldap.user_sync import sync_users
from mujina.app import build, build_services
from mujina.directory_settings import Directory
from mujina.settings import Settings
from tests.harness.canaries import CANARIES
from tests.harness.cast import Cast
from tests.harness.client import Client
from tests.harness.slapd import ADMIN, ADMIN_PASSWORD, Tree
from tests.harness.stage import Stage
from tests.harness.visitor import Visitor

PASSWORD = "open-sesame-of-tests"


@dataclass
class DirectoryWorld:
    """A tree of the directory, and applications over one database that use it."""

    stage: Stage
    database: Any
    tree: Tree

    def __post_init__(self) -> None:
        CANARIES.catch(ADMIN_PASSWORD, "the password of the search account")
        CANARIES.catch(PASSWORD, "a password of the directory")

    def directory(self, id: str = "main", **keys: Any) -> Directory:
        """The settings of the tree as a directory."""
        return Directory(
            **{
                "id": id, "url": self.tree.slapd.url, "base": self.tree.people, "group_base": self.tree.groups,
                "bind_dn": ADMIN, "bind_password": ADMIN_PASSWORD, "timeout": 5, **keys,
            }
        )  # fmt: skip

    def client(self, *directories: Directory, **settings: Any) -> Client:
        """An application with these directories; without any, with the tree."""
        chosen = Settings(
            data=self.stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            ldap=directories or (self.directory(),), **settings,
        )  # fmt: skip
        return Client(build(build_services(chosen, self.database)), self.stage.loop)

    def cast(self, *directories: Directory, **settings: Any) -> Cast:
        return self.stage.cast(self.client(*directories, **settings), self.database)

    @cached_property
    def default(self) -> Cast:
        """The cast before the application with the tree as its only directory."""
        return self.cast()

    def sign_in(self, login: str, password: str = PASSWORD, *, to: Client | None = None, provider: str = "") -> Visitor:
        """A browser after an attempt to sign in; `page` and `cookie` tell what came of it."""
        visitor = Visitor(to or self.default.anonymous)
        visitor.open("/users/sign_in")
        path = f"/users/auth/{provider}/callback" if provider else "/users/sign_in"
        self.answer = visitor.send(path, user={"login": login, "password": password})
        return visitor

    def user(self, username: str) -> dict[str, Any] | None:
        """The user as an administrator sees them."""
        found = self.default.root.get("/users", username=username).json
        return found[0] if found else None

    def check_users(self, **options: Any) -> Any:
        """A run of the check of all users."""
        directory = options.pop("directory", None) or self.directory()
        return self.run(sync_users(self.database, directory, **options))

    def run(self, work: Any) -> Any:
        return self.stage.loop.run_until_complete(work)

    def value(self, sql: Any, **bound: Any) -> Any:
        """What the database has: for what no response shows."""

        async def read() -> Any:
            async with self.database.reading() as tx:
                return await tx.value(sql, **bound)

        return self.run(read())
