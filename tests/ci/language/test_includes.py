"""`include`: files inside files, conditions, variables, templates, and what ends an endless chain."""

from hypothesis import given
from hypothesis import strategies as st

from mujina.ci.language.compiler import compile_config, missing_files, parse_file
from mujina.ci.language.composition.includes import MAX_FILES, IncludedFile
from mujina.ci.language.composition.templates import no_template, read_template, template_names
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.patterns.globs import PathMatcher

NOTHING = PipelineContext(ref="master")


def compiled(text: str, files: dict[str, str], context: PipelineContext = NOTHING):
    """The configuration of a text and the files that it may include, by location."""
    asked: list[IncludedFile] = []

    def read(file: IncludedFile):
        asked.append(file)
        return parse_file(files[file.location].encode(), file.location) if file.location in files else None

    return compile_config(parse_file(text.encode()), read, context), asked


def errors(text: str, files: dict[str, str]) -> list[str]:
    return [error.text for error in compiled(text, files)[0].errors]


def jobs(text: str, files: dict[str, str], context: PipelineContext = NOTHING) -> list[str]:
    found = compiled(text, files, context)[0]
    assert found.errors == []
    assert found.config is not None
    return [job.name for job in found.config.jobs]


def test_a_local_file_belongs_to_the_project_of_the_file_that_includes_it():
    text = "include: {project: group/library, ref: v1, file: [one.yml, two.yml]}\nmain: {script: a}"
    files = {
        "one.yml": "include: more.yml\na: {script: a}", "two.yml": "b: {script: a}", "more.yml": "c: {script: a}",
    }  # fmt: skip
    found, asked = compiled(text, files)
    assert found.errors == []
    assert [(file.kind, file.location, file.project, file.ref) for file in asked] == [
        ("file", "one.yml", "group/library", "v1"),
        ("local", "more.yml", "group/library", "v1"),
        ("file", "two.yml", "group/library", "v1"),
    ]
    assert found.includes == asked


def test_a_file_that_another_server_has_includes_no_file_of_the_repository():
    files = {"https://example.org/a.yml": "include: secret.yml", "secret.yml": "a: {script: a}"}
    assert errors("include: https://example.org/a.yml\nb: {script: a}", files) == [
        "Local file 'secret.yml' is not valid."
    ]


def test_a_chain_ends_with_a_sentence():
    assert errors("include: a.yml\nx: {script: a}", {"a.yml": "include: b.yml", "b.yml": "include: a.yml"}) == [
        "Local file 'a.yml' includes itself"
    ]
    chain = {f"{n}.yml": f"include: {n + 1}.yml" for n in range(12)}
    assert errors("include: 0.yml\nx: {script: a}", chain) == ["Local file '10.yml' is nested deeper than 10 levels"]
    wide = {f"{n}.yml": f"include: [{', '.join(f'{n}{m}.yml' for m in range(9))}]" for n in range(9)}
    wide |= {f"{n}{m}.yml": "a: {script: a}" for n in range(9) for m in range(9)}
    text = f"include: [{', '.join(f'{n}.yml' for n in range(9))}]\nx: {{script: a}}"
    assert errors(text, wide) == [f"include config should have at most {MAX_FILES} files"]


def test_conditions_decide_what_is_included():
    text = """
include:
  - {local: always.yml}
  - {local: tags.yml, rules: [{if: $CI_COMMIT_TAG}]}
  - {local: docker.yml, rules: [{exists: [Dockerfile]}]}
  - {local: docs.yml, rules: [{changes: ['docs/**']}]}
  - {local: never.yml, rules: [{if: $CI_COMMIT_TAG, when: never}, {when: always}]}
main: {script: a}
"""
    files = {f"{name}.yml": f"{name}: {{script: a}}" for name in ("always", "tags", "docker", "docs", "never")}

    def included(**context):
        return jobs(text, files, PipelineContext(ref="master", **context))[:-1]

    nothing = PathMatcher(["README"])
    assert included(changes=nothing) == ["always", "never"]
    assert included(changes=nothing, variables={"CI_COMMIT_TAG": "v1"}) == ["always", "tags"]
    assert included(changes=nothing, files=PathMatcher(["Dockerfile"])) == ["always", "docker", "never"]
    assert included(changes=PathMatcher(["docs/a.md"])) == ["always", "docs", "never"]
    assert included() == ["always", "docs", "never"]


def test_a_file_that_is_not_included_need_not_exist():
    text = "include: {local: none.yml, rules: [{if: $NO}]}\nmain: {script: a}"
    found, asked = compiled(text, {})
    assert (found.errors, asked) == ([], [])


def test_variables_are_expanded_in_locations():
    context = PipelineContext(
        ref="master", variables={"NAME": "linux", "REF": "v2", "SECRET": "hidden"}, masked=frozenset({"SECRET"})
    )
    text = """
include:
  - {local: /ci/$NAME.yml}
  - {project: group/$NAME, ref: $REF, file: x.yml}
  - {local: "$SECRET.yml"}
  - {remote: "https://example.org/%C3%A9${NAME}.yml"}
main: {script: a}
"""
    found, asked = compiled(text, {}, context)
    assert asked == [
        IncludedFile("local", "/ci/linux.yml"),
        IncludedFile("file", "x.yml", "group/linux", "v2"),
        IncludedFile("local", ".yml"),
        IncludedFile("remote", "https://example.org/%C3%A9linux.yml"),
    ]
    assert not any("hidden" in error.text for error in found.errors)


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=4), max_size=6))
def test_reading_what_is_missing_until_nothing_is_ends_with_the_same_configuration(graph):
    files = {
        f"{n}.yml": f"include: [{', '.join(f'{m}.yml' for m in below)}]\n{n}: {{script: a}}"
        for n, below in graph.items()
    }
    parsed = parse_file(b"include: [a.yml, b.yml]\nmain: {script: a}")
    known = {}
    rounds = 0
    while missing := missing_files(parsed, known.get):
        rounds += 1
        for file in missing:
            assert file not in known
            known[file] = parse_file(files.get(file.location, "x: y: z").encode(), file.location)
    assert rounds <= len(files) + 2
    at_once, _ = compiled("include: [a.yml, b.yml]\nmain: {script: a}",
                          {**dict.fromkeys((f"{n}.yml" for n in "abcdef"), "x: y: z"), **files})  # fmt: skip
    assert compile_config(parsed, known.get).errors == at_once.errors
    assert compile_config(parsed, known.get).config == at_once.config


def test_every_template_is_a_valid_file_that_says_what_to_do_with_it():
    assert {"Bash.gitlab-ci.yml", "Python.gitlab-ci.yml", "Pages/HTML.gitlab-ci.yml"} <= set(template_names())
    for name in template_names():
        content = read_template(name)
        assert content is not None
        assert content.startswith(b"# ")
        more = b"\nown: {script: a}" if name.startswith("Workflows/") else b""
        assert compile_config(parse_file(content + more)).errors == [], name
    assert read_template("../templates.py") is None
    assert "Python.gitlab-ci.yml" in no_template()
