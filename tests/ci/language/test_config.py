"""What a CI file says: defaults, extends, references, includes, parallel jobs."""

import msgspec

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.config import ArtifactsEntry, CacheEntry, Config, ContainerImage, FileVariable, ServiceContainer
from mujina.ci.language.yaml.merged_text import merged_text


def reading(contents: dict[str, bytes]):
    """Reads included files by their paths."""
    return lambda file: parse_file(contents[file.location], file.location) if file.location in contents else None


def config_of(text: str, **files: str):
    """The configuration; included files by their paths, with `__` for a dot."""
    contents = {name.replace("__", "."): content.encode() for name, content in files.items()}
    compiled = compile_config(parse_file(text.encode()), reading(contents))
    assert compiled.errors == []
    assert compiled.config is not None
    return compiled.config


def job_of(text: str, name: str = "rspec", **files: str):
    return next(job for job in config_of(text, **files).jobs if job.name == name)


def test_a_job_has_the_documented_defaults():
    job = job_of("rspec: {script: make}")
    assert (job.stage, job.when, job.allow_failure, job.retry.max, job.tags) == ("test", "on_success", False, 0, [])
    assert (job.only, job.except_, job.rules, job.needs, job.dependencies) == (None,) * 5
    assert (job.script, job.before_script, job.image, job.caches) == (["make"], [], None, [])


def test_a_manual_job_may_fail_unless_it_says_otherwise():
    assert job_of("rspec: {script: a, when: manual}").allow_failure
    assert not job_of("rspec: {script: a, when: manual, allow_failure: false}").allow_failure


def test_a_job_replaces_global_keys_and_merges_variables():
    text = """
image: {name: ruby, entrypoint: [sh]}
services: [mysql, {name: redis, alias: cache}]
before_script: [one]
cache: {key: ":all", paths: [vendor]}
variables: {A: a, B: 1}
rspec: {script: a, variables: {B: b}, before_script: []}
other: {script: a, image: go, services: [], cache: {untracked: true}}
"""
    rspec, other = job_of(text), job_of(text, "other")
    assert rspec.image == ContainerImage("ruby", ["sh"])
    assert rspec.services == [ServiceContainer("mysql"), ServiceContainer("redis", alias="cache")]
    assert rspec.before_script == []
    assert rspec.variables == {"A": FileVariable("a"), "B": FileVariable("b")}
    assert rspec.caches == [CacheEntry(key=":all", paths=["vendor"])]
    assert (other.image, other.services, other.before_script) == (ContainerImage("go"), [], ["one"])
    assert other.caches == [CacheEntry(untracked=True)]
    assert other.variables["B"] == FileVariable("1")


def test_types_is_the_old_word_for_stages():
    assert config_of("types: [one]\na: {script: a, type: one}").stages == [".pre", "one", ".post"]
    assert config_of("types: [x]\nstages: [one]\na: {script: a, stage: one}").stages == [".pre", "one", ".post"]
    assert list(config_of("a: {script: a}").stages) == [".pre", "build", "test", "deploy", ".post"]


def test_who_may_download_artifacts():
    words = {
        "paths: [x]": "all", "public: true": "all", "public: false": "developer", "access: developer": "developer",
        "access: maintainer": "maintainer", "access: none": "none", "access: none, public: true": "none",
        "access: all, public: false": "developer",
    }  # fmt: skip
    found = {word: job_of(f"rspec: {{script: a, artifacts: {{{word}}}}}").artifacts.access for word in words}
    assert found == words


def test_artifacts_keep_the_text_of_their_expiry():
    artifacts = job_of("rspec: {script: a, artifacts: {paths: [x], expire_in: 1 week, when: always}}").artifacts
    assert artifacts == ArtifactsEntry(paths=["x"], expire_in="1 week", when="always")
    assert job_of("rspec: {script: a, artifacts: {expire_in: never}}").artifacts == ArtifactsEntry(expire_in="never")


def test_extends_merges_mappings_at_every_depth_and_replaces_lists():
    text = """
.one: {script: [a], variables: {A: 1, B: 1}, tags: [x], artifacts: {paths: [p]}}
.two: {extends: .one, variables: {B: 2}, tags: [y]}
rspec: {extends: [.one, .two], variables: {C: 3}, artifacts: {name: n}}
"""
    job = job_of(text)
    assert {name: variable.value for name, variable in job.variables.items()} == {"A": "1", "B": "2", "C": "3"}
    assert (job.script, job.tags) == (["a"], ["y"])
    assert job.artifacts == ArtifactsEntry(name="n", paths=["p"])


