"""The parameters of requests about contributions."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Date, Params, Unset


class ListEvents(Params):
    action: (
        Literal[
            "created", "updated", "closed", "reopened", "pushed", "commented", "merged", "joined", "left", "destroyed",
            "expired", "approved",
        ]
        | Unset
    ) = UNSET  # fmt: skip
    target_type: (
        Literal["issue", "milestone", "merge_request", "note", "project", "snippet", "user", "epic", "wiki", "design"]
        | Unset
    ) = UNSET
    scope: Literal["all"] | Unset = UNSET
    """Ignored: each list has the events of its own."""
    before: Date | Unset = UNSET
    after: Date | Unset = UNSET
    sort: Literal["asc", "desc"] = "desc"
