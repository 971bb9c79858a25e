"""The requests and mails by which a service is told of an event, in the form that each service documents."""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from mujina.code.pushes.changes import ZERO
from mujina.integrations.services.messages import (
    MARKDOWN,
    PLAIN,
    SLACK,
    Body,
    ChatMessage,
    Dialect,
    branch_of,
    message_of,
)
from mujina.kernel.text.deferred_patterns import deferred_pattern

Fields = Mapping[str, Any]
PUSHOVER: Final = "https://api.pushover.net/1/messages.json"
PACKAGIST: Final = "https://packagist.org"
MAX_DISCORD: Final = 2_000
"""Characters of a message."""
MAX_RECIPIENTS: Final = 50
MAX_KEYS: Final = 20
"""Issues elsewhere that one merge closes: each takes requests of its own."""
_COLORS: Final = {"success": "#2da160", "failed": "#d22852", "": "#334455"}
_KEY: Final = deferred_pattern(r"[A-Z][A-Z0-9_]{1,29}-\d{1,9}")
_CLOSING: Final = deferred_pattern(
    rf"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s+"
    rf"((?:{_KEY.pattern}(?:,\s*|\s+and\s+)?)+)",
    re.IGNORECASE,
)


class ServiceCall(msgspec.Struct, frozen=True, kw_only=True):
    """A POST request."""

    url: str
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}
    auth: tuple[str, str] | None = None
    verify_tls: bool = True


class PushedChanges(msgspec.Struct, frozen=True):
    """The difference of two commits of a project."""

    project_id: int
    before: str
    after: str


class ServiceMail(msgspec.Struct, frozen=True, kw_only=True):
    recipients: list[str]
    subject: str
    lines: list[str]
    link: str
    label: str
    changes: PushedChanges | None = None
    """What the mail shows below its lines."""
    sender: str = ""
    """The public address of the user who pushed, if the mail is to come from it."""
    sender_name: str = ""


Build = Callable[[Fields, Body], list[ServiceCall]]
BuildFromMessage = Callable[[Fields, Body, ChatMessage], list[ServiceCall] | list[ServiceMail]]


def build_calls(slug: str, fields: Fields, body: Body) -> list[ServiceCall] | list[ServiceMail]:
    """The requests or mails about an event, in their order; none if the service is not told of it."""
    if fields.get("notify_only_default_branch"):
        branch = branch_of(body)
        if branch is not None and branch != body["project"]["default_branch"]:
            return []
    only_broken = fields.get("notify_only_broken_pipelines") and body["object_kind"] == "pipeline"
    if only_broken and body["object_attributes"]["status"] != "failed":
        return []
    if slug in _BUILDERS:
        return _BUILDERS[slug](fields, body)
    message = message_of(body)
    return [] if message is None else _MESSAGE_BUILDERS[slug](fields, body, message)


def _json(url: str, value: object, **options: Any) -> list[ServiceCall]:
    return [ServiceCall(url=url, body=msgspec.json.encode(value), **options)]


def _chat(dialect: Dialect) -> BuildFromMessage:
    """Slack's incoming webhooks, which Mattermost also understands, with another dialect of links."""

    def build(fields: Fields, body: Body, message: ChatMessage) -> list[ServiceCall]:
        text, details = dialect.write(message.parts), dialect.details(message)
        channel = fields.get(f"{_event_name(body)}_channel") or fields.get("channel")
        value: dict[str, Any] = {"text": text}
        value |= {"channel": channel} if channel else {}
        value |= {"username": fields["username"]} if fields.get("username") else {}
        if details:
            color = _COLORS.get(message.status, _COLORS[""])
            value["attachments"] = [{"fallback": details, "text": details, "color": color, "mrkdwn_in": ["text"]}]
        return _json(fields["webhook"], value)

    return build


