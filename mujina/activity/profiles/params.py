"""The parameters of the pages of a user."""

from mujina.kernel.http.params import UNSET, Date, Params, Unset


class ShowDay(Params):
    date: Date | Unset = UNSET
