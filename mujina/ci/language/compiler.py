"""From the bytes of a CI file to a checked configuration.

parsed = parse_file(content)                               the YAML, and which files it includes
missing = missing_files(parsed, files.get, context)        what the caller reads next, until nothing is missing
compiled = compile_config(parsed, files.get, context)      include → extends → references → shape → cross checks

All are pure: the caller reads the included files in between.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from mujina.ci.language.composition.extends import expand_extends
from mujina.ci.language.composition.includes import IncludedFile, IncludeTree, ParsedFile, ReadFile, read_inclusions
from mujina.ci.language.composition.inputs import insert_inputs, read_inputs
from mujina.ci.language.composition.references import expand_references
from mujina.ci.language.config import (
    DEFAULT_STAGES,
    FIRST_STAGE,
    LAST_STAGE,
    Config,
    FileVariable,
    JobConfig,
    Workflow,
)
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.cross_checks import CrossChecks
from mujina.ci.language.keys.caches import read_caches
from mujina.ci.language.keys.defaults import GLOBAL_DEFAULTS, SharedKeys, read_default, read_global_defaults
from mujina.ci.language.keys.job import ReadJob, read_job
from mujina.ci.language.keys.job_rules import read_workflow
from mujina.ci.language.keys.parallel import expand_parallel
from mujina.ci.language.problems import ConfigProblem, ConfigSection, Findings, Location
from mujina.ci.language.variables import read_variables
from mujina.ci.language.yaml.reader import InvalidYaml, read_yaml
from mujina.ci.language.yaml.values import Map, Mark, TooManyValues, Value, check_size, is_blank

GLOBAL_KEYS: Final = (*GLOBAL_DEFAULTS, "variables", "stages", "types", "include", "default", "workflow")
MAX_JOBS: Final = 1_000
"""After `parallel`."""
MAX_VARIABLES: Final = 1_000
"""At the top of a file: every job has them."""
NO_CONTENT: Final = "Please provide content of .gitlab-ci.yml"
NO_INPUTS: Final = "The included file has no spec:inputs"
NOT_PUBLISHED: Final = "only a job called pages publishes a site, from its folder public"
NOT_A_MAP: Final = "Invalid configuration format"


NO_CONTEXT: Final = PipelineContext(ref="")


class CompiledConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of reading a CI file: the configuration if there are no errors."""

    config: Config | None
    errors: list[ConfigProblem]
    warnings: list[ConfigProblem]
    merged: Map | None = None
    """The file after `include`, `extends` and `!reference`; None if it cannot be read that far."""
    includes: list[IncludedFile] = []
    """The files that are part of it."""

    @property
    def valid(self) -> bool:
        return not self.errors


class _GlobalKeys(msgspec.Struct, frozen=True):
    defaults: SharedKeys
    variables: dict[str, FileVariable]
    stages: list[str]
    workflow: Workflow


def no_files(_: IncludedFile) -> ParsedFile | None:
    """Reads no included file: without a project there is none."""
    return None


def parse_file(content: bytes, file: str = "", inputs: Mapping[str, Value] | None = None) -> ParsedFile:
    """Read the YAML of a CI file, or of a file that it includes, with these inputs. Any bytes have a result."""
    findings = Findings()
    if not content.strip():
        if not file:
            findings.error(NO_CONTENT)
        return ParsedFile(None, [], findings)
    try:
        header, root = read_yaml(content, file)
    except InvalidYaml as invalid:
        findings.error(str(invalid), Mark(file, invalid.line))
        return ParsedFile(None, [], findings)
    if not isinstance(root, Map):
        if not file:
            findings.error(NOT_A_MAP, Mark("", 1))
        return ParsedFile(None, [], findings)
    try:
        root = _with_inputs(header, root, inputs or {}, findings)
    except TooManyValues as limit:
        findings.error(str(limit))
    return ParsedFile(root, read_inclusions(root, findings), findings)


def _with_inputs(header: Map | None, root: Map, given: Mapping[str, Value], findings: Findings) -> Map:
    """The file with its inputs inserted; without a header it has none."""
    if header is None:
        if given:
            findings.error(NO_INPUTS)
        return root
    inputs = read_inputs(header, given, findings)
    return root if findings.errors else insert_inputs(root, inputs, findings)


def missing_files(parsed: ParsedFile, read: ReadFile, context: PipelineContext = NO_CONTEXT) -> list[IncludedFile]:
    """The included files that are still to be read; those may include others."""
    tree = IncludeTree(read, context, Findings())
    tree.merge(parsed)
    return tree.missing


