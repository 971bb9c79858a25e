"""Commands that are written in a chat: what they do, and what the chat shows."""

import re
from typing import Final, Literal

import msgspec

from mujina.integrations.services.operations import read_secrets
from mujina.integrations.services.rules import service_of
from mujina.integrations.slash_commands.connections import MAX_ID, ChatUser, find_connected
from mujina.integrations.slash_commands.params import RunCommand
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.secrets import same
from mujina.kernel.services import Services
from mujina.kernel.urls import web
from mujina.planning.issues import creating, entities
from mujina.planning.issues import operations as issues
from mujina.planning.issues.params import CreateIssue, EditIssue
from mujina.planning.issues.rules import READ_ISSUE, UPDATE_ISSUE, find_issue
from mujina.workspaces.projects.rules import CREATE_ISSUE, ProjectRow, find_project

HELP: Final = (
    "Available commands:\n"
    "issue new <title> (further lines are the description)\n"
    "issue show <number>\n"
    "issue close <number>\n"
    "help"
)
_COMMAND: Final = re.compile(r"issue\s+(?P<verb>new|create|show|close)\s+(?P<rest>\S.*)", re.DOTALL)


class ChatReply(msgspec.Struct):
    response_type: Literal["ephemeral", "in_channel"]
    """Whether only the user sees it, or everyone in the channel."""
    text: str


async def run(tx: Tx, services: Services, id_: Ref, slug: str, command: RunCommand) -> ChatReply:
    """Run the command as the user who is connected; 404 unless the token is that of the active service of the project."""
    project = await find_project(tx, SYSTEM, id_)
    row = await service_of(tx, project.id, slug)
    token = read_secrets(services.vault, row).get("token", "") if row is not None and row.active else ""
    if row is None or not token or not same(token, command.token):
        raise errors.not_found("Project")
    chat_user = ChatUser(row.id, (command.team_id or "")[:MAX_ID], (command.user_id or "")[:MAX_ID])
    actor = await find_connected(tx, chat_user) if chat_user.chat_id else None
    if actor is None:
        link = f"{web('/profile/chat_accounts/new')}?request={chat_user.link(services.vault)}"
        return ChatReply("ephemeral", f"Connect your account before you use commands: {link}")
    try:
        return await _run(tx, actor, Ref.of(project.id), (command.text or "").strip())
    except errors.ApiError as error:
        return ChatReply("ephemeral", " ".join(error.reasons) or "The command was refused.")


async def _run(tx: Tx, actor: Actor, id_: Ref, text: str) -> ChatReply:
    match = _COMMAND.fullmatch(text)
    if match is None:
        return ChatReply("ephemeral", HELP)
    rest = match["rest"].strip()
    if match["verb"] in ("new", "create"):
        project = await find_project(tx, actor, id_, to=CREATE_ISSUE)
        return await _create(tx, actor, project, rest)
    if not re.fullmatch(r"#?[0-9]{1,9}", rest):
        return ChatReply("ephemeral", HELP)
    iid = int(rest.lstrip("#"))
    issue = await find_issue(tx, actor, id_, iid, to=UPDATE_ISSUE if match["verb"] == "close" else READ_ISSUE)
    if match["verb"] == "close":
        await issues.edit(tx, actor, issue, EditIssue(state_event="close"))
    return await _shown(tx, actor, id_, issue.id)


async def _create(tx: Tx, actor: Actor, project: ProjectRow, text: str) -> ChatReply:
    title, _, description = text.partition("\n")
    change = CreateIssue(title=title, description=description.strip())
    created = await creating.create(tx, actor, project, change, Origin("", ""))
    return await _shown(tx, actor, Ref.of(project.id), created.row.id)


async def _shown(tx: Tx, actor: Actor, id_: Ref, issue_id: int) -> ChatReply:
    """A confidential issue is shown to the user alone."""
    project, issue = await find_project(tx, actor, id_), await entities.load_one(tx, actor, issue_id)
    text = f"#{issue.iid} {issue.title} ({issue.state})\n{web(f'/{project.full_path}/issues/{issue.iid}')}"
    return ChatReply("ephemeral" if issue.confidential else "in_channel", text)
