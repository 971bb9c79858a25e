"""Parameters of requests about deploy tokens."""

from mujina.kernel.http.params import UNSET, Params, Texts, Timestamp, Unset


class ListDeployTokens(Params):
    active: bool | Unset = UNSET


class CreateDeployToken(Params):
    name: str
    scopes: Texts
    expires_at: Timestamp | Unset | None = UNSET
    username: str | Unset | None = UNSET


class DeployTokenForm(Params):
    """The form of the page."""

    name: str = ""
    scopes: Texts = []  # noqa: RUF012 - msgspec copies it
    expires_at: Timestamp | Unset | None = UNSET
    username: str = ""

    def change(self) -> CreateDeployToken:
        return CreateDeployToken(name=self.name, scopes=self.scopes, expires_at=self.expires_at, username=self.username)
