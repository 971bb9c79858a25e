"""The actor: on whose behalf a request runs."""

from typing import Any

import msgspec

from mujina.kernel import clock

SCOPES = (
    "api", "read_user", "sudo", "read_repository", "read_api", "write_repository", "self_rotate", "read_registry",
    "write_registry", "create_runner", "manage_runner", "ai_features", "k8s_proxy",
)  # fmt: skip
"""The scopes of a credential. Those from `read_registry` on open nothing here: clients of today ask for them."""
ALL_SCOPES = frozenset(SCOPES)


Kind = tuple[bool, bool, bool]
"""Whether an actor is an administrator, is external, is signed in."""


class Actor(msgspec.Struct, frozen=True):
    """The user a request acts as, after `sudo`; permissions follow from this and the database alone."""

    id: int = 0
    username: str = ""
    name: str = ""
    admin: bool = False
    external: bool = False
    can_create_group: bool = False
    scopes: frozenset[str] = frozenset()
    impersonator_id: int | None = None
    """The administrator behind a `sudo`."""
    job_project_id: int | None = None
    """The project of the job whose token is the credential; None: it is another credential."""

    @property
    def anonymous(self) -> bool:
        return self.id == 0

    @property
    def kind(self) -> Kind:
        """The facts about the actor that need no query, for `rules.known_of`."""
        return self.admin, self.external, self.id != 0

    @property
    def bound(self) -> dict[str, Any]:
        """The values that rules bind: `:actor`, `:actor_admin`, `:actor_external`, `:today`."""
        return {
            "actor": self.id,
            "actor_admin": self.admin,
            "actor_external": self.external,
            "today": clock.today(),
        }


ANONYMOUS = Actor()
"""The anonymous actor: id 0 matches no row, so no rule needs a special case."""

SYSTEM = Actor(admin=True, username="system", scopes=ALL_SCOPES)
"""The instance itself: the command line and jobs."""
