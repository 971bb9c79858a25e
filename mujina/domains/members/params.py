"""What requests about members may say."""

from mujina.kernel.params import UNSET, Date, Params, Unset


class ListMembers(Params):
    query: str | Unset = UNSET


class AddMember(Params):
    user_id: int
    access_level: int
    expires_at: Date | Unset | None = UNSET
