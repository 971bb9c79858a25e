"""Rows declare their columns, parts and the columns of an entity; entities are made from them by name."""

from typing import Annotated

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from mujina.kernel.db.entities import Computed, entity_maker, to_entity
from mujina.kernel.db.rows import (
    Row,
    changed_columns,
    insert_text,
    read_row,
    read_rows,
    sent_columns,
    update_text,
)


class Chapter(msgspec.Struct, kw_only=True):
    id: int
    title: str
    due_date: Annotated[str | None, "c.due_on"]
    pages: Annotated[int, "b.pages"]
    url: Computed[str]
    tags: list[str]
    draft: bool | UnsetType = UNSET


class WriterRow(Row, alias="w"):
    id: int
    name: str


class ChapterView(Row, alias="c", of=Chapter):
    id: int
    writer: WriterRow
    editor: WriterRow | None


class LockedChapter(Row, alias="c", of=Chapter, own=True):
    weight: int


def test_a_row_reads_the_columns_of_its_entity_its_own_and_those_of_its_parts():
    assert ChapterView.columns == "c.id, c.title, c.due_on, b.pages, w.id, w.name, w.id, w.name"


def test_only_columns_of_the_table_itself_are_locked():
    assert LockedChapter.columns == "c.id, c.title, c.due_on, c.weight"


def test_parts_are_read_from_their_columns_and_may_be_missing():
    whole = (1, "Start", None, 7, 2, "Ada", 3, "Eve")
    rows = read_rows(ChapterView, [whole, (*whole[:6], None, None)])
    assert [(row.writer.name, row.editor and row.editor.name) for row in rows] == [("Ada", "Eve"), ("Ada", None)]
    assert read_row(ChapterView, whole) == rows[0]


def test_an_entity_is_made_from_the_fields_of_a_row_and_from_what_the_row_lacks():
    row = read_row(ChapterView, (1, "Start", "2030-01-01", 7, 2, "Ada", None, None))
    made = to_entity(Chapter, row, url="/1", tags=["a"])
    assert made == Chapter(id=1, title="Start", due_date="2030-01-01", pages=7, url="/1", tags=["a"])
    assert to_entity(Chapter, row, title="End", url="/1", tags=[], draft=True).title == "End"


def test_an_entity_that_lacks_a_field_is_not_made():
    with pytest.raises(TypeError, match="tags"):
        entity_maker(Chapter, ChapterView)(read_row(ChapterView, (1, "x", None, 7, 2, "Ada", None, None)), url="/1")


def test_parameters_become_columns_by_the_names_of_fields():
    params = {"weight": 3, "due_date": "2030-01-01", "pages": 1}
    assert sent_columns(LockedChapter, params, exclude={"pages"}) == {"weight": 3, "due_on": "2030-01-01"}


def test_a_parameter_is_never_dropped_silently():
    with pytest.raises(TypeError, match="LockedChapter has no column for unknown"):
        sent_columns(LockedChapter, {"weight": 3, "unknown": 1}, exclude=set())


def test_only_columns_that_differ_have_changed():
    before = read_row(LockedChapter, (1, "Start", None, 3))
    columns = {"title": "End", "due_on": "2030-01-01", "weight": 3, "title_folded": "end"}
    assert changed_columns(before, columns) == {"title": ("Start", "End"), "due_on": (None, "2030-01-01")}


def test_statements_name_exactly_the_columns_that_are_written():
    inserted = "INSERT INTO chapters (iid, title, weight) VALUES (next_iid(:book), :title, :weight)"
    assert insert_text("chapters", ("title", "weight"), "next_iid(:book)") == inserted
    assert update_text("chapters", ("title",), ("id",)) == "UPDATE chapters SET title = :title WHERE id = :id"
    with pytest.raises(ValueError, match="not the name of a column"):
        insert_text("chapters", ("title) --",), "1")
