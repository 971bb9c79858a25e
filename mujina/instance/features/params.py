"""Parameters of requests about features."""

from mujina.kernel.http.params import UNSET, Params, Unset


class SetFeature(Params):
    """`value` is `true`, `false` or the percentage of time for which the feature is on; group and user limit whom it concerns."""

    value: str
    feature_group: str | Unset = UNSET
    user: str | Unset = UNSET
