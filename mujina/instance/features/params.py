"""What requests about features may say."""

from mujina.kernel.params import UNSET, Params, Unset


class SetFeature(Params):
    """For whom the feature is on: everybody (`true`), nobody (`false`), a share of the time (a number), or some."""

    value: str
    feature_group: str | Unset = UNSET
    user: str | Unset = UNSET
