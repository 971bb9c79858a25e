"""Facts of the handbook that no other test of the language has."""

import pytest

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.evaluation import evaluate
from mujina.ci.language.variables import expand

SOURCES = {
    "push": "pushes", "web": "webs", "trigger": "triggers", "schedule": "schedules", "api": "apis", "external": "externals",
    "pipeline": "pipelines",
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_and_its_plural_choose_the_pipelines_of_that_source_alone(source):
    text = "".join(f"{word}: {{script: a, only: [{word}]}}\n" for pair in SOURCES.items() for word in pair)
    config = compile_config(parse_file(text.encode())).config
    assert config is not None
    found = evaluate(config, PipelineContext(ref="master", source=source))
    assert sorted(job.name for job in found.jobs) == sorted([source, SOURCES[source]])


def test_a_job_without_conditions_is_part_of_every_pipeline_but_those_of_merge_requests():
    config = compile_config(parse_file(b"a: {script: a}")).config
    assert config is not None
    for source in SOURCES:
        for tag in (False, True):
            assert evaluate(config, PipelineContext(ref="x", source=source, tag=tag)).errors == []


def test_a_job_may_be_called_by_a_number():
    config = compile_config(parse_file(b"10: {script: a}\n2018-02-14: {script: a}")).config
    assert config is not None
    assert [job.name for job in config.jobs] == ["10", "2018-02-14"]


def test_variables_are_expanded_in_three_forms_and_unknown_ones_become_empty():
    assert expand("$A-${A}-%A%-$B-${B}-%B%-100%", {"A": "x"}) == "x-x-x----100%"
