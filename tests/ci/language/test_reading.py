"""YAML 1.1 as CI files use it, within limits."""

import math
from typing import Any

import pytest

from mujina.ci.language.compiler import compile_config, parse_file
from mujina.ci.language.yaml.reader import InvalidYaml
from mujina.ci.language.yaml.reader import read_yaml as read
from mujina.ci.language.yaml.values import MAX_BYTES, TOO_MANY

SCALARS = {
    "yes": True, "On": True, "off": False, "NO": False, "~": None, "null": None, "": None, "y": "y",
    "12": 12, "0777": 0o777, "0o17": 15, "0x1F": 31, "0b11": 3, "1_000": 1_000, "-3": -3, "4:30": 270, "1:00:00": 3_600,
    "1.5": 1.5, "1.5e+3": 1_500.0, ".inf": math.inf, "-.Inf": -math.inf, "08": "08", "1e3": "1e3", ".": ".", "0x": "0x",
    "2018-02-14": "2018-02-14", "2018-02-14 10:00:00": "2018-02-14 10:00:00", ":name": "name", "a:b": "a:b",
    "1.2.3": "1.2.3", "'12'": "12", '"yes"': "yes", "!!str 12": "12", "!!int '12'": 12, "! 12": "12", "9" * 400: "9" * 400,
}  # fmt: skip


def read_yaml(content: bytes) -> Any:
    return read(content)[1]


def test_plain_scalars_are_read_as_in_yaml_1_1():
    assert {text: read_yaml(f"key: {text}".encode())["key"] for text in SCALARS} == SCALARS
    assert math.isnan(read_yaml(b"key: .nan")["key"])


def test_keys_are_text_as_it_is_written():
    assert list(read_yaml(b"10: a\n010: b\non: c\n1.50: d\n:sym: e\n? \n: f")) == ["10", "010", "on", "1.50", "sym", ""]


def test_the_last_of_equal_keys_counts():
    assert read_yaml(b"a: 1\nb: 2\na: 3") == {"a": 3, "b": 2}


def test_merge_keys_take_mappings_and_lists_of_them():
    text = b"""
.a: &a {x: 1, y: 1}
.b: &b {y: 2, z: 2}
one: {<<: *a, x: 0}
two: {x: 0, <<: [*a, *b]}
text: {"<<": literally}
"""
    found = read_yaml(text)
    assert found["one"] == {"x": 0, "y": 1}
    assert found["two"] == {"x": 0, "y": 1, "z": 2}
    assert found["text"] == {"<<": "literally"}


def test_only_the_first_document_is_read():
    assert read_yaml(b"a: 1\n---\nb: 2") == {"a": 1}
    assert read_yaml(b"") is None
    assert read_yaml(b"\xef\xbb\xbfa: \xc3\xa9") == {"a": "é"}


REFUSED = {
    b"a: 1\nb: [1, 2": "(<unknown>): did not find expected ',' or ']' while parsing a flow sequence at line 2 column 4",
    b"a: b: c": "(<unknown>): mapping values are not allowed in this context at line 1 column 5",
    b"\ta: b": "(<unknown>): found character that cannot start any token while scanning for the next token at line 1 column 1",
    b"a: \xe9": "(<unknown>): the file is not UTF-8 at line 1 column 4",
    b"ok\nb: \xff\xfe": "(<unknown>): the file is not UTF-8 at line 2 column 4",
    b"a: *b": "(<unknown>): unknown alias 'b' at line 1 column 4",
    b"a: &a [*a]": "(<unknown>): alias 'a' is used inside the value that it names at line 1 column 8",
    b"a: !ruby/object {}": "(<unknown>): tag '!ruby/object' is not supported at line 1 column 4",
    b"a: !x y": "(<unknown>): tag '!x' is not supported at line 1 column 4",
    b"a: !!binary aGk=": "(<unknown>): tag 'tag:yaml.org,2002:binary' is not supported at line 1 column 4",
    b"a: {<<: text}": "(<unknown>): a merge key takes a mapping or a list of mappings at line 1 column 5",
    b"? [a]\n: b": "(<unknown>): a key has to be text at line 1 column 3",
    b'a: "\\0"': "(<unknown>): control characters are not allowed at line 1 column 4",
    b"a: !reference [1]": "(<unknown>): !reference takes the name of a job and keys in it at line 1 column 4",
    b"[" * 5_000: "(<unknown>): more than 100 levels of nesting at line 1 column 101",
    b"{a: " * 5_000: "(<unknown>): more than 100 levels of nesting at line 1 column 401",
    b"- " * 5_000: "(<unknown>): more than 100 levels of nesting at line 1 column 201",
    b"\n".join(b"%%TAG !a%d! b" % n for n in range(30_000)): "(<unknown>): too many %TAG directives at line 1 column 1",
    b"x" * (MAX_BYTES + 1): f"(<unknown>): the file is larger than {MAX_BYTES} bytes at line 1 column 1",
}


def test_what_cannot_be_read_is_refused_with_its_place():
    found: dict[bytes, str] = {}
    for content in REFUSED:
        with pytest.raises(InvalidYaml) as refused:
            read_yaml(content)
        found[content] = str(refused.value)
    assert found == REFUSED


def _levels(first: str, level: str) -> bytes:
    """Each level uses the one before it nine times."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {level.format(','.join([f'*a{n - 1}'] * 9))}" for n in range(1, 8)]
    return "\n".join(lines).encode()


BOMBS = {
    "aliases": _levels("[x]", "[{}]"),
    "merge keys": _levels("{k: v}", "{{<<: [{}]}}"),
    "texts": b"a: &a " + b"x" * 500_000 + b"\nb: [" + b"*a," * 1_000 + b"]",
    "entries": b"a: [" + b"x," * 60_000 + b"]",
    "extends": b".a: {variables: {%s}}\n" % b",".join(b"k%d: 1" % n for n in range(5_000))
    + b"".join(b"j%d: {script: a, extends: .a}\n" % n for n in range(900)),
    "references": b".r0: {k: [a]}\n"
    + b"".join(b".r%d: {k: [%s]}\n" % (n, b",".join([b"!reference [.r%d, k]" % (n - 1)] * 9)) for n in range(1, 9))
    + b"job: {script: !reference [.r8, k]}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_stands_for_a_huge_one_ends_with_a_sentence(name):
    errors = compile_config(parse_file(BOMBS[name])).errors
    assert len(errors) == 1
    assert TOO_MANY in errors[0].text


def test_a_bomb_of_merge_keys_fits_into_four_hundred_bytes():
    assert len(BOMBS["merge keys"]) < 400


def test_limits_count_jobs_and_variables():
    def only_error(text: str) -> list[str]:
        return [error.text for error in compile_config(parse_file(text.encode())).errors]

    jobs = "".join(f"j{n}: {{script: a}}\n" for n in range(1_001))
    assert only_error(jobs) == ["jobs config should have at most 1000 jobs"]
    parallel = "".join(f"j{n}: {{script: a, parallel: 200}}\n" for n in range(6))
    assert only_error(parallel) == ["jobs config should have at most 1000 jobs"]
    variables = "variables: {" + ", ".join(f"A{n}: 1" for n in range(1_001)) + "}\nj: {script: a}"
    assert only_error(variables) == ["variables config should have at most 1000 variables"]
