"""Parameters of requests for templates."""

from mujina.kernel.http.params import UNSET, Params, Unset


class ListLicenses(Params):
    popular: bool | Unset | None = UNSET


class ShowTemplate(Params):
    """What fills the blanks of a license."""

    project: str | Unset | None = UNSET
    fullname: str | Unset | None = UNSET


class NewFileQuery(Params):
    """The template that a new file begins with: its type, a slash, and its key."""

    template: str | Unset = UNSET
