"""Parameters of requests about badges."""

from mujina.kernel.http.params import UNSET, Params, Unset


class ListBadges(Params):
    name: str | Unset = UNSET


class BadgeUrls(Params):
    """Two addresses, in which `%{project_path}` and the like stand for facts about the project that shows the badge."""

    link_url: str
    image_url: str


class CreateBadge(BadgeUrls):
    name: str | Unset | None = UNSET


class EditBadge(Params):
    link_url: str | Unset = UNSET
    image_url: str | Unset = UNSET
    name: str | Unset | None = UNSET


class BadgeForm(Params):
    """The form of the pages."""

    name: str = ""
    link_url: str = ""
    image_url: str = ""
