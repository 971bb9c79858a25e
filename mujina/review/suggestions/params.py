"""The parameters of requests about suggestions."""

from mujina.kernel.http.params import UNSET, Ids, Params, Unset


class ApplySuggestion(Params):
    commit_message: str | Unset = UNSET


class ApplySuggestions(Params):
    ids: Ids
    commit_message: str | Unset = UNSET
