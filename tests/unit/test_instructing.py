"""Instructing: what only has the grammar of an instruction is told from one, in its message."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import pytest

from ragpp.models import Interaction
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import Judge, Judgement
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


async def test_a_plain_order_needs_no_judgement() -> None:
    class Refuses(Judge):
        async def judge(self, text: str, spans: Sequence[Span]) -> list[Judgement]:
            raise AssertionError(f"{text} was judged: {spans}")

    assert await texts(said(STORY, ORDER), Refuses(None)) == ["use emojis"]
