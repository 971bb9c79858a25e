"""Every error of a CI file, in its words and in its place."""

import pytest

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.problems import MAX_PROBLEMS

TABLE = [
    ("", "Please provide content of .gitlab-ci.yml"),
    (" \n\t\n", "Please provide content of .gitlab-ci.yml"),
    ("# nothing", "Invalid configuration format"),
    ("- a\n- b", "Invalid configuration format"),
    ("text", "Invalid configuration format"),
    ("image: ruby", "jobs config should contain at least one visible job"),
    (".hidden: {script: a}", "jobs config should contain at least one visible job"),
    ("rspec: text", "jobs:rspec config should be a hash"),
    ("rspec: [a]", "jobs:rspec config should be a hash"),
    ("rspec:", "jobs:rspec config can't be blank"),
    (".tpl: {}\nrspec: {script: a}", "jobs:.tpl config can't be blank"),
    ("rspec: {script: a, foo: 1, bar: 2}", "jobs:rspec config contains unknown keys: foo, bar"),
    ("RSpec: {script: a, Foo: 1}", "jobs:rspec config contains unknown keys: foo"),
    ("rspec: {stage: test}", "jobs:rspec script can't be blank"),
    ("rspec: {script: []}", "jobs:rspec script can't be blank"),
    ("rspec: {script: 5}", "jobs:rspec:script config should be a string or an array of strings"),
    ("rspec: {script: [1, a]}", "jobs:rspec:script config should be a string or an array of strings"),
    ("before_script: make\nrspec: {script: a}", "before_script config should be an array of strings"),
    ("after_script: {a: b}\nrspec: {script: a}", "after_script config should be an array of strings"),
    ("rspec: {script: a, before_script: make}", "jobs:rspec:before_script config should be an array of strings"),
    ("image: [a]\nrspec: {script: a}", "image config should be a hash or a string"),
    ("image: {entrypoint: [a]}\nrspec: {script: a}", "image name can't be blank"),
    ("image: {name: a, x: 1}\nrspec: {script: a}", "image config contains unknown keys: x"),
    ("rspec: {script: a, image: 7}", "jobs:rspec:image config should be a hash or a string"),
    ("services: mysql\nrspec: {script: a}", "services config should be a array"),
    ("services: [10]\nrspec: {script: a}", "service config should be a hash or a string"),
    ("rspec: {script: a, services: [[]]}", "service config should be a hash or a string"),
    ("services: [{alias: db}]\nrspec: {script: a}", "service name can't be blank"),
    ("variables: [a]\nrspec: {script: a}", "variables config should be a hash of key value pairs"),
    ("variables: {A: true}\nrspec: {script: a}", "variables config should be a hash of key value pairs"),
    ("variables: {A: }\nrspec: {script: a}", "variables config should be a hash of key value pairs"),
    ("variables: {A: 1.5}\nrspec: {script: a}", "variables config should be a hash of key value pairs"),
    ("rspec: {script: a, variables: x}", "jobs:rspec:variables config should be a hash of key value pairs"),
    ("stages: build\nrspec: {script: a}", "stages config should be an array of strings"),
    ("types: [1]\nrspec: {script: a}", "types config should be an array of strings"),
    ("cache: {untracked: 7}\nrspec: {script: a}", "cache:untracked config should be a boolean value"),
    ("cache: {paths: x}\nrspec: {script: a}", "cache:paths config should be an array of strings"),
    ("cache: {key: [1]}\nrspec: {script: a}", "cache:key config should be a string or symbol"),
    ("cache: {key: a/b}\nrspec: {script: a}", 'cache:key config cannot contain the "/" character'),
    ('cache: {key: ".."}\nrspec: {script: a}', 'cache:key config cannot be "." or ".."'),
    ("cache: {policy: none}\nrspec: {script: a}", "cache policy should be pull-push, push, or pull"),
    ("cache: {x: 1}\nrspec: {script: a}", "cache config contains unknown keys: x"),
    ("cache: x\nrspec: {script: a}", "cache config should be a hash"),
    ("rspec: {script: a, cache: {untracked: x}}", "jobs:rspec:cache:untracked config should be a boolean value"),
    ("rspec: {script: a, tags: mysql}", "jobs:rspec tags should be an array of strings"),
    ("rspec: {script: a, allow_failure: maybe}", "jobs:rspec allow failure should be a boolean value"),
    ("rspec: {script: a, retry: often}", "jobs:rspec retry is not a number"),
    ("rspec: {script: a, retry: 1.5}", "jobs:rspec retry must be an integer"),
    ("rspec: {script: a, retry: 3}", "jobs:rspec retry must be less than or equal to 2"),
    ("rspec: {script: a, retry: -1}", "jobs:rspec retry must be greater than or equal to 0"),
    ("rspec: {script: a, when: 1}", "jobs:rspec when should be on_success, on_failure, always or manual"),
    ("rspec: {script: a, artifacts: {name: 1}}", "jobs:rspec:artifacts name should be a string"),
    ("rspec: {script: a, artifacts: {untracked: 1}}", "jobs:rspec:artifacts untracked should be a boolean value"),
    ("rspec: {script: a, artifacts: {paths: a}}", "jobs:rspec:artifacts paths should be an array of strings"),
    ("rspec: {script: a, artifacts: {when: never}}", "jobs:rspec:artifacts when should be on_success, on_failure or always"),
    ("rspec: {script: a, artifacts: {expire_in: soon}}", "jobs:rspec:artifacts expire in should be a duration"),
    ("rspec: {script: a, artifacts: {x: soon}}", "jobs:rspec:artifacts config contains unknown keys: x"),
    ("rspec: {script: a, only: [1.1]}", "jobs:rspec:only config should be an array of strings or regexps"),
    ("rspec: {script: a, except: [[1]]}", "jobs:rspec:except config should be an array of strings or regexps"),
    ("rspec: {script: a, only: master}", "jobs:rspec:only has to be either an array of conditions or a hash"),
    ("rspec: {script: a, only: {refs: master}}", "jobs:rspec:only refs should be an array of strings or regexps"),
    ("rspec: {script: a, only: {kubernetes: x}}", "jobs:rspec:only kubernetes unknown value: x"),
    ("rspec: {script: a, coverage: 5}", "jobs:rspec:coverage config must be a regular expression"),
    ("rspec: {script: a, coverage: word}", "jobs:rspec:coverage config must be a regular expression"),
    ("rspec: {script: a, dependencies: x}", "jobs:rspec dependencies should be an array of strings"),
    ("rspec: {script: a, environment: 1}", "jobs:rspec:environment config should be a hash or a string"),
    ("rspec: {script: a, environment: {url: x}}", "jobs:rspec:environment name can't be blank"),
    ("rspec: {script: a, environment: a?b}",
     "jobs:rspec:environment name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces"),
    ("rspec: {script: a, environment: {name: a, action: run}}", "jobs:rspec:environment action should be start or stop"),
    (f"rspec: {{script: a, environment: {{name: a, url: {'u' * 256}}}}}",
     "jobs:rspec:environment url is too long (maximum is 255 characters)"),
    ("rspec: {script: a, environment: {name: a, on_stop: [1]}}", "jobs:rspec:environment on stop should be a string"),
    ("rspec: {script: a, stage: x}", "rspec job: stage parameter should be build, test, deploy"),
    ("rspec: {script: a, stage: [x]}", "jobs:rspec:stage config should be a string"),
    ("stages: [one]\nRSpec: {script: a}", "RSpec job: stage parameter should be one"),
    ("rspec: {script: a, dependencies: [x]}", "rspec job: undefined dependency: x"),
    ("rspec: {script: a, dependencies: [x]}\nx: {script: a}", "rspec job: dependency x is not defined in prior stages"),
    ("rspec: {script: a, environment: {name: a, on_stop: x}}", "rspec job: on_stop job x is not defined"),
    ("rspec: {script: a, environment: {name: a, on_stop: x}}\nx: {script: a}",
     "rspec job: on_stop job x does not have environment defined"),
    ("rspec: {script: a, environment: {name: a, on_stop: x}}\nx: {script: a, environment: b}",
     "rspec job: on_stop job x have different environment name"),
    ("rspec: {script: a, environment: {name: a, on_stop: x}}\nx: {script: a, environment: a}",
     "rspec job: on_stop job x needs to have action stop defined"),
    ("rspec: {script: a, only: ['/(?=x)/']}", "rspec job: only pattern '/(?=x)/' is not valid: invalid perl operator: (?="),
    ("include: a.yml\nrspec: {script: a}", "Local file 'a.yml' is not valid."),
    ("include: 'https://example.org/a.yml'\nrspec: {script: a}", "Remote file 'https://example.org/a.yml' is not valid."),
    ("include: 5\nrspec: {script: a}", "include config should be a string, a hash or an array of them"),
]  # fmt: skip

