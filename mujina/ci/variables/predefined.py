"""The variables that every job has without anyone setting them."""

from typing import Annotated, Final
from urllib.parse import quote, urlsplit

from mujina.ci.variables.values import JobVariable, named, ref_slug, secret
from mujina.instance.editions.rules import LOWEST_EDITION, has_feature
from mujina.kernel import build
from mujina.kernel.db.rows import Row
from mujina.kernel.urls import api, web
from mujina.settings import Settings

SERVER_NAME: Final = "Mujina"
TOKEN_USER: Final = "gitlab-ci-token"  # noqa: S105 - the name with which a job's token is sent
DEFAULT_CONFIG_PATH: Final = ".gitlab-ci.yml"
ZERO: Final = "0" * 40


class VariableProject(Row, alias="p"):
    """What the variables say about the project (`p`) with its path (`r`)."""

    id: int
    namespace_id: int
    name: str
    path: str
    full_path: Annotated[str, "r.path"]
    visibility: str
    default_branch: str | None
    ci_config_path: str | None


class VariablePipeline(Row, alias="pl"):
    """What the variables say about the pipeline. One that is not stored yet has no number."""

    ref: str
    tag: bool
    sha: str
    source: str
    protected: bool
    before_sha: str | None = None
    merge_request_id: int | None = None
    id: int | None = None
    iid: int | None = None


class VariableUser(Row, alias="u"):
    id: int
    email: str
    username: str
    name: str


class VariableMergeRequest(Row, alias="mr"):
    id: int
    iid: int
    title: str
    project_id: int
    source_project_id: int | None
    source_branch: str
    target_branch: str

    @property
    def forked(self) -> bool:
        """Whether its commits come from another project, or from one that is gone."""
        return self.source_project_id != self.project_id


def server(settings: Settings) -> list[JobVariable]:
    address = urlsplit(web("/"))
    version = settings.api_version_text
    return named(
        {
            "CI": "true",
            "GITLAB_CI": "true",
            "GITLAB_FEATURES": ",".join(sorted(feature for feature in LOWEST_EDITION if has_feature(feature))),
            "CI_SERVER_NAME": SERVER_NAME,
            "CI_SERVER_VERSION": version,
            "CI_SERVER_REVISION": build.REVISION,
            "CI_SERVER_URL": web(""),
            "CI_SERVER_HOST": address.hostname or "localhost",
            "CI_SERVER_PROTOCOL": address.scheme,
            "CI_SERVER_PORT": address.port or {"https": 443}.get(address.scheme, 80),
            "CI_API_V4_URL": api(""),
        }
    )


def commit(pipeline: VariablePipeline, message: str) -> list[JobVariable]:
    """The commit and its ref, under today's names and those before them."""
    title, _, description = message.partition("\n")
    slug, before = ref_slug(pipeline.ref), pipeline.before_sha or ZERO
    of_merge_request = pipeline.merge_request_id is not None
    return named(
        {
            "CI_COMMIT_SHA": pipeline.sha,
            "CI_COMMIT_SHORT_SHA": pipeline.sha[:8],
            "CI_COMMIT_BEFORE_SHA": before,
            "CI_COMMIT_REF_NAME": pipeline.ref,
            "CI_COMMIT_REF_SLUG": slug,
            "CI_COMMIT_REF_PROTECTED": "true" if pipeline.protected else "false",
            "CI_COMMIT_TAG": pipeline.ref if pipeline.tag else None,
            "CI_COMMIT_BRANCH": None if pipeline.tag or of_merge_request else pipeline.ref,
            "CI_COMMIT_MESSAGE": message,
            "CI_COMMIT_TITLE": title.strip(),
            "CI_COMMIT_DESCRIPTION": description.strip(),
            "CI_PIPELINE_TRIGGERED": "true" if pipeline.source == "trigger" else None,
            "CI_BUILD_REF": pipeline.sha,
            "CI_BUILD_BEFORE_SHA": before,
            "CI_BUILD_REF_NAME": pipeline.ref,
            "CI_BUILD_REF_SLUG": slug,
            "CI_BUILD_TAG": pipeline.ref if pipeline.tag else None,
            "CI_BUILD_TRIGGERED": "true" if pipeline.source == "trigger" else None,
        }
    )