def _event_name(body: Body) -> str:
    confidential = body["object_kind"] == "issue" and body["object_attributes"].get("confidential")
    return "confidential_issue" if confidential else str(body["object_kind"])


def _teams(fields: Fields, _: Body, message: ChatMessage) -> list[ServiceCall]:
    """A message card, as incoming webhooks of Teams take it."""
    card: dict[str, Any] = {
        "@type": "MessageCard", "@context": "https://schema.org/extensions", "summary": PLAIN.write(message.parts),
        "themeColor": _COLORS.get(message.status, _COLORS[""]).lstrip("#"), "text": MARKDOWN.write(message.parts),
    }  # fmt: skip
    details = MARKDOWN.details(message)
    if details:
        card["sections"] = [{"text": details.replace("\n", "\n\n"), "markdown": True}]
    return _json(fields["webhook"], card)


def _discord(fields: Fields, _: Body, message: ChatMessage) -> list[ServiceCall]:
    text = MARKDOWN.write(message.parts)[:MAX_DISCORD]
    value: dict[str, Any] = {"content": text, "allowed_mentions": {"parse": []}}
    details = MARKDOWN.details(message)
    if details:
        value["embeds"] = [{"description": details[:MAX_DISCORD], "color": int(_COLORS["success"][1:], 16)}]
    return _json(fields["webhook"], value)


def _is_removal(body: Body) -> bool:
    return body["object_kind"] in ("push", "tag_push") and body["after"] == ZERO


def _jenkins(fields: Fields, body: Body) -> list[ServiceCall]:
    """The payload of the hook, at the address of the project in the GitLab plug-in of Jenkins."""
    event = {"push": "Push Hook", "tag_push": "Tag Push Hook"}.get(str(body["object_kind"]), "Merge Request Hook")
    auth = (str(fields["username"]), str(fields.get("password", ""))) if fields.get("username") else None
    url = f"{_root(fields['jenkins_url'])}/project/{quote(fields['project_name'])}"
    return _json(url, body, auth=auth, headers={"X-Gitlab-Event": event})


def _drone(fields: Fields, body: Body) -> list[ServiceCall]:
    owner, _, name = str(body["project"]["path_with_namespace"]).rpartition("/")
    query = urlencode({"owner": owner, "name": name, "access_token": fields["token"]})
    return _json(
        f"{_root(fields['drone_url'])}/hook?{query}", body, verify_tls=fields.get("enable_ssl_verification", True)
    )


def _packagist(fields: Fields, body: Body) -> list[ServiceCall]:
    query = urlencode({"username": fields["username"], "apiToken": fields["token"]})
    url = f"{_root(fields.get('server') or PACKAGIST)}/api/update-package?{query}"
    return _json(url, {"repository": {"url": body["project"]["git_http_url"]}})


def _pushover(fields: Fields, body: Body, message: ChatMessage) -> list[ServiceCall]:
    values = {
        "token": fields["api_key"], "user": fields["user_key"], "priority": fields["priority"],
        "device": fields.get("device", ""), "sound": fields.get("sound", ""), "title": body["project"]["name"],
        "message": PLAIN.write(message.parts), "url": body["project"]["web_url"],
        "url_title": f"See project {body['project']['path_with_namespace']}",
    }  # fmt: skip
    form = urlencode({name: value for name, value in values.items() if value != ""}).encode()
    return [ServiceCall(url=PUSHOVER, body=form, content_type="application/x-www-form-urlencoded")]


def _teamcity(fields: Fields, body: Body) -> list[ServiceCall]:
    """A build in the queue: of the branch of a push, or of the source branch of a new merge request."""
    attributes: Body = body.get("object_attributes") or {}
    if _is_removal(body) or (attributes and attributes.get("action") not in ("open", "reopen")):
        return []
    branch = str(attributes.get("source_branch") or "") or str(body["ref"]).removeprefix("refs/heads/")
    xml = f'<build branchName="{escape(branch)}"><buildType id="{escape(fields["build_type"])}"/></build>'
    url = f"{_root(fields['teamcity_url'])}/httpAuth/app/rest/buildQueue"
    auth = (str(fields["username"]), str(fields["password"]))
    return [ServiceCall(url=url, body=xml.encode(), content_type="application/xml", auth=auth)]


