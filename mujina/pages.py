"""Every HTML page, in one table: the modules whose pages are served."""

from mujina.accounts.credentials import pages as token_pages
from mujina.accounts.emails import pages as email_pages
from mujina.accounts.gpg_keys import pages as gpg_key_pages
from mujina.accounts.keys import pages as key_pages
from mujina.accounts.mail_links import pages as mail_link_pages
from mujina.accounts.oauth import endpoints as oauth_endpoints
from mujina.accounts.oauth import openid_endpoints
from mujina.accounts.oauth import pages as oauth_pages
from mujina.accounts.registration import pages as registration_pages
from mujina.accounts.sessions import pages as session_pages
from mujina.accounts.two_factor import pages as two_factor_pages
from mujina.accounts.users import pages as user_pages
from mujina.activity.audit import pages as audit_pages
from mujina.activity.completion import pages as completion_pages
from mujina.activity.dashboard import pages as dashboard_pages
from mujina.activity.events import pages as event_pages
from mujina.activity.explore import pages as explore_pages
from mujina.activity.profiles import pages as profile_pages
from mujina.activity.search import pages as search_pages
from mujina.administration.applications import pages as application_pages
from mujina.administration.audit_events import pages as audit_event_pages
from mujina.administration.deploy_keys import pages as all_deploy_key_pages
from mujina.administration.email import pages as mail_pages
from mujina.administration.groups import pages as group_administration_pages
from mujina.administration.overview import pages as overview_pages
from mujina.administration.projects import pages as project_administration_pages
from mujina.administration.push_rule import pages as default_push_rule_pages
from mujina.administration.user_access import pages as user_access_pages
from mujina.administration.users import pages as user_administration_pages
from mujina.code.blame import pages as blame_pages
from mujina.code.branches import pages as branch_pages
from mujina.code.commits import pages as commit_pages
from mujina.code.editor import pages as editor_pages
from mujina.code.files import pages as file_pages
from mujina.code.forks import pages as fork_pages
from mujina.code.new_projects import pages as new_project_pages
from mujina.code.repositories import pages as repository_pages
from mujina.code.repository_settings import pages as repository_settings_pages
from mujina.code.snippets import pages as snippet_pages
from mujina.code.tags import pages as tag_pages
from mujina.code.wikis import pages as wiki_pages
from mujina.instance.application_settings import pages as application_settings_pages
from mujina.instance.broadcast_messages import pages as broadcast_pages
from mujina.instance.help import pages as help_pages
from mujina.integrations.hooks import pages as hook_pages
from mujina.integrations.notifications import pages as notification_pages
from mujina.integrations.sidekiq import pages as background_job_pages
from mujina.kernel.pages import pages_of
from mujina.planning.boards import pages as board_pages
from mujina.planning.commit_comments import pages as commit_comment_pages
from mujina.planning.epic_issues import pages as epic_issue_pages
from mujina.planning.epics import pages as epic_pages
from mujina.planning.issue_links import pages as issue_link_pages
from mujina.planning.issue_lists import pages as issue_list_pages
from mujina.planning.issues import pages as issue_pages
from mujina.planning.labels import pages as label_pages
from mujina.planning.milestones import pages as milestone_pages
from mujina.planning.notes import pages as note_pages
from mujina.planning.snippet_comments import pages as snippet_comment_pages
from mujina.planning.todos import pages as todo_pages
from mujina.replication.nodes import pages as node_pages
from mujina.replication.sign_in import pages as secondary_sign_in_pages
from mujina.replication.statuses import pages as node_status_pages
from mujina.review.approvals import pages as approval_pages
from mujina.review.discussions import pages as review_discussion_pages
from mujina.review.follow_ups import pages as follow_up_pages
from mujina.review.merge_requests import pages as merge_request_pages
from mujina.review.merging import pages as merging_pages
from mujina.review.participation import pages as participation_pages
from mujina.review.time_tracking import pages as review_time_pages
from mujina.review.versions import pages as version_pages
from mujina.workspaces.group_settings import pages as group_settings_pages
from mujina.workspaces.groups import pages as group_pages
from mujina.workspaces.invitations import pages as invitation_pages
from mujina.workspaces.ldap_groups import pages as ldap_group_pages
from mujina.workspaces.members import pages as member_pages
from mujina.workspaces.new_groups import pages as new_group_pages
from mujina.workspaces.notification_settings import pages as notification_settings_pages
from mujina.workspaces.project_settings import pages as project_settings_pages

PAGES = pages_of(
    [
        dashboard_pages,
        explore_pages,
        search_pages,
        registration_pages,
        session_pages,
        mail_link_pages,
        user_pages,
        email_pages,
        key_pages,
        token_pages,
        two_factor_pages,
        oauth_pages,
        oauth_endpoints,
        openid_endpoints,
        new_project_pages,
        new_group_pages,
        secondary_sign_in_pages,
        group_pages,
        notification_pages,
        repository_pages,
        file_pages,
        blame_pages,
        editor_pages,
        commit_pages,
        commit_comment_pages,
        branch_pages,
        tag_pages,
        fork_pages,
        wiki_pages,
        issue_pages,
        issue_link_pages,
        note_pages,
        completion_pages,
        overview_pages,
        user_administration_pages,
        user_access_pages,
        background_job_pages,
        group_administration_pages,
        project_administration_pages,
        application_settings_pages,
        broadcast_pages,
        application_pages,
        all_deploy_key_pages,
        default_push_rule_pages,
        audit_event_pages,
        mail_pages,
        node_status_pages,
        node_pages,
        event_pages,
        merge_request_pages,
        version_pages,
        review_discussion_pages,
        merging_pages,
        approval_pages,
        participation_pages,
        review_time_pages,
        follow_up_pages,
        snippet_pages,
        snippet_comment_pages,
        project_settings_pages,
        repository_settings_pages,
        hook_pages,
        audit_pages,
        group_settings_pages,
        ldap_group_pages,
        label_pages,
        milestone_pages,
        board_pages,
        member_pages,
        invitation_pages,
        gpg_key_pages,
        notification_settings_pages,
        todo_pages,
        help_pages,
        epic_pages,
        epic_issue_pages,
        issue_list_pages,
        profile_pages,
    ]
)
