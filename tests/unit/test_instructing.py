"""Instructing: what only has the grammar of an instruction is told from one, in its message."""

from datetime import UTC, datetime
from typing import Final

import pytest

from ragpp.models import Interaction
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.learning.instructions import instructions_of
from ragpp_services.workers.stages.instructing import meant

STORY: Final = "We spent the whole day at the harbour with my uncle and his two dogs, it was lovely."
ORDER: Final = "Never use emojis."
MEANT: Final = "When I ask for a recipe, give the amounts in grams."
NONE: Final = "When I told him about the boat he laughed: buy a train."


def said(*sentences: str, name: str | None = "Ann") -> Interaction:
    moment = datetime(2024, 3, 4, tzinfo=UTC)
    return Interaction(id="m", session_id="s", role="user", name=name, content=" ".join(sentences), occurred_at=moment)


async def texts(item: Interaction, judge: Judge) -> list[str]:
    return [one.does for one in await meant(judge, [item], instructions_of([item]))]


@pytest.mark.parametrize("name", ["Ann", None])
async def test_a_sentence_of_a_story_is_no_instruction_beside_one_that_is_wherever_they_stand(name: str | None) -> None:
    assert len(instructions_of([said(STORY, NONE, STORY, MEANT, name=name)])) == 2
    assert await texts(said(STORY, NONE, STORY, MEANT, name=name), Judge(None)) == ["give the amounts in grams"]
    assert await texts(said(MEANT, STORY, NONE, name=name), Judge(None)) == ["give the amounts in grams"]


async def test_what_only_reads_like_an_order_is_none_and_a_plain_one_is() -> None:
    told = said(STORY, "Granny comes for good, sat 12 sept.", ORDER)
    assert len(instructions_of([told])) == 2
    assert await texts(told, Judge(None)) == ["use emojis"]
