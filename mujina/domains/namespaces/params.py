"""What requests about namespaces may say."""

from mujina.kernel.params import UNSET, Params, Unset


class ListNamespaces(Params):
    search: str | Unset = UNSET
