"""Every service that a project may connect to: its fields, its events, and whether this instance acts upon it."""

from typing import Final, Literal, NamedTuple

FieldKind = Literal["text", "secret", "boolean", "integer", "url", "link"]
"""`url`: an address that the instance calls; `link`: one that only browsers open."""


class ServiceField(NamedTuple):
    name: str
    kind: FieldKind = "text"
    required: bool = False
    help: str = ""

    @property
    def title(self) -> str:
        words = self.name.replace("_", " ").capitalize()
        return words.replace("url", "URL").replace("Url", "URL").replace(" id", " ID").replace("Api", "API")


class KnownService(NamedTuple):
    title: str
    description: str
    fields: tuple[ServiceField, ...] = ()
    events: tuple[str, ...] = ("push_events",)
    """The flags of events that it may have."""
    acts: bool = False
    """Whether this instance does what the service is for; otherwise its fields are stored and nothing else."""


def _text(name: str, help: str = "") -> ServiceField:
    return ServiceField(name, help=help)


def _needed(name: str, help: str = "") -> ServiceField:
    return ServiceField(name, required=True, help=help)


def _url(name: str, help: str = "", *, required: bool = True) -> ServiceField:
    return ServiceField(name, "url", required, help)


def _link(name: str, help: str = "") -> ServiceField:
    return ServiceField(name, "link", required=True, help=help)


def _secret(name: str, help: str = "", *, required: bool = True) -> ServiceField:
    return ServiceField(name, "secret", required, help)


def _flag(name: str, help: str = "") -> ServiceField:
    return ServiceField(name, "boolean", help=help)


EVENTS: Final = (
    "push_events", "issues_events", "confidential_issues_events", "merge_requests_events", "note_events",
    "confidential_note_events", "tag_push_events", "job_events", "pipeline_events", "wiki_page_events",
)  # fmt: skip
"""The flags that every service shows."""
_CHAT_EVENTS: Final = tuple(name for name in EVENTS if name != "job_events")
_BRANCHES: Final = (_flag("notify_only_broken_pipelines"), _flag("notify_only_default_branch"))
_CHAT_NAMES: Final = (
    _text("username", "The name under which messages appear."),
    _text("channel", "Where messages without a channel of their own go."),
    *_BRANCHES,
    *(
        _text(f"{name}_channel")
        for name in (
            "push", "issue", "confidential_issue", "merge_request", "note", "tag_push", "pipeline", "wiki_page",
        )
    ),
)  # fmt: skip
_TRACKER: Final = (
    _link("project_url", "The page of the project."), _link("issues_url", "The page of an issue; :id stands for its number."),
    _link("new_issue_url", "The form for a new issue."), _text("title"), _text("description"),
)  # fmt: skip
_WEBHOOK: Final = _secret("webhook", "The address to which messages are sent.")

