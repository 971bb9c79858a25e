"""Parameters of requests about domains of sites."""

from mujina.kernel.http.params import UNSET, Params, Unset


class EditPagesDomain(Params):
    """A certificate and its key are given together; empty ones are removed."""

    certificate: str | Unset | None = UNSET
    key: str | Unset | None = UNSET


class CreatePagesDomain(EditPagesDomain):
    domain: str
