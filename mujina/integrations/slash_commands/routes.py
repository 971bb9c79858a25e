"""Commands that are written in a chat."""

from typing import Literal

from mujina.integrations.slash_commands import replies
from mujina.integrations.slash_commands.params import RunCommand
from mujina.integrations.slash_commands.replies import ChatReply
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import post


@post(
    mattermost="/projects/:id/services/mattermost_slash_commands/trigger",
    slack="/projects/:id/services/slack_slash_commands/trigger",
    anonymous=True,
    status=200,
)
async def run_owner_command(
    call: Call, kind: Literal["mattermost", "slack"], id: Ref, command: RunCommand
) -> ChatReply:
    """Run a command, as the user to whom the user of the chat is connected."""
    async with call.transaction() as tx:
        return await replies.run(tx, call.services, id, f"{kind}-slash-commands", command)
