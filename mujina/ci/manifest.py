"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.credentials.rules import JOB_ACTORS
from mujina.ci.artifacts.operations import ARTIFACT_FILES, remove_pipeline_files, remove_project_files
from mujina.ci.environments.operations import ensure_of_job
from mujina.ci.environments.reactions import HAS_AVAILABLE, HAS_DEPLOYED, HAS_ENVIRONMENT, stop_after_deletion
from mujina.ci.jobs.credentials import find_job_actor
from mujina.ci.pipelines.reactions import (
    JOBS_ENABLED,
    PIPELINE_DUE,
    SOURCE_JOBS_ENABLED,
    enqueue_pipeline_of_request,
    enqueue_pipelines_of_push,
)
from mujina.ci.releases.operations import HAS_RELEASE
from mujina.ci.sites import operations as sites
from mujina.ci.traces.operations import HAS_COVERAGE, enqueue_archiving
from mujina.kernel.deferred_imports import function
from mujina.kernel.events import REACTIONS, EnqueueJob, Reactions, When
from mujina.kernel.http.applications import SITE_CERTIFICATES, SITES
from mujina.kernel.product import Chapter
from mujina.planning.storage.files import STORED_FILES
from mujina.review.merge_requests.head_pipelines import DUE_PIPELINES
from mujina.workspaces.projects.removing.with_owner import PROJECT_FILES

_REACTIONS: Final[Reactions] = {
    "job.created": [When(HAS_ENVIRONMENT, ensure_of_job, changes=("environment",))],
    "job.updated": [
        enqueue_archiving,
        When(HAS_COVERAGE, EnqueueJob("traces.read_coverage")),
        When(HAS_DEPLOYED, EnqueueJob("deployments.record")),
        When(HAS_RELEASE, EnqueueJob("releases.create")),
        When(sites.HAS_SITE, EnqueueJob("sites.publish")),
    ],
    "merge_request.created": [When(SOURCE_JOBS_ENABLED, enqueue_pipeline_of_request)],
    "merge_request.pushed": [When(SOURCE_JOBS_ENABLED, enqueue_pipeline_of_request)],
    "pipeline.deleted": [remove_pipeline_files],
    "repository.pushed": [When(JOBS_ENABLED, enqueue_pipelines_of_push), When(HAS_AVAILABLE, stop_after_deletion)],
}

CHAPTER: Final = Chapter(
    "mujina.ci", REACTIONS.of(_REACTIONS), JOB_ACTORS.of(find_job_actor),
    PROJECT_FILES.of(remove_project_files, sites.remove_project_files),
    DUE_PIPELINES.of(PIPELINE_DUE),
    STORED_FILES.of(ARTIFACT_FILES, sites.SITE_FILES), SITES.of(function("mujina.ci.sites.serving.application", "SiteApplication")),
    SITE_CERTIFICATES.of(function("mujina.ci.sites.serving.certificates", "SiteCertificates")),
)  # fmt: skip