NEWER = [
    ("rspec: {script: a, extends: .x}", "rspec: unknown key in `extends` (.x)"),
    ("a: {script: a, extends: b}\nb: {extends: a}", "a: circular dependency detected in `extends`"),
    ("rspec: {script: a, extends: 5}", "rspec: `extends` should be a string or an array of strings"),
    ("".join(f"j{n}: {{extends: j{n + 1}}}\n" for n in range(12)) + "j12: {script: a}", "j0: nesting too deep in `extends`"),
    ("rspec: {script: !reference [.x, script]}", "!reference [.x, script] could not be found"),
    ("a: {script: !reference [a, script]}", "!reference [a, script] is part of a circular chain"),
    ("rspec: {script: a, rules: x}", "jobs:rspec:rules config should be an array of hashes"),
    ("rspec: {script: a, rules: [{if: '$A =='}]}", "jobs:rspec:rules:rule if invalid expression syntax: it ends too early"),
    ("rspec: {script: a, rules: [{when: x}]}",
     "jobs:rspec:rules:rule when should be on_success, on_failure, always, never, manual or delayed"),
    ("rspec: {script: a, rules: [{x: x}]}", "jobs:rspec:rules:rule config contains unknown keys: x"),
    ("rspec: {script: a, rules: [{when: always}], only: [a]}", "jobs:rspec config key may not be used with `rules`: only"),
    ("rspec: {script: a, needs: [x]}", "rspec job: undefined need: x"),
    ("rspec: {script: a, needs: [x]}\nx: {script: a, stage: deploy}",
     "rspec job: need x is not defined in current or prior stages"),
    ("rspec: {script: a, needs: [rspec]}", "rspec job: need rspec is not defined in current or prior stages"),
    ("a: {script: a, needs: [b]}\nb: {script: a, needs: [a]}", "a job: needs form a cycle"),
    ("rspec: {script: a, needs: [5]}", "jobs:rspec:needs config should be an array of strings or hashes"),
    ("rspec: {script: a, needs: [{artifacts: true}]}", "jobs:rspec:needs:need job can't be blank"),
    ("rspec: {script: a, parallel: x}", "jobs:rspec parallel is not a number"),
    ("rspec: {script: a, parallel: 0}", "jobs:rspec parallel must be greater than or equal to 1"),
    ("rspec: {script: a, parallel: 201}", "jobs:rspec parallel must be less than or equal to 200"),
    ("rspec: {script: a, parallel: {matrix: [{A: [1, 2], B: []}]}}",
     "jobs:rspec:parallel matrix should be an array of hashes with texts or arrays of texts"),
    (f"rspec: {{script: a, parallel: {{matrix: [{{A: {list(range(20))}, B: {list(range(20))}}}]}}}}",
     "jobs:rspec:parallel matrix generates too many jobs (maximum is 200)"),
    ("rspec: {script: a, timeout: soon}", "jobs:rspec timeout should be a duration"),
    ("rspec: {script: a, interruptible: 1}", "jobs:rspec interruptible should be a boolean value"),
    ("rspec: {script: a, when: delayed}", "jobs:rspec start in should be a duration"),
    ("rspec: {script: a, start_in: 5 minutes}", "jobs:rspec start in must be blank"),
    ("rspec: {script: a, when: delayed, start_in: 2 weeks}", "jobs:rspec start in should not exceed the limit of 1 week"),
    ("rspec: {script: a, only: {variables: ['$A &&']}}", "jobs:rspec:only variables invalid expression syntax: it ends too early"),
    ("rspec: {script: a, only: {changes: x}}", "jobs:rspec:only changes should be an array of strings"),
    ("rspec: {script: a, release: {tag_name: x}}", "jobs:rspec:release description can't be blank"),
    ("rspec: {trigger: {project: a/b}}",
     "jobs:rspec trigger is not supported: a job starts no pipeline, use the token of a trigger in a script"),
    ("rspec: {script: a, secrets: {A: {vault: x}}}",
     "jobs:rspec secrets is not supported: the instance reads no other store of secrets, use variables of the project or group"),
    ("rspec: {script: a, id_tokens: {A: {aud: x}}}",
     "jobs:rspec id tokens is not supported: the instance issues no tokens for jobs, use variables of the project or group"),
    ("default: {id_tokens: {A: {aud: x}}}\nrspec: {script: a}",
     "default id tokens is not supported: the instance issues no tokens for jobs, use variables of the project or group"),
    ("rspec: {script: a, needs: [{pipeline: $UP, job: x}]}",
     "jobs:rspec:needs:need pipeline is not supported: a job gets no files of another pipeline of its project"),
    ("rspec: {script: a, needs: [{project: a/b, job: x}]}", "jobs:rspec:needs:need ref can't be blank"),
    ("rspec: {script: a, retry: {max: 1, when: sometimes}}", "jobs:rspec:retry when unknown value: sometimes"),
    ("rspec: {script: a, artifacts: {reports: {junitt: x}}}", "jobs:rspec:artifacts:reports config contains unknown keys: junitt"),
    ("rspec: {script: a, artifacts: {reports: {junit: 5}}}", "jobs:rspec:artifacts:reports junit should be an array of strings"),
    ("rspec: {script: a, artifacts: {reports: {coverage_report: {path: x}}}}",
     "jobs:rspec:artifacts:reports:coverage_report config should have a coverage_format and a path"),
    ("rspec: {script: a, artifacts: {access: some}}", "jobs:rspec:artifacts access should be all, developer, maintainer or none"),
    ("rspec: {script: a, image: {name: x, pull_policy: often}}",
     "jobs:rspec:image pull policy should be always, if-not-present or never"),
    ("rspec: {script: a, image: {name: x, docker: {cpus: 1}}}", "jobs:rspec:image:docker config contains unknown keys: cpus"),
    ("rspec: {script: a, environment: {name: x, deployment_tier: best}}",
     "jobs:rspec:environment deployment tier should be one of production, staging, testing, development, other"),
    ("rspec: {script: a, environment: {name: x, auto_stop_in: soon}}", "jobs:rspec:environment auto stop in should be a duration"),
    ("rspec: {script: a, rules: [{changes: {path: [x]}}]}", "jobs:rspec:rules:rule:changes config contains unknown keys: path"),
    ("rspec: {script: a, rules: [{exists: {paths: [x], project: y}}]}",
     "jobs:rspec:rules:rule:exists config contains unknown keys: project"),
    ("workflow: {auto_cancel: {on_job_failure: all}}\nrspec: {script: a}",
     "workflow:auto_cancel on job failure all is not supported: a failed job cancels no other job"),
    ("workflow: {auto_cancel: {on_new_commit: x}}\nrspec: {script: a}",
     "workflow:auto_cancel on new commit should be conservative, interruptible or none"),
    ("rspec: {script: a, hooks: {post: x}}", "jobs:rspec:hooks config contains unknown keys: post"),
    ("default: {script: x}\nrspec: {script: a}", "default config contains unknown keys: script"),
    ("default: {image: [x]}\nrspec: {script: a}", "default:image config should be a hash or a string"),
    ("image: a\ndefault: {image: b}\nrspec: {script: a}", "default image is defined both at the top level and in default"),
    ("workflow: {rules: [{when: manual}]}\nrspec: {script: a}", "workflow:rules:rule when should be always or never"),
    ("rspec: {script: a, inherit: {default: x}}", "jobs:rspec:inherit default should be a boolean value or an array of strings"),
    ("include: {local: a.yml, file: b.yml}\nrspec: {script: a}", "include config should have one of local, file, remote, template"),
    ("include: {component: a/b@1}\nrspec: {script: a}",
     "include:component is not supported: include the file with project, ref and file"),
    ("include: {local: a.yml, rules: x}\nrspec: {script: a}", "include:rules config should be an array of hashes"),
    ("include: {local: a.yml, rules: [{when: manual}]}\nrspec: {script: a}", "include:rules:rule when should be always or never"),
    ("include: {template: None.gitlab-ci.yml}\nrspec: {script: a}", "Template file 'None.gitlab-ci.yml' is not valid."),
    ("include: https://user:secret@example.org/a.yml?token=x\nrspec: {script: a}",
     "Remote file 'https://example.org/a.yml' is not valid."),
    ("include: {file: b.yml}\nrspec: {script: a}", "include config file needs a project"),
]  # fmt: skip


