"""Which jobs a pipeline gets."""

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.context import MERGE_REQUEST, PipelineContext
from mujina.ci.language.evaluation import FILTERED, NO_JOBS, PipelinePlan, evaluate
from mujina.ci.language.patterns.globs import PathMatcher


def plan(text: str, **context) -> PipelinePlan:
    compiled = compile_config(parse_file(text.encode()))
    assert compiled.errors == []
    return evaluate(compiled.config, PipelineContext(**{"ref": "master", "project_path": "group/project", **context}))


def runs(policy: str, **context) -> bool:
    jobs = plan(f"always: {{script: a, only: [/./]}}\nrspec: {{script: a, {policy}}}", **context).jobs
    return "rspec" in [job.name for job in jobs]


ONLY = [
    ("only: [branches]", {}, True),
    ("only: [branches]", {"tag": True, "ref": "v1"}, False),
    ("only: [tags]", {"tag": True, "ref": "v1"}, True),
    ("only: [tags]", {}, False),
    ("only: [master]", {}, True),
    ("only: [mast]", {}, False),
    ("only: [/mast/]", {}, True),
    ("only: [/^MAST/]", {}, False),
    ("only: [/^MAST/i]", {}, True),
    ("only: [/^v/, master]", {}, True),
    ("only: [push]", {}, True),
    ("only: [pushes]", {}, True),
    ("only: [pushs]", {}, False),
    ("only: [web]", {"source": "web"}, True),
    ("only: [schedules]", {"source": "schedule"}, True),
    ("only: [triggers]", {"source": "trigger"}, True),
    ("only: [api]", {"source": "push"}, False),
    ("only: [pipelines]", {"source": "pipeline"}, True),
    ("only: [externals]", {"source": "external"}, True),
    ("only: ['master@group/project']", {}, True),
    ("only: ['master@group/other']", {}, False),
    ("only: ['branches@group/project']", {}, True),
    ("only: ['/^mas/@group/project']", {}, True),
    ("only: ['/^mas/@group/other']", {}, False),
    ("only: ['/user@host/']", {"ref": "user@host"}, True),
    ("only: []", {}, False),
    ("only: {refs: [master]}", {}, True),
    ("only: {refs: [master], kubernetes: active}", {}, False),
    ("except: {kubernetes: active}", {}, True),
    ("except: [master]", {}, False),
    ("except: [/^v/]", {}, True),
    ("only: [branches], except: [/^mas/]", {}, False),
    ("only: {variables: ['$A == \"1\"', $B]}", {"variables": {"A": "1"}}, True),
    ("only: {variables: ['$A == \"1\"']}", {}, False),
    ("only: {refs: [master], variables: [$A]}", {"ref": "x", "variables": {"A": "1"}}, False),
    ("only: {changes: ['*.md']}", {"changes": PathMatcher(["README.md"])}, True),
    ("only: {changes: ['*.md']}", {"changes": PathMatcher(["docs/a.md"])}, False),
    ("only: {changes: ['*.md']}", {}, True),
    ("except: {changes: ['docs/**/*']}", {"changes": PathMatcher(["docs/a/b.md"])}, False),
    ("tags: [x]", {"source": MERGE_REQUEST}, False),
    ("only: [merge_requests]", {"source": MERGE_REQUEST}, True),
    ("only: [branches]", {"source": MERGE_REQUEST}, False),
    ("tags: [x]", {"tag": True, "source": "schedule"}, True),
]


def test_only_and_except():
    assert [(policy, runs(policy, **context)) for policy, context, _ in ONLY] == [(policy, x) for policy, _, x in ONLY]


