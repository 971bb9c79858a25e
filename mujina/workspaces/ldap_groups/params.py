"""Parameters of requests about LDAP groups."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset

LinkedLevel = Literal[10, 20, 30, 40, 50]


class LinkGroup(Params):
    cn: str
    group_access: LinkedLevel
    provider: str


class LinkGroupOrPeople(Params):
    """Exactly one of `cn` and `filter` has to be given."""

    group_access: LinkedLevel
    provider: str
    cn: str = ""
    filter: str = ""


class ListDirectoryGroups(Params):
    search: str | Unset | None = UNSET