def errors_of(text: str) -> list[str]:
    return [error.text for error in compile_config(parse_file(text.encode())).errors]


@pytest.mark.parametrize("table", [TABLE, NEWER], ids=["specification", "newer"])
def test_the_first_error_is_the_sentence_that_clients_know(table):
    found = [(text, errors_of(text)[:1]) for text, _ in table]
    assert found == [(text, [sentence]) for text, sentence in table]


def test_all_errors_are_listed_global_keys_first_then_jobs_in_the_order_of_the_file():
    text = "b: {retry: x, tags: 1, script: 5}\na: {script: 1}\ncache: {x: 1}\nvariables: 1\nimage: [a]"
    assert errors_of(text) == [
        "image config should be a hash or a string",
        "variables config should be a hash of key value pairs",
        "cache config contains unknown keys: x",
        "jobs:b tags should be an array of strings",
        "jobs:b retry is not a number",
        "jobs:b:script config should be a string or an array of strings",
        "jobs:a:script config should be a string or an array of strings",
    ]


def test_cross_checks_wait_until_the_shape_is_right():
    assert errors_of("a: {script: a, stage: x}\nb: {script: a, tags: x}") == [
        "jobs:b tags should be an array of strings"
    ]


def test_an_error_names_the_line_of_its_key():
    text = "rspec:\n  script: a\n  artifacts:\n    paths: [a]\n    expire_in: soon\n\nlint:\n  script: a\n  stage: x\n"
    assert [(e.text, e.line) for e in compile_config(parse_file(text.encode())).errors] == [
        ("jobs:rspec:artifacts expire in should be a duration", 5)
    ]
    text = text.replace("soon", "1 week")
    assert [error.line for error in compile_config(parse_file(text.encode())).errors] == [7]


def test_the_number_and_the_length_of_errors_have_limits():
    keys = ", ".join(f"key-{n:05}: 1" for n in range(90))
    found = errors_of("".join(f"job-{n}: {{{keys}}}\n" for n in range(101)))
    assert len(found) == MAX_PROBLEMS
    assert max(map(len, found)) == 1_000


def test_a_site_that_is_not_published_is_a_warning():
    compiled = compile_config(parse_file(b"pages: {script: a}\nsite: {script: a, pages: true}"))
    assert [(w.text, w.line) for w in compiled.warnings] == [
        ("site job: only a job called pages publishes a site, from its folder public", 2)
    ]
