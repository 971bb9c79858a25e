"""A CI file as a value: what its jobs, rules and policies say, checked and with defaults filled in."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

DEFAULT_STAGES: Final = ("build", "test", "deploy")
FIRST_STAGE, LAST_STAGE = ".pre", ".post"
"""Stages that every configuration has, before and after its own."""

Opaque = Mapping[str, Any]
"""Keys that are kept as they are written, for the runner or for later."""


class ContainerImage(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    entrypoint: list[str] | None = None
    options: Opaque = {}


class ServiceContainer(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    alias: str | None = None
    command: list[str] | None = None
    entrypoint: list[str] | None = None
    options: Opaque = {}
    variables: dict[str, str] = {}


class FileVariable(msgspec.Struct, frozen=True, omit_defaults=True):
    """A variable that the CI file sets."""

    value: str
    description: str | None = None
    options: list[str] | None = None
    expand: bool = True


class CacheEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    key: str = "default"
    key_files: list[str] = []
    key_prefix: str | None = None
    fallback_keys: list[str] = []
    untracked: bool = False
    paths: list[str] = []
    policy: str = "pull-push"
    when: str = "on_success"


class ArtifactsEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str | None = None
    untracked: bool = False
    paths: list[str] = []
    exclude: list[str] = []
    when: str = "on_success"
    expire_in: str | None = None
    """As it is written: the runner sends it back."""
    expose_as: str | None = None
    access: str = "all"
    """Who may download them: all | developer | maintainer | none."""
    reports: dict[str, list[str]] = {}
    """The paths of the files of each kind of report."""


class RefPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """`only` or `except`. A part that is None is not given."""

    refs: list[str] | None = None
    kubernetes: bool = False
    variables: list[str] | None = None
    """Expressions, of which one has to hold."""
    changes: list[str] | None = None
    """Patterns of paths, of which one has to match a changed file."""


class JobRule(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `rules`: its conditions, and what holds if all of them do."""

    condition: str | None = None
    changes: list[str] | None = None
    compare_to: str | None = None
    exists: list[str] | None = None
    when: str | None = None
    start_in: int | None = None
    allow_failure: bool | None = None
    variables: dict[str, FileVariable] = {}
    needs: "list[Need] | None" = None
    interruptible: bool | None = None
    auto_cancel: "AutoCancel | None" = None
    """What a rule of the workflow sets in place of what the workflow says."""


class AutoCancel(msgspec.Struct, frozen=True):
    """Which jobs are canceled without anyone asking. None: as the project says."""

    on_new_commit: str | None = None
    on_job_failure: str | None = None


class Workflow(msgspec.Struct, frozen=True):
    """Whether there is a pipeline at all."""

    rules: list[JobRule] | None = None
    name: str | None = None
    """Not expanded: it may contain variables."""
    auto_cancel: AutoCancel = AutoCancel()


class JobEnvironment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    """Not expanded: it may contain variables."""
    url: str | None = None
    on_stop: str | None = None
    action: str = "start"
    auto_stop_in: int | None = None
    deployment_tier: str | None = None


class Need(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    job: str
    artifacts: bool = True
    optional: bool = False
    project: str | None = None
    """Another project whose newest artifacts of the job at `ref` are fetched."""
    ref: str | None = None
    instances: list[dict[str, str]] | None = None
    """Only these instances of a job with a matrix."""


class RetryPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    max: int = 0
    when: tuple[str, ...] = ("always",)
    exit_codes: list[int] = []


class Parallel(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which instance of a parallel job this is."""

    index: int
    total: int
    variables: dict[str, str] = {}
    """The values of the matrix."""


class JobConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job of the CI file, after `extends`, `default` and `parallel`."""

    name: str
    stage: str = "test"
    base_name: str
    """The key in the file: the instances of a parallel job share it."""
    parallel: Parallel | None = None
    script: list[str] = []
    before_script: list[str] = []
    after_script: list[str] = []
    image: ContainerImage | None = None
    services: list[ServiceContainer] = []
    variables: dict[str, FileVariable] = {}
    """Those of the whole file with those of the job over them."""
    tags: list[str] = []
    when: str = "on_success"
    start_in: int | None = None
    allow_failure: bool = False
    allow_failure_exit_codes: list[int] = []
    retry: RetryPolicy = RetryPolicy()
    only: RefPolicy | None = None
    except_: RefPolicy | None = None
    rules: list[JobRule] | None = None
    needs: list[Need] | None = None
    dependencies: list[str] | None = None
    """None: all jobs of earlier stages."""
    artifacts: ArtifactsEntry | None = None
    caches: list[CacheEntry] = []
    environment: JobEnvironment | None = None
    coverage: str | None = None
    """The pattern, between its slashes."""
    timeout: int | None = None
    interruptible: bool = False
    resource_group: str | None = None
    release: Opaque = {}
    hooks: Opaque = {}
    pages: bool = False
    """Whether its artifacts are the web site of the project."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A checked CI file."""

    stages: list[str]
    variables: dict[str, FileVariable] = {}
    workflow: Workflow = Workflow()
    jobs: list[JobConfig] = []

    @property
    def rules(self) -> list[JobRule]:
        """Those of the workflow and of all jobs."""
        return [*(self.workflow.rules or []), *(rule for job in self.jobs for rule in job.rules or [])]