def test_the_first_rule_that_holds_decides():
    text = """
rspec:
  script: a
  when: always
  variables: {OWN: file}
  rules:
    - {if: $CI_COMMIT_TAG, when: never}
    - {if: '$CI_COMMIT_REF_NAME == "manual"', when: manual, allow_failure: true, variables: {X: 1}}
    - {if: '$CI_COMMIT_REF_NAME == "later"', when: delayed, start_in: 10 minutes}
    - {exists: [Dockerfile], changes: ['src/**']}
    - {if: '$OWN == "trigger"'}
other: {script: a}
"""

    def job(**context):
        name = context.get("ref", "master")
        variables = {"CI_COMMIT_REF_NAME": name, **context.pop("variables", {})}
        found = [job for job in plan(text, variables=variables, **context).jobs if job.name == "rspec"]
        return found[0] if found else None

    assert job(variables={"CI_COMMIT_TAG": "v1"}) is None
    manual = job(ref="manual")
    assert (manual.when, manual.allow_failure, manual.variables["X"].value) == ("manual", True, "1")
    assert (job(ref="later").when, job(ref="later").start_in) == ("delayed", 600)
    files, changes = PathMatcher(["Dockerfile"]), PathMatcher(["src/a/b.c"])
    assert job(files=files, changes=changes).when == "always"
    assert job(files=files).when == "always"
    assert job(files=files, changes=PathMatcher(["README"])) is None
    assert job(changes=changes) is None
    assert job() is None
    assert job(variables={"OWN": "trigger"}).when == "always"


def test_the_workflow_decides_whether_there_is_a_pipeline():
    text = """
workflow: {rules: [{if: '$SKIP == "1"', when: never}, {if: $GO, variables: {MODE: fast}}]}
rspec: {script: a, rules: [{if: '$MODE == "fast"'}]}
"""
    assert plan(text).errors == [FILTERED]
    assert plan(text, variables={"SKIP": "1", "GO": "1"}).errors == [FILTERED]
    made = plan(text, variables={"GO": "1"})
    assert ([job.name for job in made.jobs], made.variables) == (["rspec"], {"MODE": "fast"})


def test_a_pipeline_without_jobs_is_none():
    assert plan("rspec: {script: a, only: [tags]}").errors == [NO_JOBS]
    assert plan("rspec: {script: a, stage: .pre}").errors == [NO_JOBS]


def test_jobs_come_in_the_order_of_their_stages():
    made = plan(
        "stages: [one, two]\nb: {script: a, stage: two}\na: {script: a, stage: one}\nc: {script: a, stage: .pre}"
    )
    assert [job.name for job in made.jobs] == ["c", "a", "b"]
    assert made.stages == [".pre", "one", "two"]


def test_needs_name_the_jobs_of_the_pipeline():
    text = """
build: {script: a, stage: build, parallel: {matrix: [{OS: [linux, mac]}]}}
lint: {script: a, stage: build, only: [tags]}
test: {script: a, needs: [build, {job: lint, optional: true}]}
mac: {script: a, needs: [{job: build, artifacts: false, parallel: {matrix: [{OS: mac}]}}]}
one: {script: a, needs: ['build: [linux]']}
none: {script: a, needs: []}
"""
    needs = {job.name: [(need.job, need.artifacts) for need in job.needs or []] for job in plan(text).jobs}
    assert needs["test"] == [("build: [linux]", True), ("build: [mac]", True)]
    assert needs["mac"] == [("build: [mac]", False)]
    assert needs["one"] == [("build: [linux]", True)]
    assert needs["none"] == []
    broken = plan("lint: {script: a, stage: build, only: [tags]}\ntest: {script: a, needs: [lint]}")
    assert broken.errors == ["'test' job needs 'lint' job, but 'lint' is not part of the pipeline"]
    cycle = plan("a: {script: a, needs: [], rules: [{when: always, needs: [b]}]}\nb: {script: a, needs: [a]}")
    assert cycle.errors == ["'a' job: needs form a cycle"]


def test_the_name_of_an_environment_is_expanded_and_its_address_is_not():
    names = {"review/$A": "review/1", "${A}-x": "1-x", "x$UNKNOWN.": "x.", "$A$A": "11", "plain": "plain"}
    for name, expanded in names.items():
        text = (
            f"rspec: {{script: a, environment: {{name: {name!r}, url: 'https://$CI_ENVIRONMENT_SLUG.example.org/'}}}}"
        )
        environment = plan(text, variables={"A": "1"}).jobs[0].environment
        assert environment is not None
        assert (environment.name, environment.url) == (expanded, "https://$CI_ENVIRONMENT_SLUG.example.org/")
