"""The parameters of requests about the audit log."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Timestamp, Unset


class ListAuditEvents(Params):
    created_after: Timestamp | Unset | None = UNSET
    created_before: Timestamp | Unset | None = UNSET


class ListAllAuditEvents(ListAuditEvents):
    """`entity_id` narrows the list only together with `entity_type`."""

    entity_type: Literal["User", "Group", "Project", "Namespace", "Instance"] | Unset = UNSET
    entity_id: int | Unset = UNSET