CATALOG: Final[dict[str, KnownService]] = {
    "asana": KnownService("Asana", "Comments on Asana tasks", (_secret("api_key"), _text("restrict_to_branch"))),
    "assembla": KnownService("Assembla", "Project management", (_secret("token"), _text("subdomain"))),
    "bamboo": KnownService(
        "Atlassian Bamboo CI", "Builds on Bamboo",
        (_link("bamboo_url"), _needed("build_key"), _needed("username"), _secret("password")),
    ),
    "bugzilla": KnownService("Bugzilla", "Links references to Bugzilla", _TRACKER, (), acts=True),
    "buildkite": KnownService(
        "Buildkite", "Builds on Buildkite", (_secret("token"), _link("project_url"), _flag("enable_ssl_verification"))
    ),
    "campfire": KnownService("Campfire", "Messages in Campfire", (_secret("token"), _text("subdomain"), _text("room"))),
    "custom-issue-tracker": KnownService(
        "Custom issue tracker", "Links references to an issue tracker elsewhere", _TRACKER, (), acts=True
    ),
    "discord": KnownService("Discord notifications", "Messages in Discord", (_WEBHOOK, *_BRANCHES), _CHAT_EVENTS, acts=True),
    "drone-ci": KnownService(
        "Drone CI", "Builds on Drone",
        (_secret("token"), _url("drone_url"), _flag("enable_ssl_verification")),
        ("push_events", "merge_requests_events", "tag_push_events"), acts=True,
    ),
    "emails-on-push": KnownService(
        "Emails on push", "Mails the commits of each push",
        (
            _needed("recipients", "Email addresses, separated by spaces."), _flag("disable_diffs", "Mails list the commits only."),
            _flag(
                "send_from_committer_email",
                "Mails come from the public email of the user who pushed, if its domain is that of the instance.",
            ),
        ),
        ("push_events", "tag_push_events"), acts=True,
    ),
    "external-wiki": KnownService(
        "External wiki", "Links the project to a wiki elsewhere", (_link("external_wiki_url"),), (), acts=True
    ),
    "flowdock": KnownService("Flowdock", "Messages in Flowdock", (_secret("token"),)),
    "gemnasium": KnownService("Gemnasium", "Watches dependencies", (_secret("api_key"), _secret("token"))),
    "hipchat": KnownService(
        "HipChat", "Messages in HipChat",
        (
            _secret("token"), _text("color"), _flag("notify"), _text("room"), _text("api_version"), _text("server"),
            _flag("notify_only_broken_pipelines"),
        ),
        EVENTS,
    ),
    "irker": KnownService(
        "Irker (IRC gateway)", "Messages on IRC",
        (
            _needed("recipients"), _text("default_irc_uri"), _text("server_host"),
            ServiceField("server_port", "integer"), _flag("colorize_messages"),
        ),
    ),
    "jenkins": KnownService(
        "Jenkins CI", "Builds on Jenkins",
        (_url("jenkins_url"), _needed("project_name"), _text("username"), _secret("password", required=False)),
        ("push_events", "merge_requests_events", "tag_push_events"), acts=True,
    ),
    "jenkins-deprecated": KnownService(
        "Jenkins CI (deprecated)", "Builds on Jenkins with the older plug-in",
        (_link("project_url"), _flag("multiproject_enabled"), _flag("pass_unstable")),
    ),
    "jira": KnownService(
        "Jira", "Links references such as KEY-1 to Jira, and moves issues that a merge closes",
        (
            _url("url"), _url("api_url", "If the API has another address.", required=False), _text("project_key"),
            _needed("username"), _secret("password"),
            _text("jira_issue_transition_id", "The transition that closes an issue; several are separated by commas."),
        ),
        ("merge_requests_events",), acts=True,
    ),
    "kubernetes": KnownService(
        "Kubernetes", "A cluster for deployments",
        (_needed("namespace"), _link("api_url"), _secret("token"), _text("ca_pem")), (),
    ),
    "mattermost": KnownService(
        "Mattermost notifications", "Messages in Mattermost", (_WEBHOOK, *_CHAT_NAMES), _CHAT_EVENTS, acts=True
    ),
    "mattermost-slash-commands": KnownService(
        "Mattermost slash commands", "Commands written in Mattermost", (_secret("token"), _text("username")), (), acts=True
    ),
    "microsoft-teams": KnownService(
        "Microsoft Teams notifications", "Messages in Microsoft Teams", (_WEBHOOK, *_BRANCHES), _CHAT_EVENTS, acts=True
    ),
    "mock-ci": KnownService("MockCI", "A CI service for tests", (_link("mock_service_url"),)),
    "packagist": KnownService(
        "Packagist", "Tells Packagist of pushes", (_needed("username"), _secret("token"), _url("server", required=False)),
        ("push_events", "merge_requests_events", "tag_push_events"), acts=True,
    ),
    "pipelines-email": KnownService(
        "Pipelines emails", "Mails the status of finished pipelines",
        (
            _needed("recipients", "Email addresses, separated by commas."),
            _flag("add_pusher", "Stored; only the recipients get a mail."),
            _flag("notify_only_broken_pipelines"),
        ),
        ("pipeline_events",), acts=True,
    ),
    "pivotaltracker": KnownService("PivotalTracker", "Comments on stories", (_secret("token"), _text("restrict_to_branch"))),
    "prometheus": KnownService("Prometheus", "Figures of deployments", (_link("api_url"),), ()),
    "pushover": KnownService(
        "Pushover", "Notifications on devices",
        (
            _secret("api_key"), _secret("user_key"), ServiceField("priority", "integer", required=True, help="From -2 to 1."),
            _text("device"), _text("sound"),
        ),
        acts=True,
    ),
    "redmine": KnownService("Redmine", "Links references to Redmine", _TRACKER, (), acts=True),
    "slack": KnownService("Slack notifications", "Messages in Slack", (_WEBHOOK, *_CHAT_NAMES), _CHAT_EVENTS, acts=True),
    "slack-slash-commands": KnownService("Slack slash commands", "Commands written in Slack", (_secret("token"),), (), acts=True),
    "teamcity": KnownService(
        "JetBrains TeamCity CI", "Builds on TeamCity",
        (_url("teamcity_url"), _needed("build_type"), _needed("username"), _secret("password")),
        ("push_events", "merge_requests_events"), acts=True,
    ),
}  # fmt: skip
"""By slug: the services of the specification's version, and Discord, which is younger."""
