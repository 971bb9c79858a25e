"""Checks that need more than one job: stages, dependencies, needs, stop actions. They keep the case of names."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from mujina.ci.language.config import FIRST_STAGE, LAST_STAGE, JobConfig, Need
from mujina.ci.language.keys.job import ReadJob
from mujina.ci.language.keys.parallel import instance_name
from mujina.ci.language.keys.policies import split_ref
from mujina.ci.language.patterns.regular_expressions import is_pattern, pattern_problem
from mujina.ci.language.problems import MAX_SENTENCE, Findings
from mujina.ci.language.yaml.values import Mark


class CrossChecks:
    """The jobs of a configuration, each of which is checked against the others."""

    def __init__(self, stages: Sequence[str], jobs: Sequence[ReadJob], marks: Mapping[str, Mark]) -> None:
        self._stages = {stage: index for index, stage in enumerate(stages)}
        own = [stage for stage in stages if stage not in (FIRST_STAGE, LAST_STAGE)]
        self._stages_sentence = f"stage parameter should be {', '.join(own)}"[:MAX_SENTENCE]
        self._jobs = {read.job.name: read.job for read in jobs}
        self._marks = marks
        self._names = {
            instance_name(read.job.name, instance): read.job for read in jobs for instance in read.instances or []
        } | self._jobs

    def check(self, findings: Findings) -> None:
        """Check each job, in the order of the file."""
        for job in self._jobs.values():
            for problem in (*self._stage(job), *self._dependencies(job), *self._needs(job), *self._stop(job)):
                findings.error(f"{job.name} job: {problem}", self._marks.get(job.name))
            for problem in _patterns(job):
                findings.error(f"{job.name} job: {problem}", self._marks.get(job.name))
        self._check_cycles(findings)

    def _stage(self, job: JobConfig) -> list[str]:
        return [] if job.stage in self._stages else [self._stages_sentence]

    def _dependencies(self, job: JobConfig) -> list[str]:
        problems: list[str] = []
        for name in job.dependencies or []:
            other = self._names.get(name)
            if other is None:
                problems.append(f"undefined dependency: {name}")
            elif job.needs is None and not self._before(other, job):
                problems.append(f"dependency {name} is not defined in prior stages")
            elif job.needs is not None and all(need.job not in (name, other.name) for need in job.needs):
                problems.append(f"dependency {name} should be part of needs")
        return problems

    def _needs(self, job: JobConfig) -> list[str]:
        of_rules = [need for rule in job.rules or [] for need in rule.needs or []]
        problems: list[str] = []
        for need in [*(job.needs or []), *of_rules]:
            other = self._needed(need)
            if other is None:
                if not (need.optional or need.project):
                    problems.append(f"undefined need: {need.job}")
            elif other.name == job.name or self._index(other) > self._index(job):
                problems.append(f"need {need.job} is not defined in current or prior stages")
        return problems

    def _check_cycles(self, findings: Findings) -> None:
        """Add an error if jobs of one stage wait for each other."""
        graph = {
            job.name: {other.name for need in job.needs or [] if (other := self._needed(need)) is not None}
            for job in self._jobs.values()
        }
        try:
            TopologicalSorter({name: needed - {name} for name, needed in graph.items()}).prepare()
        except CycleError as cycle:
            names: list[str] = cycle.args[1]
            first = next(name for name in self._jobs if name in names)
            findings.error(f"{first} job: needs form a cycle", self._marks.get(first))

    def _needed(self, need: Need) -> JobConfig | None:
        """The job of this file that is needed."""
        return None if need.project else self._names.get(need.job)

    def _stop(self, job: JobConfig) -> list[str]:
        name = job.environment.on_stop if job.environment else None
        if name is None or job.environment is None:
            return []
        other = self._jobs.get(name)
        if other is None:
            return [f"on_stop job {name} is not defined"]
        if other.environment is None:
            return [f"on_stop job {name} does not have environment defined"]
        if other.environment.name != job.environment.name:
            return [f"on_stop job {name} have different environment name"]
        return [] if other.environment.action == "stop" else [f"on_stop job {name} needs to have action stop defined"]

    def _before(self, other: JobConfig, job: JobConfig) -> bool:
        return self._index(other) < self._index(job)

    def _index(self, job: JobConfig) -> int:
        return self._stages.get(job.stage, -1)


def _patterns(job: JobConfig) -> list[str]:
    """The patterns of a job that RE2 refuses."""
    refs = [("only", entry) for entry in (job.only.refs if job.only else None) or []]
    refs += [("except", entry) for entry in (job.except_.refs if job.except_ else None) or []]
    used = [(key, split_ref(entry)[0]) for key, entry in refs]
    if job.coverage is not None:
        used.append(("coverage", job.coverage))
    problems = [(key, text, pattern_problem(text)) for key, text in used if is_pattern(text)]
    return [f"{key} pattern '{text}' is not valid: {problem}" for key, text, problem in problems if problem]
