"""Parameters of requests that check CI files."""

from mujina.kernel.http.params import UNSET, Params, Unset


class LintContent(Params):
    content: str
    include_merged_yaml: bool | Unset | None = UNSET
    include_jobs: bool | Unset | None = UNSET


class ShowCiFile(Params):
    """The branch, tag or commit whose file a page shows; empty: the default branch."""

    ref: str = ""


class CheckedFile(Params):
    """The form of a page that checks a text."""

    content: str


class LintProjectContent(Params):
    content: str
    dry_run: bool | Unset | None = UNSET
    include_jobs: bool | Unset | None = UNSET
    ref: str | Unset = UNSET


class LintProjectFile(Params):
    content_ref: str | Unset = UNSET
    sha: str | Unset = UNSET
    dry_run: bool | Unset | None = UNSET
    dry_run_ref: str | Unset = UNSET
    ref: str | Unset = UNSET
    include_jobs: bool | Unset | None = UNSET
