"""Parameters of requests about services: the fields of all of them, since the slug says which ones are read."""

from mujina.kernel.http.params import UNSET, Params, Unset


class SaveService(Params):
    """A field left out is left alone; an empty one is cleared."""

    active: bool | Unset = UNSET
    push_events: bool | Unset = UNSET
    issues_events: bool | Unset = UNSET
    confidential_issues_events: bool | Unset = UNSET
    merge_requests_events: bool | Unset = UNSET
    note_events: bool | Unset = UNSET
    confidential_note_events: bool | Unset = UNSET
    tag_push_events: bool | Unset = UNSET
    job_events: bool | Unset = UNSET
    pipeline_events: bool | Unset = UNSET
    wiki_page_events: bool | Unset = UNSET
    api_key: str | Unset | None = UNSET
    restrict_to_branch: str | Unset | None = UNSET
    token: str | Unset | None = UNSET
    subdomain: str | Unset | None = UNSET
    bamboo_url: str | Unset | None = UNSET
    build_key: str | Unset | None = UNSET
    username: str | Unset | None = UNSET
    password: str | Unset | None = UNSET
    project_url: str | Unset | None = UNSET
    issues_url: str | Unset | None = UNSET
    new_issue_url: str | Unset | None = UNSET
    title: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    enable_ssl_verification: bool | Unset | None = UNSET
    room: str | Unset | None = UNSET
    webhook: str | Unset | None = UNSET
    notify_only_broken_pipelines: bool | Unset | None = UNSET
    notify_only_default_branch: bool | Unset | None = UNSET
    drone_url: str | Unset | None = UNSET
    recipients: str | Unset | None = UNSET
    disable_diffs: bool | Unset | None = UNSET
    send_from_committer_email: bool | Unset | None = UNSET
    external_wiki_url: str | Unset | None = UNSET
    color: str | Unset | None = UNSET
    notify: bool | Unset | None = UNSET
    api_version: str | Unset | None = UNSET
    server: str | Unset | None = UNSET
    default_irc_uri: str | Unset | None = UNSET
    server_host: str | Unset | None = UNSET
    server_port: int | Unset | None = UNSET
    colorize_messages: bool | Unset | None = UNSET
    jenkins_url: str | Unset | None = UNSET
    project_name: str | Unset | None = UNSET
    multiproject_enabled: bool | Unset | None = UNSET
    pass_unstable: bool | Unset | None = UNSET
    url: str | Unset | None = UNSET
    api_url: str | Unset | None = UNSET
    project_key: str | Unset | None = UNSET
    jira_issue_transition_id: str | Unset | None = UNSET
    namespace: str | Unset | None = UNSET
    ca_pem: str | Unset | None = UNSET
    channel: str | Unset | None = UNSET
    push_channel: str | Unset | None = UNSET
    issue_channel: str | Unset | None = UNSET
    confidential_issue_channel: str | Unset | None = UNSET
    merge_request_channel: str | Unset | None = UNSET
    note_channel: str | Unset | None = UNSET
    tag_push_channel: str | Unset | None = UNSET
    pipeline_channel: str | Unset | None = UNSET
    wiki_page_channel: str | Unset | None = UNSET
    mock_service_url: str | Unset | None = UNSET
    add_pusher: bool | Unset | None = UNSET
    user_key: str | Unset | None = UNSET
    priority: int | Unset | None = UNSET
    device: str | Unset | None = UNSET
    sound: str | Unset | None = UNSET
    teamcity_url: str | Unset | None = UNSET
    build_type: str | Unset | None = UNSET
