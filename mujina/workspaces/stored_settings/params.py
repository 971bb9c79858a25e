"""Settings of projects and groups that are stored and shown, and have no meaning here.

Programs that compare what they read with what they wrote, such as Terraform, send them. Their names and types are declared
here once; an object shows those that a user has set on it.
"""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Texts, Unset

FeatureLevel = Literal["disabled", "private", "enabled"]


class StoredProjectSettings(Params):
    allow_merge_on_skipped_pipeline: bool | Unset = UNSET
    allow_pipeline_trigger_approve_deployment: bool | Unset = UNSET
    analytics_access_level: FeatureLevel | Unset = UNSET
    auto_devops_deploy_strategy: Literal["continuous", "manual", "timed_incremental"] | Unset = UNSET
    auto_devops_enabled: bool | Unset = UNSET
    autoclose_referenced_issues: bool | Unset = UNSET
    ci_allow_fork_pipelines_to_run_in_parent_project: bool | Unset = UNSET
    ci_delete_pipelines_in_seconds: int | Unset = UNSET
    ci_forward_deployment_enabled: bool | Unset = UNSET
    ci_forward_deployment_rollback_allowed: bool | Unset = UNSET
    ci_id_token_sub_claim_components: Texts | Unset = UNSET
    ci_pipeline_variables_minimum_override_role: str | Unset = UNSET
    ci_push_repository_for_job_token_allowed: bool | Unset = UNSET
    ci_restrict_pipeline_cancellation_role: str | Unset = UNSET
    ci_separated_caches: bool | Unset = UNSET
    emails_disabled: bool | Unset = UNSET
    emails_enabled: bool | Unset = UNSET
    enforce_auth_checks_on_uploads: bool | Unset = UNSET
    environments_access_level: FeatureLevel | Unset = UNSET
    external_authorization_classification_label: str | Unset = UNSET
    feature_flags_access_level: FeatureLevel | Unset = UNSET
    forking_access_level: FeatureLevel | Unset = UNSET
    group_runners_enabled: bool | Unset = UNSET
    infrastructure_access_level: FeatureLevel | Unset = UNSET
    issue_branch_template: str | Unset = UNSET
    issues_template: str | Unset = UNSET
    max_artifacts_size: int | Unset = UNSET
    merge_commit_template: str | Unset = UNSET
    merge_pipelines_enabled: bool | Unset = UNSET
    merge_requests_template: str | Unset = UNSET
    merge_trains_enabled: bool | Unset = UNSET
    merge_trains_skip_train_allowed: bool | Unset = UNSET
    mirror_overwrites_diverged_branches: bool | Unset = UNSET
    mirror_trigger_builds: bool | Unset = UNSET
    model_experiments_access_level: FeatureLevel | Unset = UNSET
    model_registry_access_level: FeatureLevel | Unset = UNSET
    monitor_access_level: FeatureLevel | Unset = UNSET
    mr_default_target_self: bool | Unset = UNSET
    only_mirror_protected_branches: bool | Unset = UNSET
    package_registry_access_level: Literal["disabled", "private", "enabled", "public"] | Unset = UNSET
    packages_enabled: bool | Unset = UNSET
    pre_receive_secret_detection_enabled: bool | Unset = UNSET
    prevent_merge_without_jira_issue: bool | Unset = UNSET
    releases_access_level: FeatureLevel | Unset = UNSET
    remove_source_branch_after_merge: bool | Unset = UNSET
    repository_access_level: FeatureLevel | Unset = UNSET
    requirements_access_level: FeatureLevel | Unset = UNSET
    resource_group_default_process_mode: str | Unset = UNSET
    restrict_user_defined_variables: bool | Unset = UNSET
    security_and_compliance_access_level: FeatureLevel | Unset = UNSET
    service_desk_enabled: bool | Unset = UNSET
    show_default_award_emojis: bool | Unset = UNSET
    squash_commit_template: str | Unset = UNSET
    squash_option: Literal["never", "always", "default_on", "default_off"] | Unset = UNSET
    suggestion_commit_message: str | Unset = UNSET
    warn_about_potentially_unwanted_characters: bool | Unset = UNSET


class StoredGroupSettings(Params):
    allowed_email_domains_list: str | Unset = UNSET
    auto_devops_enabled: bool | Unset = UNSET
    default_branch: str | Unset = UNSET
    default_branch_protection: Literal[0, 1, 2, 3, 4] | Unset = UNSET
    emails_disabled: bool | Unset = UNSET
    emails_enabled: bool | Unset = UNSET
    extra_shared_runners_minutes_limit: int | Unset = UNSET
    ip_restriction_ranges: str | Unset = UNSET
    max_artifacts_size: int | Unset = UNSET
    mentions_disabled: bool | Unset = UNSET
    prevent_forking_outside_group: bool | Unset = UNSET
    prevent_sharing_groups_outside_hierarchy: bool | Unset = UNSET
    project_creation_level: Literal["noone", "owner", "maintainer", "developer", "administrator"] | Unset = UNSET
    require_two_factor_authentication: bool | Unset = UNSET
    shared_runners_setting: (
        Literal["enabled", "disabled_and_overridable", "disabled_and_unoverridable", "disabled_with_override"] | Unset
    ) = UNSET
    subgroup_creation_level: Literal["owner", "maintainer"] | Unset = UNSET
    two_factor_grace_period: int | Unset = UNSET
    wiki_access_level: FeatureLevel | Unset = UNSET
