"""Every parameter that creates or edits an object becomes a column, or is handled by name: none is dropped silently."""

import re
from importlib import import_module

import pytest

from mujina.kernel.db.rows import sent_columns
from tests.architecture.source import modules

WRITES = re.compile(r"sent_columns\((\w+), ")

writers = {
    name: match[1]
    for name, module in modules().items()
    if module.slice is not None and (match := WRITES.search(module.text))
}


@pytest.mark.parametrize("name", writers)
def test_every_parameter_is_written(name):
    operations, params = import_module(name), import_module(name.replace(".operations", ".params"))
    changes = [kind for kind in vars(params) if re.fullmatch(r"(Create|Edit)[A-Z]\w+", kind)]
    assert len(changes) >= 2
    for kind in changes:
        fields = [
            getattr(operations, "RENAMED", {}).get(field, field) for field in vars(params)[kind].__struct_fields__
        ]
        sent_columns(getattr(operations, writers[name]), dict.fromkeys(fields), exclude=operations.NOT_COLUMNS)


def test_the_nouns_that_the_tutorial_names_are_among_them():
    slices = {modules()[name].slice for name in writers}
    assert {"issues", "merge_requests", "milestones", "epics", "labels"} <= slices
