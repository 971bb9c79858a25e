"""The product is composed from its chapters: it works without the later ones, and has all that is in their folders."""

from mujina.kernel.product import Chapter, ExtensionPoint, Product
from mujina.kernel.removals import clean_up
from mujina.product import PRODUCT
from tests.architecture.source import CHAPTERS, modules

NAMES = ExtensionPoint[str]("names")
NUMBERS = ExtensionPoint[int]("numbers")


def test_extensions_have_the_order_of_the_chapters():
    chapters = [Chapter("first", NAMES.of("a", "b"), NUMBERS.of(1)), Chapter("second", NAMES.of("c"))]
    assert Product(chapters).all(NAMES) == ("a", "b", "c")
    assert Product(chapters[1:]).all(NAMES) == ("c",)
    assert Product(chapters[1:]).all(NUMBERS) == ()


def test_the_product_has_every_chapter_in_order():
    assert [chapter.package for chapter in PRODUCT.chapters] == [f"mujina.{name}" for name in CHAPTERS]


def test_routes_pages_and_tasks_are_found_in_every_slice():
    for name in ("routes", "pages", "tasks"):
        files = {each for each, module in modules().items() if module.slice and each.endswith(f".{name}")}
        assert {module.__name__ for module in PRODUCT.modules(name)} == files


def test_the_last_chapter_cleans_up_first(loop):
    done: list[tuple[str, int]] = []

    def cleanup(name, outcome=None):
        async def run(number):
            done.append((name, number))
            return outcome

        return run

    assert loop.run_until_complete(clean_up([cleanup("planning"), cleanup("review")], 5)) is True
    assert done == [("review", 5), ("planning", 5)]
    done.clear()
    assert loop.run_until_complete(clean_up([cleanup("planning"), cleanup("review", outcome=False)], 5)) is False
    assert done == [("review", 5)]


def test_the_product_works_without_the_chapters_after_planning(stage, database, cast, monkeypatch):
    first = Product(PRODUCT.chapters[: CHAPTERS.index("planning") + 1])
    monkeypatch.setattr(database, "product", PRODUCT)  # again, when the test ends
    root = stage.cast(stage.client(database, product=first), database).root
    project = f"/projects/{cast.private.id}"
    issue = root.post(f"{project}/issues", title="Alone", assignee_ids=[cast.owner.id])
    assert issue.status == 201
    assert root.put(f"{project}/issues/{issue.json['iid']}", state_event="close").status == 200
    assert root.post(f"{project}/issues/{issue.json['iid']}/notes", body="/reopen").status in (201, 202)
    assert root.delete(project).status == 204
    assert root.get("/projects").status == 200
    assert root.get("/merge_requests").json == {"error": "404 Not Found"}
