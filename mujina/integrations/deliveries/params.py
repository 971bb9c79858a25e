"""Parameters of requests about deliveries."""

from mujina.kernel.http.params import UNSET, Params, Unset


class ListDeliveries(Params):
    """`status`: a number, `successful`, `client_failure` or `server_failure`."""

    status: str | Unset = UNSET
