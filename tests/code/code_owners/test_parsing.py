"""The file CODEOWNERS: sections, patterns, and the bounds of a search."""

import pytest

from mujina.code.code_owners.parsing import MAX_ENTRIES, find_owned, parse

TEXT = """
# Everything
* @all
README.md @docs @group/sub a@example.org
/docs/ @docs
*.rb @ruby  # inline
\\#tagged @hash
with\\ space @space
nobody
[Two][2] @default
app/**/x.py
!app/no/
^[Optional] @lib
lib/
config @config
[two]
more @more
"""


def owned(*paths, text=TEXT):
    return [(each.section, each.pattern, each.owners, each.required) for each in find_owned(parse(text), paths)]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a/file", [("codeowners", "*", ("@all",), 1)]),
        ("a/README.md", [("codeowners", "README.md", ("@docs", "@group/sub", "a@example.org"), 1)]),
        ("docs/a/b", [("codeowners", "/docs/", ("@docs",), 1)]),
        ("a/docs/b", [("codeowners", "*", ("@all",), 1)]),
        ("a/b.rb", [("codeowners", "*.rb", ("@ruby",), 1)]),
        ("#tagged", [("codeowners", "#tagged", ("@hash",), 1)]),
        ("with space", [("codeowners", "with space", ("@space",), 1)]),
        ("nobody", []),
        ("app/x.py", [("codeowners", "*", ("@all",), 1), ("Two", "app/**/x.py", ("@default",), 2)]),
        ("app/a/b/x.py", [("codeowners", "*", ("@all",), 1), ("Two", "app/**/x.py", ("@default",), 2)]),
        ("app/no/x.py", [("codeowners", "*", ("@all",), 1)]),
        ("a/lib/b/c", [("codeowners", "*", ("@all",), 1), ("Optional", "lib/", ("@lib",), 0)]),
        ("config", [("codeowners", "*", ("@all",), 1), ("Optional", "config", ("@config",), 0)]),
        ("more", [("codeowners", "*", ("@all",), 1), ("Two", "more", ("@more",), 2)]),
    ],
)
def test_the_last_pattern_of_each_section_owns_a_path(path, found):
    assert owned(path) == found


def test_several_paths_are_owned_by_all_their_patterns():
    assert [pattern for _, pattern, _, _ in owned("a.rb", "docs/a", "b.rb")] == ["/docs/", "*.rb"]
    assert owned() == []


def test_a_search_that_costs_too_much_passes_over_no_owner():
    hostile = "\n".join(f"**/a*a*a*a*b{n}/**/c/**/*d @x" for n in range(MAX_ENTRIES))
    paths = ["a" * 200 + "/a" * 500 + str(n) for n in range(100)]
    assert len(owned(*paths, text=hostile)) == MAX_ENTRIES
    assert len(find_owned(parse(hostile), None)) == MAX_ENTRIES


def test_lines_beyond_the_bounds_are_ignored():
    long = "x" * 2_000
    assert owned("a", text=f"{long} @a\n[" + "[" * 900 + "\na @b") == [("codeowners", "a", ("@b",), 1)]
    assert owned("last", text="a @a\n" * MAX_ENTRIES + "last @b") == []
