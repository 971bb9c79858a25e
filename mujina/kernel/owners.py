"""What a project or a group holds: labels, milestones. One word for the two, so that neither is written twice."""

from typing import Literal

import msgspec


class Owner(msgspec.Struct, frozen=True):
    """The project or group that something belongs to."""

    kind: Literal["project", "group"]
    id: int
    namespace_id: int
    """Where the project lives; of a group, itself."""

    @property
    def project_id(self) -> int | None:
        return self.id if self.kind == "project" else None

    @property
    def group_id(self) -> int | None:
        return self.id if self.kind == "group" else None

    @property
    def bound(self) -> dict[str, int | None]:
        """As `:project_id`, `:group_id` (one of them is null) and `:namespace_id`."""
        return {"project_id": self.project_id, "group_id": self.group_id, "namespace_id": self.namespace_id}
