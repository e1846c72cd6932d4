"""A page is written of its category's items, by a model or by the tier."""

import pytest

from ragpp.errors import ConsolidationError
from ragpp.extraction import Extractor
from ragpp.llm.replies import PageReply, WrittenLine, WrittenSection
from ragpp_services.workers.parts import WorkerParts
from tests.support.each import each_case
from tests.support.extractor import trained
from tests.support.kept_catalog import KeptCatalog
from tests.support.models import Scripted, Suggests
from tests.support.stage import Erasures, category, document, done, models, parts_of, work


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


async def priced(extractor: Extractor, **more: object) -> tuple[KeptCatalog, WorkerParts]:
    """A category of two items."""
    catalog = KeptCatalog({"res_1": document()}, categories={"prices": category()})
    parts = parts_of(extractor, catalog)
    await done(parts, work(task="extract", resource_id="res_1", category_hint="prices"))
    return catalog, parts_of(extractor, catalog, **more)


async def test_a_page_is_written_of_the_categorys_items(extractor: Extractor) -> None:
    catalog, _ = await priced(extractor)
    basic = next(item for item in catalog.items.values() if "$99" in item.content)
    number = 1 + sorted(catalog.items).index(basic.item_id)
    lines = [
        WrittenLine(text="Basic is $99.", items=[number, 9]),
        WrittenLine(text="Basic is $1.", items=[number]),  # a number that its fact has not
        WrittenLine(text="Support is free.", items=[9]),  # of no fact
    ]
    reply = PageReply(sections=[WrittenSection(title="Plans", lines=lines)])
    parts = parts_of(extractor, catalog, models=models(Suggests(reply)))
    result = await done(parts, work(task="consolidate", category="prices"))
    (sections,) = catalog.sections
    assert [(one.title, line.text, line.item_ids) for one in sections or () for line in one.lines] == [
        ("Plans", "Basic is $99.", (basic.item_id,)),
    ]
    assert (result["category_id"], result["name"], result["item_count"]) == ("cat_1", "prices", 2)
    assert result["content_length"] == len(catalog.categories["prices"].markdown_content)


async def test_the_tier_makes_the_page_where_no_model_answers(extractor: Extractor) -> None:
    catalog, parts = await priced(extractor, models=models(Scripted(None)))
    result = await done(parts, work(task="consolidate", category="prices"))
    assert catalog.sections == [None]
    assert (result["model"], result["fallback"]) == (None, "unavailable")


@each_case("how", [{"new_items": 0}, {"edited": True}])
async def test_a_page_with_nothing_new_or_a_persons_costs_no_tokens(
    extractor: Extractor, how: dict[str, object]
) -> None:
    model = Suggests(PageReply(sections=[]))
    catalog, parts = await priced(extractor, models=models(model))
    catalog.categories["prices"] = category(**how)
    await done(parts, work(task="consolidate", category="prices"))
    assert (model.prompts, catalog.categories["prices"].markdown_content) == ([], "# Prices")


async def test_a_page_that_lost_something_is_written_by_the_model_as_it_was_before(extractor: Extractor) -> None:
    reply = PageReply(sections=[WrittenSection(title="Plans", lines=[WrittenLine(text="Plans cost.", items=[1])])])
    catalog, parts = await priced(extractor, models=models(Suggests(reply)))
    catalog.categories["prices"], catalog.stale = category(new_items=0), {"prices"}
    result = await done(parts, work(task="consolidate", category="prices"))
    assert (result["model"], catalog.categories["prices"].markdown_content) == ("scripted:two", "Plans cost.")


async def test_a_page_that_cannot_be_made_is_an_error_and_stays_as_it_was(extractor: Extractor) -> None:
    catalog, parts = await priced(extractor)
    catalog.pages_fail = True
    with pytest.raises(ConsolidationError):
        await done(parts, work(task="consolidate", category="prices"))
    assert catalog.categories["prices"].markdown_content == "# Prices"


async def test_a_category_that_is_gone_is_not_named(extractor: Extractor) -> None:
    assert await done(parts_of(extractor, KeptCatalog()), work(task="consolidate", category="prices")) == {"gone": True}


async def test_all_is_rebuilt_page_by_page_and_it_is_told_how_far(extractor: Extractor) -> None:
    resources = {f"res_{number:04}": document(resource_id=f"res_{number:04}") for number in range(1_200)}
    erasures = Erasures()
    parts = parts_of(extractor, KeptCatalog(resources), erasures=erasures)
    assert await done(parts, work(task="rebuild")) == {"rebuilt": 1_200}
    assert erasures.told == [500, 1_000]
