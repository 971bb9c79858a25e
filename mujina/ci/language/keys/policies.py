"""`only` and `except`: for which refs, sources, variables and changes a job runs."""

import re
from typing import Final

from mujina.ci.language.config import RefPolicy
from mujina.ci.language.context import MERGE_REQUEST, PipelineContext
from mujina.ci.language.patterns.expressions import BadExpression, holds, parse
from mujina.ci.language.patterns.regular_expressions import MAX_LENGTH, is_pattern, matches
from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.variables import expand
from mujina.ci.language.yaml.values import Map, Value, texts_in

_KEYS: Final = ("refs", "kubernetes", "variables", "changes")
_REFS: Final = "should be an array of strings or regexps"
_PATTERN_OF_PROJECT = re.compile(r"(/.*/[a-zA-Z]*)@([^@]*[^@/])")
DEFAULT_POLICY: Final = RefPolicy(refs=["branches", "tags"])
"""Jobs without `only`, `except` and `rules` have it in pipelines of merge requests: they are not part of them."""


def read_policy(section: ConfigSection, key: str) -> RefPolicy | None:
    value = section.get(key)
    if value is None:
        return None
    location = section.at(key)
    if isinstance(value, list):
        refs = texts_in(value)
        if refs is None:
            location.config_error(_REFS)
        return RefPolicy(refs=refs or [])
    if not isinstance(value, Map):
        location.error("has to be either an array of conditions or a hash")
        return None
    policy = ConfigSection(location, value)
    policy.check_keys(_KEYS)
    return RefPolicy(
        refs=_read_refs(policy),
        kubernetes=_read_kubernetes(policy),
        variables=_read_expressions(policy),
        changes=read_globs(policy, "changes"),
    )


def _read_refs(policy: ConfigSection) -> list[str] | None:
    value = policy.get("refs")
    if value is None:
        return None
    refs = texts_in(value)
    if refs is None:
        policy.error("refs", _REFS)
    return refs or []


def _read_kubernetes(policy: ConfigSection) -> bool:
    value = policy.get("kubernetes")
    if value is not None and value != "active":
        policy.error("kubernetes", f"unknown value: {value}")
    return value is not None


def _read_expressions(policy: ConfigSection) -> list[str] | None:
    expressions = policy.texts("variables")
    for expression in expressions or []:
        try:
            parse(expression)
        except BadExpression as bad:
            policy.error("variables", f"invalid expression syntax: {bad}")
    return expressions


def read_globs(section: ConfigSection, key: str, further: tuple[str, ...] = ()) -> list[str] | None:
    """Patterns of paths: a list, or a mapping whose `paths` is one and that may have further keys."""
    value: Value = section.get(key)
    if isinstance(value, Map):
        found = section.at(key).section(value, ("paths", *further))
        return (found.texts("paths") if found else None) or []
    return section.texts(key)


def split_ref(entry: str) -> tuple[str, str | None]:
    """The ref or pattern of an entry, and the project path that it demands: `/^v/@group/project`."""
    if entry.startswith("/"):
        found = _PATTERN_OF_PROJECT.fullmatch(entry) if len(entry) <= MAX_LENGTH else None
        return (found[1], found[2]) if found else (entry, None)
    ref, mark, path = entry.partition("@")
    return (ref, path) if mark and ref else (entry, None)


def runs(only: RefPolicy | None, except_: RefPolicy | None, context: PipelineContext) -> bool:
    """Whether all parts of `only` hold and no part of `except` does."""
    if only is None and except_ is None and context.source == MERGE_REQUEST:
        only = DEFAULT_POLICY
    allowed = only is None or all(_parts(only, context))
    return allowed and not (except_ is not None and any(_parts(except_, context)))


def _parts(policy: RefPolicy, context: PipelineContext) -> list[bool]:
    """Whether each of the parts that are given holds."""
    parts: list[bool] = []
    if policy.refs is not None:
        parts.append(any(_matches_ref(entry, context) for entry in policy.refs))
    if policy.kubernetes:
        parts.append(False)  # there are no clusters
    if policy.variables is not None:
        parts.append(any(holds(expression, context.variables) for expression in policy.variables))
    if policy.changes is not None:
        parts.append(changes_match(policy.changes, context))
    return parts


def _matches_ref(entry: str, context: PipelineContext) -> bool:
    pattern, path = split_ref(entry)
    if path is not None and path != context.project_path:
        return False
    if pattern in ("branches", "tags"):
        return context.branch if pattern == "branches" else context.tag
    if pattern in _source_names(context.source):
        return True
    return matches(pattern, context.ref) if is_pattern(pattern) else pattern == context.ref


def _source_names(source: str) -> tuple[str, ...]:
    """The source and its plural."""
    if source == MERGE_REQUEST:
        return (source, "merge_requests")
    return (source, f"{source}es" if source.endswith("sh") else f"{source}s")


def changes_match(globs: list[str], context: PipelineContext, compare_to: str | None = None) -> bool:
    """Whether a changed file matches; also if it is not known what changed. `compare_to` is the ref to compare with."""
    known = context.changes if compare_to is None else context.compared.get(expand(compare_to, context.visible))
    return known is None or known.any_matches(expanded_globs(globs, context))


def expanded_globs(globs: list[str], context: PipelineContext) -> list[str]:
    """The patterns of paths with their variables replaced."""
    return [expand(glob, context.variables) for glob in globs if len(glob) <= MAX_LENGTH]
