"""Who asks."""

from typing import Any

import msgspec

from mujina.kernel import clock

SCOPES = ("api", "read_user", "sudo", "read_repository")
"""What a credential may be good for."""
ALL_SCOPES = frozenset(SCOPES)


Kind = tuple[bool, bool, bool]
"""Whether an actor is an administrator, is external, is anybody at all."""


class Actor(msgspec.Struct, frozen=True):
    """The person a request acts as, after `sudo`; what they may is computed from this and the database alone."""

    id: int = 0
    username: str = ""
    name: str = ""
    admin: bool = False
    external: bool = False
    can_create_group: bool = False
    scopes: frozenset[str] = frozenset()
    impersonator_id: int | None = None
    """The administrator behind a `sudo`."""

    @property
    def anonymous(self) -> bool:
        return self.id == 0

    @property
    def kind(self) -> Kind:
        """What is known of the actor before any row is looked at, for `rules.known_of`."""
        return self.admin, self.external, self.id != 0

    @property
    def bound(self) -> dict[str, Any]:
        """What rules name: `:actor`, `:actor_admin`, `:actor_external`, `:today`."""
        return {
            "actor": self.id,
            "actor_admin": self.admin,
            "actor_external": self.external,
            "today": clock.today(),
        }


ANONYMOUS = Actor()
"""Nobody: id 0 matches no row, so no rule needs a case for it."""

SYSTEM = Actor(admin=True, username="system", scopes=ALL_SCOPES)
"""The instance itself: the command line and jobs."""
