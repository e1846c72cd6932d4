"""A language model's reading of resources: nothing that is not borne out, and in parts."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import ModelUnavailable
from ragpp.llm.port import Completion, Prompt, ReplyT, Usage
from ragpp.llm.replies import FactsReply, SaidFact
from ragpp.llm.resources import Part, keeps_numbers, read_resource
from tests.support.episodic import NOON
from tests.support.models import Silent

LONG: Final = "The harbour has room for boats. " * 170


class Reads(Silent):
    """A model that repeats each part that it is given as a fact; it is away for every prompt that has `away`."""

    name = "scripted:reads"

    def __init__(self, away: str = "\0") -> None:
        self._away, self.prompts = away, 0

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        self.prompts += 1
        if self._away in prompt.user:
            raise ModelUnavailable("away")
        given = [json.loads(line) for line in prompt.user.splitlines() if line.startswith('{"n"')]
        said = [
            SaidFact(text=one["text"][-50:], quote=one["text"][:40], messages=[one["n"]], kind="fact", confidence=0.9)
            for one in given
        ]
        reply = FactsReply(facts=said)
        return Completion(schema.model_validate(reply.model_dump()), Usage(), self.name)


def parts(*texts: str) -> list[Part]:
    return [Part(text, "document", NOON, number) for number, text in enumerate(texts)]


async def test_a_long_resource_is_read_in_parts_each_of_which_keeps_its_place() -> None:
    model, read = Reads(), parts(*(f"{LONG}Berth {number} is free." for number in range(12)))
    reading = await read_resource(model, read)
    assert model.prompts > 1
    assert [(fact.parts, f"Berth {place} is" in fact.text) for place, fact in enumerate(reading.facts)] == [
        ((place,), True) for place in range(12)
    ]
    assert (reading.unread, reading.failed, reading.dropped) == (frozenset(), (), 0)


async def test_what_a_model_did_not_read_is_told() -> None:
    read = parts(*(f"{LONG}Berth {number} is free." for number in range(12)))
    reading = await read_resource(Reads(away="Berth 0 "), read)
    there = {fact.parts[0] for fact in reading.facts}
    assert 0 in reading.unread
    assert there | reading.unread == set(range(12))
    assert not there & reading.unread
    assert reading.failed == ("unavailable",)


async def test_a_resource_of_which_a_model_reads_nothing_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        await read_resource(Reads(away="Berth"), parts("Berth 1 is free."))


async def test_nothing_costs_nothing() -> None:
    model = Reads()
    assert (await read_resource(model, [])).facts == ()
    assert model.prompts == 0


@given(st.text(), st.lists(st.text()))
def test_a_number_that_nobody_gave_is_seen(text: str, others: list[str]) -> None:
    assert keeps_numbers(text, [text, *others])
    assert not keeps_numbers(f"{text} 7341", [part.replace("7341", "") for part in others])
