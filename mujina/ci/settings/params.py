"""The parameters of the CI settings of a project or group."""

from typing import Final, Literal

from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Params, Unset

FIRST: Final = Page(1, 20, {})
FIRST_ALLOWED: Final = Page(1, 100, {})
"""The projects and the groups on an allowlist that the page shows."""
Section = Literal["variables", "runners", "triggers"]


class ShowValues(Params):
    reveal: bool = False
    """Whether the list shows the values of variables."""


class ShowCiSettings(ShowValues):
    section: Literal["", "variables", "runners", "triggers"] = ""
    """The one list that the page shows, page by page; empty: the start of each."""

    def page_of(self, section: Section, page: Page) -> Page | None:
        """The page of the list of this section; None if the list is not shown."""
        if not self.section:
            return FIRST
        return page if self.section == section else None


class AllowJobs(Params):
    path: str
    """The path of a project or a group, as someone typed it."""


class SaveCiSettings(Params):
    """The settings of a project that concern its pipelines."""

    jobs_enabled: bool | Unset = UNSET
    public_jobs: bool | Unset = UNSET
    shared_runners_enabled: bool | Unset = UNSET
    auto_cancel_pending_pipelines: bool | Unset = UNSET
    ci_config_path: str | Unset = UNSET
    build_timeout: int | Unset = UNSET
    build_git_strategy: Literal["fetch", "clone"] | Unset = UNSET
    ci_default_git_depth: int | Unset | None = UNSET
    build_coverage_regex: str | Unset | None = UNSET
    keep_latest_artifact: bool | Unset = UNSET
