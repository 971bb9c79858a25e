"""The parameters of requests about changelogs."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Timestamp, Unset


class ShowChangelog(Params):
    """`from`: by default the newest tag of a version before this one; it is not part of the notes, `to` is."""

    version: RequiredText
    from_: str | Unset = UNSET
    to: str | Unset = UNSET
    trailer: str = "Changelog"
    date: Timestamp | Unset | None = UNSET