def test_references_are_replaced_and_lists_flattened():
    text = """
.setup: {script: [one, two], rules: [{if: $A}]}
.more: {script: [!reference [.setup, script], three]}
rspec: {script: [!reference [.more, script], four], rules: [!reference [.setup, rules], {when: manual}]}
"""
    job = job_of(text)
    assert job.script == ["one", "two", "three", "four"]
    assert [rule.condition or rule.when for rule in job.rules or []] == ["$A", "manual"]


def test_default_and_inherit():
    text = """
default: {image: ruby, tags: [x], retry: {max: 1, when: script_failure}, timeout: 1h, interruptible: true}
variables: {A: 1, B: 2}
rspec: {script: a}
none: {script: a, inherit: {default: false, variables: false}}
some: {script: a, inherit: {default: [image], variables: [A]}}
"""
    rspec, none, some = job_of(text), job_of(text, "none"), job_of(text, "some")
    assert (rspec.image, rspec.tags, rspec.retry.max, rspec.timeout) == (ContainerImage("ruby"), ["x"], 1, 3_600)
    assert rspec.interruptible
    assert (none.image, none.tags, none.retry.max, none.variables) == (None, [], 0, {})
    assert (some.image, some.tags, set(some.variables)) == (ContainerImage("ruby"), [], {"A"})


def test_parallel_jobs_have_names_and_variables_of_their_own():
    text = (
        "rspec: {script: a, parallel: 2}\ndeploy: {script: a, parallel: {matrix: [{P: [aws, gcp], S: one}, {P: own}]}}"
    )
    config = config_of(text)
    assert [job.name for job in config.jobs] == [
        "rspec 1/2", "rspec 2/2", "deploy: [aws, one]", "deploy: [gcp, one]", "deploy: [own]",
    ]  # fmt: skip
    assert config.jobs[3].variables == {"P": FileVariable("gcp"), "S": FileVariable("one")}
    assert {job.base_name for job in config.jobs} == {"rspec", "deploy"}


def test_included_files_are_merged_by_their_top_level_keys():
    config = config_of(
        "include: [/one.yml, two.yaml]\nvariables: {MAIN: 1}\nb: {script: main}",
        **{
            "/one__yml": "variables: {ONE: 1}\na: {script: one}\nb: {script: one}\nc: {script: one}",
            "two__yaml": "include: three.yml\nc: {script: two}",
            "three__yml": "c: {script: three}\nd: {script: three}",
        },
    )
    assert {job.name: job.script for job in config.jobs} == {
        "a": ["one"], "b": ["main"], "c": ["two"], "d": ["three"],
    }  # fmt: skip
    assert set(config.variables) == {"MAIN"}


def test_an_included_file_that_is_not_yaml_is_named_with_its_line():
    parsed = parse_file(b"include: {project: group/other, file: one.yml, ref: v1}\nb: {script: main}")
    compiled = compile_config(parsed, reading({"one.yml": b"a: 1\nb: c: d"}))
    assert [error.text for error in compiled.errors][:1] == ["Project file 'one.yml' is not valid."]
    assert (compiled.errors[1].file, compiled.errors[1].line) == ("one.yml", 2)


def test_includes_have_limits():
    paths = ", ".join(f"f{n}.yml" for n in range(21))

    def any_file(file):
        return parse_file(b"b: {script: a}", file.location)

    compiled = compile_config(parse_file(f"include: [{paths}]\na: {{script: a}}".encode()), any_file)
    assert [error.text for error in compiled.errors] == ["include config should have at most 20 files"]
    compiled = compile_config(parse_file(b"include: a.txt\na: {script: a}"), any_file)
    assert [error.text for error in compiled.errors] == ["Local file 'a.txt' is not valid."]


def test_the_merged_text_is_the_configuration_without_indirection():
    text = ".a: &a {script: [é]}\nb: {extends: .a, tags: [x]}\nc: {<<: *a, only: ['/^v/']}"
    compiled = compile_config(parse_file(text.encode()))
    merged = merged_text(compiled.merged)
    assert "&" not in merged
    assert "*" not in merged
    again = compile_config(parse_file(merged.encode()))
    assert again.config == compiled.config


def test_a_configuration_survives_json():
    text = """
variables: {A: {value: 1, description: x}}
a: {script: a, hooks: {pre_get_sources_script: [x]}, artifacts: {reports: {junit: [x]}},
    image: {name: a, docker: {user: x}}, retry: 1}
b: {script: a, needs: [a], rules: [{if: $A, needs: []}], parallel: {matrix: [{X: [1, 2]}]}, environment: {name: x}}
"""
    config = config_of(text)
    assert msgspec.json.decode(msgspec.json.encode(config), type=Config) == config
