"""Summaries as the operator wants them."""

from typing import Final

import pytest

from ragpp.entries.values import ENTRY, EntryQuery
from ragpp.settings import EntrySettings
from ragpp_infra.embedded.stack import Endpoints
from tests.support.catalog import catalog_tier, item, resource
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
CHOSE: Final = "We chose {} for the dashboard, since its middleware logs every action of the editors."
SAID: Final = {"summary": "Redux logs what the editors of the dashboard do"}


async def test_a_shorter_summary_is_made_from_then_on_and_what_was_made_stays(endpoints: Endpoints) -> None:
    scope = new_scope()
    lengths = {50: "Redux", 20: "Pinia"}
    for most, name in lengths.items():
        async with catalog_tier(endpoints, entries=EntrySettings(summary_max_length=most)) as tier:
            told = item(CHOSE.format(name), "r", id=f"{name}-told")
            given = item(f"{name} it is.", "r", id=f"{name}-given").model_copy(update={"metadata": {ENTRY: SAID}})
            await tier.store(scope, [resource(id="r"), told, given])
            found = await tier.find_entries(scope, EntryQuery(contents=True))
    summaries = {one.entry.memory_id: one.entry.summary for one in found}
    assert len(summaries) == 4
    for most, name in lengths.items():
        for kind in ("told", "given"):
            summary = summaries[f"{name}-{kind}"]
            assert len(summary) <= most
            assert most == 20 or len(summary) > 20
