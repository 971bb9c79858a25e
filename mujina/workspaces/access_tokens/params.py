"""Parameters of requests about the access tokens of projects and groups."""

from typing import Literal

from mujina.accounts.credentials.params import ListPersonalTokens
from mujina.kernel.http.params import UNSET, Date, Params, Texts, Unset

Level = Literal[10, 20, 30, 40, 50]


class ListAccessTokens(ListPersonalTokens):
    pass


class CreateAccessToken(Params):
    name: str
    scopes: Texts
    access_level: Level = 40
    expires_at: Date | Unset | None = UNSET
    description: str | Unset | None = UNSET


class AccessTokenForm(Params):
    """The form of the page."""

    name: str = ""
    scopes: Texts = []  # noqa: RUF012 - msgspec copies it
    access_level: Level = 30
    expires_at: Date | Unset | None = UNSET

    def change(self) -> CreateAccessToken:
        return CreateAccessToken(
            name=self.name, scopes=self.scopes, access_level=self.access_level, expires_at=self.expires_at
        )
