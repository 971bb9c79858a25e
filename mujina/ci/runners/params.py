"""Parameters of requests about runners."""

from typing import Annotated, ClassVar, Literal

from mujina.kernel.http.params import UNSET, Names, Params, Unset, nested

AccessLevel = Literal["not_protected", "ref_protected"]
RunnerType = Literal["instance_type", "group_type", "project_type"]


class RunnerInfo(Params):
    """What a runner says about itself."""

    name: str | Unset = UNSET
    version: str | Unset = UNSET
    revision: str | Unset = UNSET
    platform: str | Unset = UNSET
    architecture: str | Unset = UNSET
    executor: str | Unset = UNSET


Info = Annotated[RunnerInfo, nested(RunnerInfo)]


class RunnerChange(Params):
    """What registering, creating and editing share; `paused` is the opposite of `active`."""

    description: str | Unset | None = UNSET
    active: bool | Unset = UNSET
    paused: bool | Unset = UNSET
    tag_list: Names | Unset = UNSET
    run_untagged: bool | Unset = UNSET
    locked: bool | Unset = UNSET
    access_level: AccessLevel | Unset = UNSET
    maximum_timeout: int | Unset | None = UNSET
    maintenance_note: str | Unset | None = UNSET


class EditRunner(RunnerChange):
    at_least_one_of: ClassVar = (
        "description", "active", "paused", "tag_list", "run_untagged", "locked", "access_level", "maximum_timeout",
        "maintenance_note",
    )  # fmt: skip


class RegisterRunner(RunnerChange):
    token: str
    info: Info | Unset = UNSET


class CreateRunner(RunnerChange):
    runner_type: RunnerType
    group_id: int | Unset = UNSET
    project_id: int | Unset = UNSET


class RunnerToken(Params):
    """The token with which a runner authenticates."""

    token: str


class ListRunners(Params):
    """Filters of lists of runners."""

    scope: Literal["active", "paused", "online", "offline", "specific", "shared"] | Unset = UNSET
    type: RunnerType | Unset = UNSET
    status: Literal["active", "paused", "online", "offline", "not_connected"] | Unset = UNSET
    paused: bool | Unset = UNSET
    tag_list: Names | Unset = UNSET


class EnableRunner(Params):
    runner_id: int


class FilterRunners(Params):
    """The tab of the page that lists the runners of the instance."""

    status: Literal["", "online", "offline", "not_connected", "paused"] = ""

    @property
    def listed(self) -> ListRunners:
        return ListRunners(status=self.status or UNSET)