def compile_config(
    parsed: ParsedFile, read: ReadFile = no_files, context: PipelineContext = NO_CONTEXT
) -> CompiledConfig:
    """Check the file. There is a configuration if there are no errors.

    The context decides which conditions of `include` hold; everything else is left to `evaluate`.
    """
    findings = Findings(list(parsed.findings.errors), list(parsed.findings.warnings))
    merged: Map | None = None
    config: Config | None = None
    tree = IncludeTree(read, context, findings)
    try:
        merged = None if findings.errors or parsed.root is None else _merge(parsed, tree, findings)
        if merged is not None:
            config = _read_config(merged, findings)
    except TooManyValues as limit:
        findings.error(str(limit))
    return CompiledConfig(
        config=None if findings.errors else config, errors=findings.errors, warnings=findings.warnings, merged=merged,
        includes=list(tree.files),
    )  # fmt: skip


def _merge(parsed: ParsedFile, tree: IncludeTree, findings: Findings) -> Map | None:
    """The whole configuration as one mapping; None if a file, a base or a reference is missing."""
    root = tree.merge(parsed)
    check_size(root)
    if findings.errors:
        return None
    root = expand_extends(root, GLOBAL_KEYS, findings)
    check_size(root)
    if findings.errors:
        return None
    root = expand_references(root, findings)
    check_size(root)
    return None if findings.errors else root


def _read_config(root: Map, findings: Findings) -> Config:
    keys = _read_global_keys(ConfigSection(Location(findings, ()), root))
    jobs = _read_jobs(root, keys, findings)
    if not findings.errors:
        CrossChecks(keys.stages, jobs, root.marks).check(findings)
    expanded: list[JobConfig] = []
    for read in jobs:
        expanded += expand_parallel(read.job, read.instances)
        if len(expanded) > MAX_JOBS:
            findings.error(f"jobs config should have at most {MAX_JOBS} jobs")
            break
    _warn(expanded, root, findings)
    return Config(stages=keys.stages, variables=keys.variables, workflow=keys.workflow, jobs=expanded)


def _read_global_keys(root: ConfigSection) -> _GlobalKeys:
    """The keys at the top of the file, in the order in which their errors are shown."""
    defaults = read_global_defaults(root)
    variables = read_variables(root)
    if len(variables) > MAX_VARIABLES:
        root.at("variables").config_error(f"should have at most {MAX_VARIABLES} variables")
        variables = {}
    stages = _read_stages(root)
    defaults = msgspec.structs.replace(defaults, cache=read_caches(root))
    return _GlobalKeys(defaults.over(read_default(root)), variables, stages, read_workflow(root))


def _read_stages(root: ConfigSection) -> list[str]:
    """The stages in their order; `types` is the old word, and counts only without `stages`."""
    found: list[list[str]] = []
    for key in ("stages", "types"):
        value = root.get(key)
        if value is not None:
            found.append(root.at(key).texts(value))
    own = found[0] if found else DEFAULT_STAGES
    return list(dict.fromkeys([FIRST_STAGE, *(stage for stage in own if stage != LAST_STAGE), LAST_STAGE]))


def _read_jobs(root: Map, keys: _GlobalKeys, findings: Findings) -> list[ReadJob]:
    location = Location(findings, ("jobs",))
    names = [name for name in root if name not in GLOBAL_KEYS]
    visible = [name for name in names if not name.startswith(".")]
    if not visible:
        location.config_error("should contain at least one visible job")
    if len(visible) > MAX_JOBS:
        location.config_error(f"should have at most {MAX_JOBS} jobs")
        return []
    jobs: list[ReadJob] = []
    for name in names:
        at = location.below(root, name)
        if name.startswith("."):
            if is_blank(root[name]):
                at.config_error("can't be blank")
            continue
        if not name.strip():
            at.error("name can't be blank")
        job = read_job(at, root[name], keys.defaults, keys.variables)
        if job is not None:
            jobs.append(job)
    return jobs


def _warn(jobs: list[JobConfig], root: Map, findings: Findings) -> None:
    """Say which jobs do less than their author may expect."""
    for name in dict.fromkeys(job.base_name for job in jobs if job.pages and job.base_name != "pages"):
        findings.warn(f"{name} job: {NOT_PUBLISHED}", root.marks.get(name))
