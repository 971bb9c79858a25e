"""`spec:inputs`: their values, their checks, and where they are used."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.yaml.values import TOO_MANY

ALL = """\
spec:
  inputs:
    name: {default: unit}
    count: {type: number, default: 2}
    wait: {type: boolean, default: false}
    level: {options: [low, high], default: low}
    version: {regex: '^v\\d+$', default: v1}
    tags: {type: array, default: [a, b]}
---
"""


def job_of(body: str, **inputs):
    compiled = compile_config(parse_file((ALL + body).encode(), "x.yml", inputs))
    assert compiled.errors == []
    assert compiled.config is not None
    return compiled.config.jobs[0]


def errors(text: str, **inputs) -> list[str]:
    return [error.text for error in parse_file(text.encode(), "x.yml", inputs).findings.errors]


def test_a_use_that_is_the_whole_text_keeps_the_type_of_its_input():
    body = (
        "'$[[ inputs.name ]] test':\n  script: make $[[ inputs.version ]]-$[[inputs.count]]\n  retry: $[[ inputs.count ]]\n"
        "  tags: $[[ inputs.tags ]]\n  interruptible: $[[ inputs.wait ]]\n"
        "  variables: {L: 'x$[[ inputs.level | truncate(0, 1) ]]'}\n"
    )
    job = job_of(body)
    assert (job.name, job.script, job.retry.max, job.tags) == ("unit test", ["make v1-2"], 2, ["a", "b"])
    assert (job.interruptible, job.variables["L"].value) == (False, "xl")
    job = job_of(body, name="all", count=0, wait=True, level="high", version="v22", tags=[])
    assert (job.name, job.script, job.retry.max, job.tags) == ("all test", ["make v22-0"], 0, [])
    assert (job.interruptible, job.variables["L"].value) == (True, "xh")


def test_values_are_checked():
    wrong = {"name": 5, "count": "2", "wait": "no", "level": "middle", "version": "1", "tags": "a"}
    assert errors(ALL + "a: {script: a}", **wrong, other=1) == [
        "spec has no input other",
        "spec:inputs:name should be of the type string",
        "spec:inputs:count should be of the type number",
        "spec:inputs:wait should be of the type boolean",
        "spec:inputs:level is not one of its options",
        "spec:inputs:version does not match its regex",
        "spec:inputs:tags should be of the type array",
    ]
    assert errors("spec: {inputs: {a: {regex: '(?=x)', default: x}}}\n---\nb: {script: a}")[0].startswith(
        "spec:inputs:a has a regex that is not valid: "
    )
    assert errors("spec: {inputs: {a: }}\n---\nb: {script: a}") == ["spec:inputs:a is required and has no value"]
    assert errors("spec: {inputs: {a: {kind: x, default: y}}}\n---\nb: {script: a}") == [
        "spec:inputs:a config contains unknown keys: kind"
    ]
    assert errors("spec: {inputs: {a: {default: y}}}\n---\nb: {script: '$[[ inputs.c ]] $[[ inputs.a | shout ]]'}") == [
        "unknown input: c", "unknown function of an input: shout",
    ]  # fmt: skip
    assert errors("a: {script: b}", x=1) == ["The included file has no spec:inputs"]


def test_a_job_may_be_called_spec_and_a_second_document_is_not_read_without_a_header():
    compiled = compile_config(parse_file(b"spec: {script: a}\n"))
    assert [job.name for job in compiled.config.jobs] == ["spec"]
    compiled = compile_config(parse_file(b"a: {script: a}\n---\nb: [unreadable"))
    assert [job.name for job in compiled.config.jobs] == ["a"]


def test_many_uses_of_a_long_input_end_with_a_sentence():
    uses = "$[[ inputs.a ]]" * 20_000
    assert errors(f"spec: {{inputs: {{a: }}}}\n---\nb: {{script: '{uses}'}}", a="x" * 100_000) == [TOO_MANY]


@settings(max_examples=30)
@given(
    st.text(max_size=40),
    st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.lists(st.text(max_size=3), max_size=3)),
)
def test_any_use_and_any_value_has_a_result(text, value):
    content = (
        f"spec: {{inputs: {{a: {{type: string}}}}}}\n---\nb: {{script: {text!r}, tags: ['$[[ inputs.a ]]{text!r}']}}"
    )
    parsed = parse_file(content.encode("utf-8", "replace"), "x.yml", {"a": value})
    compile_config(parsed)