def job(job_id: int, name: str, stage: str, full_path: str, *, manual: bool, token: str) -> list[JobVariable]:
    """The job itself. Its token is in variables that are never printed."""
    played = "true" if manual else None
    numbered = named(
        {
            "CI_JOB_ID": job_id,
            "CI_JOB_NAME": name,
            "CI_JOB_STAGE": stage,
            "CI_JOB_MANUAL": played,
            "CI_JOB_URL": web(f"/{full_path}/-/jobs/{job_id}"),
            "CI_BUILD_ID": job_id,
            "CI_BUILD_NAME": name,
            "CI_BUILD_STAGE": stage,
            "CI_BUILD_MANUAL": played,
            "CI_REGISTRY_USER": TOKEN_USER,
        }
    )
    tokens = ("CI_JOB_TOKEN", "CI_BUILD_TOKEN", "CI_REGISTRY_PASSWORD")
    return [*numbered, *secret({**dict.fromkeys(tokens, token), "CI_REPOSITORY_URL": repository_url(full_path, token)})]


def repository_url(full_path: str, token: str) -> str:
    """The address from which a job clones, with its token."""
    scheme, _, rest = web(f"/{full_path}.git").partition("://")
    return f"{scheme}://{TOKEN_USER}:{quote(token, safe='')}@{rest}"


def project(facts: VariableProject) -> list[JobVariable]:
    namespace = facts.full_path.rpartition("/")[0]
    return named(
        {
            "CI_PROJECT_ID": facts.id,
            "CI_PROJECT_NAME": facts.path,
            "CI_PROJECT_TITLE": facts.name,
            "CI_PROJECT_PATH": facts.full_path,
            "CI_PROJECT_PATH_SLUG": ref_slug(facts.full_path),
            "CI_PROJECT_NAMESPACE": namespace,
            "CI_PROJECT_ROOT_NAMESPACE": namespace.partition("/")[0],
            "CI_PROJECT_URL": web(f"/{facts.full_path}"),
            "CI_PROJECT_VISIBILITY": facts.visibility,
            "CI_DEFAULT_BRANCH": facts.default_branch or "",
            "CI_CONFIG_PATH": facts.ci_config_path or DEFAULT_CONFIG_PATH,
        }
    )


def pipeline(facts: VariablePipeline, full_path: str) -> list[JobVariable]:
    return named(
        {
            "CI_PIPELINE_ID": facts.id,
            "CI_PIPELINE_IID": facts.iid,
            "CI_PIPELINE_SOURCE": facts.source,
            "CI_PIPELINE_URL": None if facts.id is None else web(f"/{full_path}/pipelines/{facts.id}"),
        }
    )


def merge_request(facts: VariableMergeRequest, target_path: str) -> list[JobVariable]:
    return named(
        {
            "CI_MERGE_REQUEST_ID": facts.id,
            "CI_MERGE_REQUEST_IID": facts.iid,
            "CI_MERGE_REQUEST_TITLE": facts.title,
            "CI_MERGE_REQUEST_PROJECT_ID": facts.project_id,
            "CI_MERGE_REQUEST_PROJECT_PATH": target_path,
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": facts.source_project_id,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": facts.source_branch,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": facts.target_branch,
        }
    )


def user(facts: VariableUser | None) -> list[JobVariable]:
    if facts is None:
        return []
    return named(
        {
            "GITLAB_USER_ID": facts.id,
            "GITLAB_USER_EMAIL": facts.email,
            "GITLAB_USER_LOGIN": facts.username,
            "GITLAB_USER_NAME": facts.name,
        }
    )
