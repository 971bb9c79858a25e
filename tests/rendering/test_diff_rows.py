"""Changed files as rows."""

from mujina.kernel.text.diffs import FilePatch, Hunk, PatchLine
from mujina.rendering.code.diff_rows import changed_parts, mark_part, rows_of, side_by_side


def patch(*lines):
    shown, old, new = [], 1, 1
    for line in lines:
        sign, text = line[0], line[1:]
        shown.append(PatchLine(sign, old if sign in "- " else None, new if sign in "+ " else None, old, new, text))
        old, new = old + (sign in "- "), new + (sign in "+ ")
    return FilePatch(
        old_path="a", new_path="a", old_blob="1", new_blob="2", a_mode="100644", b_mode="100644", new_file=False,
        renamed_file=False, deleted_file=False, binary=False, too_large=False, additions=1, deletions=1,
        hunks=[Hunk("@@ -1,3 +1,3 @@", shown)],
    )  # fmt: skip


def test_rows_have_numbers_signs_and_the_anchors_of_discussions():
    rows = rows_of(patch(" same", "-call(old)", "+call(new)", "+more"))
    digest = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"
    assert [(row.kind, row.sign, row.old, row.new, row.code) for row in rows] == [
        ("hunk", "", None, None, ""),
        ("line", " ", 1, 1, f"{digest}_1_1"),
        ("line", "-", 2, None, f"{digest}_2_2"),
        ("line", "+", None, 2, f"{digest}_3_2"),
        ("line", "+", None, 3, f"{digest}_3_3"),
    ]
    assert [row.html for row in rows[2:]] == ["call(<del>old</del>)", "call(<ins>new</ins>)", "more"]


def test_colors_come_from_the_lines_of_both_files():
    rows = rows_of(
        patch(" a", "-x = 1", "+x = 2"),
        ["a", "x = <var>1</var>"],
        ["a", "x = <var>2</var>"],
    )
    assert rows[2].html == "x = <var></var><del><var>1</var></del>"
    assert "<ins>" in rows[3].html


def test_rows_stand_side_by_side():
    pairs = side_by_side(rows_of(patch(" a", "-b", "-c", "+d", " e", "+f")))
    shown = [(pair.left and pair.left.html, pair.right and pair.right.html) for pair in pairs]
    assert shown == [("@@ -1,3 +1,3 @@", None), ("a", "a"), ("b", "d"), ("c", None), ("e", "e"), (None, "f")]


def test_only_lines_with_something_in_common_are_compared_by_words():
    assert changed_parts("alpha beta", "gamma delta") is None
    assert changed_parts("return a", "return a") == ((8, 8), (8, 8))
    assert changed_parts("if a and b:", "if a or b:") == ((5, 8), (5, 7))
    long = "x" * 2_000
    assert changed_parts(f"{long} a", f"{long} b") == ((2_001, 2_002), (2_001, 2_002))


def test_marks_never_break_the_elements_of_a_line():
    line = "<q>&lt;abc</q>d"
    assert mark_part(line, 2, 5, "ins") == "<q>&lt;a</q><ins><q>bc</q>d</ins>"
    assert mark_part(line, 0, 99, "del") == "<q></q><del><q>&lt;abc</q>d</del>"
