"""Parameters of commands that are written in a chat."""

from mujina.kernel.http.params import UNSET, Params, Unset


class RunCommand(Params):
    """The form that Slack and Mattermost send."""

    token: str
    team_id: str | Unset = UNSET
    user_id: str | Unset = UNSET
    command: str | Unset = UNSET
    text: str | Unset = UNSET


class ConnectAccount(Params):
    """The request of a chat to be connected, signed."""

    request: str
