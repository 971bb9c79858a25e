"""The form of a new project."""

from typing import Literal
from urllib.parse import quote, urlsplit

from mujina.kernel.http.params import UNSET, Params, Unset
from mujina.kernel.permissions.levels import Visibility
from mujina.workspaces.projects.params import CreateProject, to_url


class ShowNewProject(Params):
    """Which tab is shown, and which namespace is chosen at first."""

    tab: Literal["", "blank", "import"] | Unset = UNSET
    namespace_id: int | Unset | None = UNSET


class NewProjectFields(Params):
    name: str
    path: str | Unset = UNSET
    namespace_id: int | Unset | None = UNSET
    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    initialize_with_readme: bool | Unset = UNSET
    tab: str | Unset = UNSET
    import_url: str | Unset = UNSET
    import_username: str | Unset = UNSET
    import_password: str | Unset = UNSET
    import_host_keys: str | Unset = UNSET
    """One on each line."""

    @property
    def imports(self) -> bool:
        """Whether the repository comes from elsewhere."""
        return self.tab == "import"

    @property
    def project(self) -> CreateProject:
        """The project as the API creates it; a blank slug is made from the name."""
        fields = ("name", "namespace_id", "description", "visibility", "initialize_with_readme")
        given = {name: value for name in fields if (value := getattr(self, name)) is not UNSET}
        if self.path and self.path.strip():
            given["path"] = self.path.strip()
        if self.imports:
            given["import_url"] = self._url()
            if self.import_host_keys and (lines := self.import_host_keys.strip().splitlines()):
                given["import_host_keys"] = lines
        return CreateProject(**given)

    def _url(self) -> str:
        """The URL with the credentials of the other two fields."""
        url = to_url((self.import_url or "").strip())
        if not self.import_username and not self.import_password:
            return url
        credentials = f"{quote(self.import_username or '', safe='')}:{quote(self.import_password or '', safe='')}"
        try:
            parts = urlsplit(url)
        except ValueError:
            return url
        return parts._replace(netloc=f"{credentials}@{parts.netloc.rpartition('@')[2]}").geturl()
