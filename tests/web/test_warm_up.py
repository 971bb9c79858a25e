"""Work that is done before the first visitor comes."""

import mimetypes

from jinja2 import ChoiceLoader, FileSystemLoader

from mujina.kernel import deferred_imports
from mujina.planning.awards.emoji import characters
from mujina.product import PRODUCT
from mujina.web.assets import assets
from mujina.web.responses import templates
from mujina.web.warm_up import warm_up


def test_the_first_page_reads_neither_assets_nor_names_of_emoji_nor_types_of_files():
    steps = list(warm_up(PRODUCT))
    assert {assets, characters, templates, mimetypes.init} <= set(steps)


def test_what_every_page_needs_is_ready_before_the_templates_of_single_pages():
    steps = list(warm_up(PRODUCT))
    compiled = [n for n, step in enumerate(steps) if getattr(step, "func", None) == templates().loader.load]
    first = min(compiled, default=len(steps))  # without a place for compiled templates, none is compiled ahead
    assert max(map(steps.index, (assets, characters, templates, mimetypes.init, deferred_imports.pygit2))) < first


def test_what_was_compiled_beside_the_templates_is_none(tmp_path, monkeypatch):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "template-2-1.cache").write_bytes(b"\xff")
    made = templates()
    monkeypatch.setattr(made, "loader", ChoiceLoader([made.loader, FileSystemLoader(tmp_path)]))
    assert any(name.endswith(".cache") for name in made.list_templates())
    for step in warm_up(PRODUCT):
        step()
