"""Any bytes have a result: a configuration or sentences, in bounded time."""

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mujina.ci.language.compiler import GLOBAL_KEYS, CompiledConfig, compile_config, parse_file
from mujina.ci.language.config import Config
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.durations import read_duration
from mujina.ci.language.evaluation import PipelinePlan, evaluate
from mujina.ci.language.keys.job import JOB_KEYS, NEWER_JOB_KEYS
from mujina.ci.language.patterns.expressions import BadExpression, holds, parse
from mujina.ci.language.patterns.globs import PathMatcher
from mujina.ci.language.yaml.merged_text import merged_text

PIECES = [
    "a", "b:", " ", "\n", "  ", "- ", "[", "]", "{", "}", ",", ": ", "&x ", "*x", "<<", "!reference ", "!!str ", "|\n",
    ">-\n", "'", '"',
    "#", "---\n", "? ", "%TAG ! x", "\t", "script: ", "job: ", "é", "\0", "\x85", "~", "0x1", "1:30", "\\", "!<x>", "@",
]  # fmt: skip
INNER_KEYS = [
    "name", "paths", "refs", "if", "when", "changes", "exists", "matrix", "max", "key", "files", "policy", "url", "on_stop",
    "rules", "job", "default", "local", "value", "expire_in", "entrypoint", "kubernetes", "action",
]  # fmt: skip
KEYS = st.sampled_from([*GLOBAL_KEYS, *JOB_KEYS, *NEWER_JOB_KEYS, *INNER_KEYS, "extends", ".x", "job", "other"])
WORDS = st.sampled_from(
    [
        "test", "build", "manual", "delayed", "job", ".x", "1 day", "/^v/", "/(/", "$A == '1'", "$A", "**/*", "master", "always",
        "never", "", "a/b", "x.yml", "review/$A", "master@a/b", "/a/@b/c",
    ]
)  # fmt: skip
SCALARS = st.one_of(WORDS, st.none(), st.booleans(), st.integers(-1, 300), st.floats(), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
JOBS = st.dictionaries(st.sampled_from([*JOB_KEYS, *NEWER_JOB_KEYS, "extends"]), VALUES, max_size=6)
FILES = st.dictionaries(KEYS, st.one_of(JOBS, VALUES), max_size=5)


def check(content: bytes) -> CompiledConfig:
    compiled = compile_config(parse_file(content), lambda file: parse_file(content, file.location))
    assert type(compiled) is CompiledConfig
    assert (compiled.config is None) == bool(compiled.errors)
    for problem in (*compiled.errors, *compiled.warnings):
        assert problem.text
        assert problem.line is None or problem.line > 0
    if isinstance(compiled.config, Config):
        context = PipelineContext(
            ref="master", files=PathMatcher(["a"]), changes=PathMatcher(["b"]), variables={"A": "1"}
        )
        assert type(evaluate(compiled.config, context)) is PipelinePlan
    if compiled.merged is not None:
        merged_text(compiled.merged)
    return compiled


@given(st.binary(max_size=200))
def test_any_bytes_have_a_result(content):
    check(content)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_pieces_of_yaml_have_a_result(pieces):
    check("".join(pieces).encode())


@settings(max_examples=40)
@given(FILES)
def test_any_values_in_any_keys_have_a_result(root):
    check(yaml.safe_dump(root, sort_keys=False, allow_unicode=True).encode("utf-8", "replace"))


@given(JOBS)
def test_any_job_has_a_result(job):
    check(yaml.safe_dump({"job": {"script": "a", **job}, ".x": {"tags": ["a"]}}).encode())


@given(
    st.lists(
        st.sampled_from(["$A", "==", "!=", "=~", "!~", "&&", "||", "(", ")", "/a/", "'x'", "null", " ", "!"]),
        max_size=20,
    )
)
def test_any_expression_is_parsed_or_refused(pieces):
    text = " ".join(pieces)
    try:
        parse(text)
    except BadExpression:
        assert holds(text, {"A": "a"}) is False
    else:
        assert holds(text, {"A": "a"}) in (True, False)


@given(st.text(max_size=30))
def test_any_text_is_a_duration_or_none(text):
    seconds = read_duration(text)
    assert seconds is None or seconds >= 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_glob_matches_or_does_not(glob, path):
    assert PathMatcher([path]).any_matches([glob]) in (True, False)
