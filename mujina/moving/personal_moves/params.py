"""The forms of moves."""

from typing import Literal

import msgspec

from mujina.kernel.http.params import UNSET, Ids, Params, Unset


class BeginMove(Params):
    address: str
    source_token: str = ""
    kind: Literal["", "gitlab", "gitea", "github", "redmine"] = ""


class SearchMove(Params):
    search: str = ""


class ChooseProjects(Params):
    """The ticks of one page of the list, who is who, and where the move goes if it starts now."""

    listed: Ids = msgspec.field(default_factory=list[int])
    chosen: Ids = msgspec.field(default_factory=list[int])
    path: str = ""
    mine: bool = False
    """Whether the actor is the user of the token."""
    people: str = ""
    """An administrator's map of people, as JSON."""
    namespace: str | Unset = UNSET
    act: Literal["keep", "people", "start"] = "start"