def _jira(fields: Fields, body: Body) -> list[ServiceCall]:
    """The transition of each issue that a merge closes, with a comment that names the merge request."""
    merge, transitions = body["object_attributes"], str(fields.get("jira_issue_transition_id", ""))
    numbers = re.findall(r"\d+", transitions)
    if merge.get("action") != "merge" or not numbers:
        return []
    text = f"{merge['title']}\n{merge.get('description') or ''}"
    found = (key for match in _CLOSING.finditer(text) for key in _KEY.findall(match[1].upper()))
    keys = list(dict.fromkeys(found))[:MAX_KEYS]
    root = f"{_root(fields.get('api_url') or fields['url'])}/rest/api/2/issue"
    auth = (str(fields["username"]), str(fields["password"]))
    comment = f"Closed by merge request [!{merge['iid']} of {body['project']['path_with_namespace']}|{merge['url']}]."
    steps = [
        (f"{root}/{key}/transitions", {"transition": {"id": number}, "update": {"comment": [{"add": {"body": comment}}]}})
        for key in keys for number in numbers
    ]  # fmt: skip
    return [call for url, value in steps for call in _json(url, value, auth=auth)]


def _mail(fields: Fields, body: Body, message: ChatMessage, subject: str) -> list[ServiceMail]:
    recipients = [each for each in re.split(r"[\s,;]+", str(fields["recipients"])) if "@" in each][:MAX_RECIPIENTS]
    lines = [PLAIN.write(message.parts), *(PLAIN.write(line) for line in message.lines)]
    links = [part.url for part in message.parts if not isinstance(part, str)]
    link = next((url for url in links if "/compare/" in url or "/pipelines/" in url), links[0])
    title = f"[{body['project']['path_with_namespace']}] {subject}"
    return [ServiceMail(recipients=recipients, subject=title, lines=lines, link=link, label="Show on the site")]


def _emails_on_push(fields: Fields, body: Body, message: ChatMessage) -> list[ServiceMail]:
    """A branch that is pushed for the first time, or removed, and a tag have no changes to show."""
    [mail] = _mail(fields, body, message, PLAIN.write(message.parts))
    moved = body["object_kind"] == "push" and ZERO not in (body["before"], body["after"])
    if moved and not fields.get("disable_diffs"):
        mail = replace(mail, changes=PushedChanges(body["project_id"], body["before"], body["after"]))
    if fields.get("send_from_committer_email"):
        mail = replace(mail, sender=body.get("user_email") or "", sender_name=body["user_name"])
    return [mail]


def _pipelines_email(fields: Fields, body: Body, message: ChatMessage) -> list[ServiceMail]:
    if message.status not in ("success", "failed"):
        return []
    pipeline = body["object_attributes"]
    word = "passed" if message.status == "success" else "failed"
    return _mail(fields, body, message, f"Pipeline #{pipeline['id']} of {pipeline['ref']} has {word}")


def _root(url: str) -> str:
    return url.rstrip("/")


_BUILDERS: Final[dict[str, Build]] = {
    "jenkins": _jenkins, "drone-ci": _drone, "packagist": _packagist, "teamcity": _teamcity, "jira": _jira,
}  # fmt: skip
_MESSAGE_BUILDERS: Final[dict[str, BuildFromMessage]] = {
    "slack": _chat(SLACK), "mattermost": _chat(MARKDOWN), "microsoft-teams": _teams, "discord": _discord,
    "pushover": _pushover, "emails-on-push": _emails_on_push, "pipelines-email": _pipelines_email,
}  # fmt: skip
"""Services that are told of those events only for which there is a message."""
