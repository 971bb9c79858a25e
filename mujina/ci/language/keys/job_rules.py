"""`rules`, `workflow:rules` and `include:rules`: the first rule whose conditions all hold decides."""

from typing import Final

from mujina.ci.language.config import AutoCancel, JobRule, Workflow
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.keys.needs import read_needs
from mujina.ci.language.keys.policies import changes_match, expanded_globs, read_globs
from mujina.ci.language.patterns.expressions import BadExpression, holds, parse
from mujina.ci.language.patterns.globs import MAX_GLOBS
from mujina.ci.language.problems import ConfigSection, Location
from mujina.ci.language.variables import read_variables
from mujina.ci.language.yaml.values import Map, Value

_KEYS: Final = ("if", "changes", "exists", "when", "start_in", "allow_failure", "variables", "needs", "interruptible")
_WHEN: Final = ("on_success", "on_failure", "always", "never", "manual", "delayed")
_WORKFLOW_KEYS: Final = ("if", "changes", "exists", "when", "variables", "auto_cancel")
_WORKFLOW_WHEN: Final = ("always", "never")
_INCLUDE_KEYS: Final = ("if", "changes", "exists", "when")
_ON_NEW_COMMIT: Final = ("conservative", "interruptible", "none")
_ON_JOB_FAILURE: Final = ("none",)
_MAX_NESTING: Final = 10


def read_rules(section: ConfigSection) -> list[JobRule] | None:
    """The rules of a job; None if the key is absent."""
    return _read_rules(section, _KEYS, _WHEN)


def read_workflow(section: ConfigSection) -> Workflow:
    value = section.get("workflow")
    if value is None:
        return Workflow()
    workflow = section.at("workflow").section(value, ("rules", "name", "auto_cancel"))
    if workflow is None:
        return Workflow()
    name = workflow.text("name")
    rules = _read_rules(workflow, _WORKFLOW_KEYS, _WORKFLOW_WHEN)
    return Workflow(rules, name, _read_auto_cancel(workflow) or AutoCancel())


def read_include_rules(section: ConfigSection) -> list[JobRule] | None:
    """The rules of an entry of `include`; None if the key is absent."""
    return _read_rules(section, _INCLUDE_KEYS, _WORKFLOW_WHEN)


def _read_auto_cancel(section: ConfigSection) -> AutoCancel | None:
    value = section.get("auto_cancel")
    if value is None:
        return None
    found = section.at("auto_cancel").section(value, ("on_new_commit", "on_job_failure"))
    if found is None:
        return None
    if found.get("on_job_failure") == "all":
        found.error("on_job_failure", "all is not supported: a failed job cancels no other job")
        return None
    return AutoCancel(
        found.choice("on_new_commit", _ON_NEW_COMMIT, "conservative, interruptible or none"),
        found.choice("on_job_failure", _ON_JOB_FAILURE, "none"),
    )


def _read_rules(section: ConfigSection, keys: tuple[str, ...], when: tuple[str, ...]) -> list[JobRule] | None:
    value = section.get("rules")
    if value is None:
        return None
    location = section.at("rules")
    entries = _flattened(value, 0) if isinstance(value, list) else None
    if entries is None:
        location.config_error("should be an array of hashes")
        return []
    below = Location(location.findings, (*location.path, "rule"), location.mark)
    return [_read_rule(below, entry, keys, when) for entry in entries]


def _flattened(values: list[Value], depth: int) -> list[Map] | None:
    """The rules, with lists inside the list (as references leave them) flattened; None if one is no mapping."""
    found: list[Map] = []
    for value in values:
        if isinstance(value, Map):
            found.append(value)
            continue
        inner = _flattened(value, depth + 1) if isinstance(value, list) and depth < _MAX_NESTING else None
        if inner is None:
            return None
        found += inner
    return found


def _read_rule(location: Location, value: Map, keys: tuple[str, ...], when: tuple[str, ...]) -> JobRule:
    mark = next(iter(value.marks.values()), location.mark)
    rule = ConfigSection(Location(location.findings, location.path, mark), value)
    rule.check_keys(keys)
    start_in = rule.seconds("start_in")
    chosen = rule.choice("when", when, f"{', '.join(when[:-1])} or {when[-1]}")
    if chosen == "delayed" and start_in is None:
        rule.error("start_in", "should be a duration")
    return JobRule(
        condition=_read_condition(rule), changes=_checked(rule, "changes", "compare_to"), exists=_checked(rule, "exists"),
        compare_to=_read_compare_to(rule), when=chosen, start_in=start_in, allow_failure=rule.boolean("allow_failure"),
        variables=read_variables(rule), needs=read_needs(rule), interruptible=rule.boolean("interruptible"),
        auto_cancel=_read_auto_cancel(rule),
    )  # fmt: skip


def _read_condition(rule: ConfigSection) -> str | None:
    text = rule.text("if")
    if text is not None:
        try:
            parse(text)
        except BadExpression as bad:
            rule.error("if", f"invalid expression syntax: {bad}")
    return text


def _read_compare_to(rule: ConfigSection) -> str | None:
    changes = rule.get("changes")
    return ConfigSection(rule.at("changes"), changes).text("compare_to") if isinstance(changes, Map) else None


def _checked(rule: ConfigSection, key: str, *further: str) -> list[str] | None:
    globs = read_globs(rule, key, further)
    if globs is not None and len(globs) > MAX_GLOBS:
        rule.error(key, f"has too many entries (maximum {MAX_GLOBS})")
    return globs


def first_match(rules: list[JobRule], context: PipelineContext) -> JobRule | None:
    """The rule that decides; None if the conditions of none hold."""
    return next((rule for rule in rules if _holds(rule, context)), None)


def _holds(rule: JobRule, context: PipelineContext) -> bool:
    return (
        (rule.condition is None or holds(rule.condition, context.variables))
        and (rule.changes is None or changes_match(rule.changes, context, rule.compare_to))
        and (rule.exists is None or _exists(rule.exists, context))
    )


def _exists(globs: list[str], context: PipelineContext) -> bool:
    return context.files is not None and context.files.any_matches(expanded_globs(globs, context))
