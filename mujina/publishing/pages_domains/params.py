"""Parameters of requests about domains of sites."""

from typing import Annotated, Any

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Unset, read_text


def _read_pem(value: Any) -> str:
    """Text, or the text of a file: command lines attach certificates as files."""
    if not isinstance(value, Upload):
        return read_text(value)
    try:
        return read_text(value.data.decode())
    except UnicodeDecodeError:
        raise BadValue from None


Pem = Annotated[str, Form(_read_pem, {"type": "string"}, blank_is_null=False)]


class EditPagesDomain(Params):
    """A certificate and its key are given together; empty ones are removed."""

    certificate: Pem | Unset | None = UNSET
    key: Pem | Unset | None = UNSET


class CreatePagesDomain(EditPagesDomain):
    domain: str
