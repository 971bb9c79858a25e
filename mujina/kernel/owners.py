"""The owner of labels and milestones: a project or a group, in one type, so that no operation is written twice."""

from typing import Literal

import msgspec


class Owner(msgspec.Struct, frozen=True):
    """The project or group that something belongs to."""

    kind: Literal["project", "group"]
    id: int
    namespace_id: int
    """The namespace of the project, or the group itself."""

    @property
    def project_id(self) -> int | None:
        return self.id if self.kind == "project" else None

    @property
    def group_id(self) -> int | None:
        return self.id if self.kind == "group" else None

    @property
    def bound(self) -> dict[str, int | None]:
        """The parameters `:project_id`, `:group_id` (one of them is null) and `:namespace_id`."""
        return {"project_id": self.project_id, "group_id": self.group_id, "namespace_id": self.namespace_id}
