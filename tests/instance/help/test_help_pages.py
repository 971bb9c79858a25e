"""Help, the list of operations, robots.txt."""

import pytest

from mujina.kernel.openapi.outline import outline
from mujina.product import PRODUCT

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_help_is_open_to_everyone(browse, cast):
    cast.root.put("/application/settings", help_page_text="Ask <b>Anna</b>.")
    visitor = browse("anonymous")
    assert "Ask &lt;b&gt;Anna&lt;/b&gt;." in visitor.open("/help").text
    assert "To-do list" in visitor.open("/help/shortcuts").text
    assert visitor.open("/robots.txt").text.startswith("User-Agent: *\nDisallow: /admin\n")
    assert "/help/api/issues" in visitor.open("/help/api").text
    assert "POST /api/v4/projects/:id/issues" in visitor.open("/help/api/issues").text
    assert visitor.open("/help/api/nothing").status == 404
    nouns = outline(PRODUCT)
    largest = max(nouns, key=lambda noun: len(nouns[noun]))
    assert len(visitor.open(f"/help/api/{largest}").body) < 60_000
