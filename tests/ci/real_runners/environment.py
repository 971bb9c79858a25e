"""The variables of the job `check` of the story, as `docs/ci-variables.md` describes them."""

from typing import Any

TOKENS = {
    **dict.fromkeys(("CI_JOB_TOKEN", "CI_BUILD_TOKEN", "CI_REGISTRY_PASSWORD"), "{token}"),
    "CI_REPOSITORY_URL": "http://gitlab-ci-token:{token}@127.0.0.1:8000/root/story.git",
}
"""Variables that contain the token of the job: a trace shows an `x` for each of their characters."""


def expected_environment(story: Any, job: Any) -> dict[str, str]:
    """Every other variable with its value."""
    runner = story.client.runners.get(job.runner["id"])
    [environment] = story.project.environments.list(get_all=True)
    return {
        **_server(story.client, story.server.url),
        **_job(job),
        **_commit(story.sha, story.message),
        **_project(story.client.projects.get(story.project.id)),
        **_pipeline(story.project.pipelines.get(job.pipeline["id"])),
        "CI_RUNNER_ID": str(runner.id), "CI_RUNNER_DESCRIPTION": "story", "CI_RUNNER_TAGS": ", ".join(runner.tag_list),
        "FF_TIMESTAMPS": "false", "GITLAB_PYTHON_RUNNER_COMPUTED": "yes", "OF_THE_JOB": "1",
        **_user(story.client),
        "GATES": str(story.gates), "LEVEL": "of-the-project",
        "CI_ENVIRONMENT_NAME": "review/master", "CI_ENVIRONMENT_SLUG": environment.slug,
        "CI_ENVIRONMENT_URL": f"https://{environment.slug}.example.com",
    }  # fmt: skip


def _server(client: Any, url: str) -> dict[str, str]:
    version, revision = client.version()
    return {
        "CI": "true", "GITLAB_CI": "true", "CI_SERVER_NAME": "Mujina", "CI_SERVER_VERSION": version,
        "CI_SERVER_REVISION": revision, "CI_SERVER_URL": url, "CI_SERVER_HOST": "127.0.0.1", "CI_SERVER_PROTOCOL": "http",
        "CI_SERVER_PORT": "8000", "CI_API_V4_URL": f"{url}/api/v4",
        "GITLAB_FEATURES": "epics,issue_weights,ldap_groups,push_rules,replication,several_assignees",
    }  # fmt: skip


def _job(job: Any) -> dict[str, str]:
    return {
        "CI_JOB_ID": str(job.id), "CI_JOB_NAME": "check", "CI_JOB_STAGE": "test", "CI_JOB_URL": job.web_url,
        "CI_BUILD_ID": str(job.id), "CI_BUILD_NAME": "check", "CI_BUILD_STAGE": "test",
        "CI_REGISTRY_USER": "gitlab-ci-token",
    }  # fmt: skip


def _commit(sha: str, message: str) -> dict[str, str]:
    return {
        "CI_COMMIT_SHA": sha, "CI_COMMIT_SHORT_SHA": sha[:8], "CI_COMMIT_BEFORE_SHA": "0" * 40,
        "CI_COMMIT_REF_NAME": "master", "CI_COMMIT_REF_SLUG": "master", "CI_COMMIT_REF_PROTECTED": "true",
        "CI_COMMIT_BRANCH": "master", "CI_COMMIT_MESSAGE": message, "CI_COMMIT_TITLE": message,
        "CI_COMMIT_DESCRIPTION": "",
        "CI_BUILD_REF": sha, "CI_BUILD_BEFORE_SHA": "0" * 40, "CI_BUILD_REF_NAME": "master", "CI_BUILD_REF_SLUG": "master",
    }  # fmt: skip


def _project(project: Any) -> dict[str, str]:
    return {
        "CI_PROJECT_ID": str(project.id), "CI_PROJECT_NAME": "story", "CI_PROJECT_TITLE": "story",
        "CI_PROJECT_PATH": "root/story", "CI_PROJECT_PATH_SLUG": "root-story", "CI_PROJECT_NAMESPACE": "root",
        "CI_PROJECT_ROOT_NAMESPACE": "root", "CI_PROJECT_URL": project.web_url, "CI_PROJECT_VISIBILITY": "private",
        "CI_DEFAULT_BRANCH": "master", "CI_CONFIG_PATH": ".gitlab-ci.yml",
    }  # fmt: skip


def _pipeline(pipeline: Any) -> dict[str, str]:
    return {
        "CI_PIPELINE_ID": str(pipeline.id), "CI_PIPELINE_IID": "1", "CI_PIPELINE_SOURCE": "push",
        "CI_PIPELINE_URL": pipeline.web_url,
    }  # fmt: skip


def _user(client: Any) -> dict[str, str]:
    client.auth()
    user = client.user
    return {
        "GITLAB_USER_ID": str(user.id), "GITLAB_USER_EMAIL": user.email, "GITLAB_USER_LOGIN": "root",
        "GITLAB_USER_NAME": user.name,
    }  # fmt: skip
