"""Parameters of requests about environments."""

from typing import ClassVar, Literal

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset, Words


class ListEnvironments(Params):
    name: str | Unset = UNSET
    search: Words | Unset = UNSET
    states: Literal["available", "stopped"] | Unset = UNSET

    at_most_one_of: ClassVar = ("name", "search")


class FilterEnvironments(Params):
    """The tab and the search of the page that lists environments."""

    states: Literal["all", "available", "stopped"] = "available"
    search: Words = ""

    @property
    def listed(self) -> ListEnvironments:
        return ListEnvironments(states=UNSET if self.states == "all" else self.states, search=self.search or UNSET)


Tier = Literal["production", "staging", "testing", "development", "other"]


class CreateEnvironment(Params):
    name: str
    external_url: str | Unset | None = UNSET
    tier: Tier | Unset = UNSET
    slug: str | Unset = UNSET
    """Refused: the server chooses it."""


class EditEnvironment(Params):
    name: RequiredText | Unset = UNSET
    external_url: str | Unset | None = UNSET
    tier: Tier | Unset = UNSET
    slug: str | Unset = UNSET
    """Refused: it never changes."""
