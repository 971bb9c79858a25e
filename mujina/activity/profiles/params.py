"""The parameters of the pages of a user."""

from mujina.kernel.params import UNSET, Date, Params, Unset


class ShowDay(Params):
    date: Date | Unset = UNSET
