"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.credentials.rules import JOB_ACTORS
from mujina.ci.jobs.credentials import find_job_actor
from mujina.ci.pipelines.merge_requests import SOURCE_JOBS_ENABLED, enqueue_pipeline_of_request
from mujina.ci.pipelines.reactions import JOBS_ENABLED, enqueue_pipelines_of_push
from mujina.kernel.events import REACTIONS, Reactions, When
from mujina.kernel.product import Chapter

_REACTIONS: Final[Reactions] = {
    "merge_request.created": [When(SOURCE_JOBS_ENABLED, enqueue_pipeline_of_request)],
    "merge_request.pushed": [When(SOURCE_JOBS_ENABLED, enqueue_pipeline_of_request)],
    "repository.pushed": [When(JOBS_ENABLED, enqueue_pipelines_of_push)],
}

CHAPTER: Final = Chapter("mujina.ci", REACTIONS.of(_REACTIONS), JOB_ACTORS.of(find_job_actor))
