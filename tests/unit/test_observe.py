"""The things that one message teaches, as entries for the tiers."""

from collections.abc import Sequence

from ragpp.models import FindingEntry, Interaction, Observation
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import TRAITS, Judgement
from ragpp_services.workers.stages.history import teaches
from ragpp_services.workers.stages.observe import observation_of, preferences_of
from ragpp_services.workers.stages.stating import found_in
from tests.support.extractor import trained
from tests.support.said import said
from tests.support.workers import parts_with

EXTRACTOR = trained()


class Obeys:
    """A judge that takes every clause for an instruction."""

    async def judge_said(self, _item: Interaction, _text: str, spans: Sequence[Span]) -> list[Judgement]:
        return [Judgement("instruction", 1.2, 1.0, dict.fromkeys(TRAITS, 0.9)) for _ in spans]


def observed(item: Interaction) -> Observation:
    extraction = EXTRACTOR.extract(item.content, speaker=item.name, said_at=item.occurred_at)
    return observation_of("7", item, extraction, {})


async def findings(item: Interaction) -> list[FindingEntry]:
    return (await found_in(parts_with(extractor=EXTRACTOR), [item]))[item.id]


def test_what_is_over_is_told_as_an_end() -> None:
    told = observed(said("a", "I don't live in Leeds any more.", name="Noor")).relationships
    assert [(one.source, one.type, one.target, one.ends) for one in told] == [("Noor", "LIVES_IN", "Leeds", True)]
    assert len({one.id for one in told}) == len(told)


async def test_a_finding_said_twice_is_one_finding() -> None:
    (one,) = await findings(said("a", "I decided to sell the boat.", name="Noor"))
    (other,) = await findings(said("b", "I decided to  sell the boat!", name="Noor", day=9))
    assert one.id == other.id
    assert (one.finding, one.text) == ("decision", "Noor decided to sell the boat.")
    (of_another,) = await findings(said("c", "I decided to sell the boat.", name="Felix"))
    assert of_another.id != one.id


async def test_a_fact_inside_a_request_is_found_and_the_request_is_not() -> None:
    item = said("a", "what could I cook for Leo? he's allergic to hazelnuts. thanks!", name="Noor")
    (found,) = await findings(item)
    assert (found.finding, found.text) == ("health", "Leo's allergic to hazelnuts.")
    assert found.details["verbatim"] == "he's allergic to hazelnuts."
    assert found.sources == ("a",)


async def test_a_clause_that_cannot_be_read_alone_is_kept_with_the_one_that_names_whom_it_is_about() -> None:
    item = said("a", "the kennel rang about biscuit. hes allergic to beef, chicken is fine", name="Noor")
    (found,) = [one for one in await findings(item) if one.finding == "health"]
    assert found.text == "The kennel rang about biscuit. hes allergic to beef, chicken is fine"
    assert found.details["verbatim"] == "hes allergic to beef, chicken is fine"


async def test_a_clause_has_no_time_no_name_and_no_words_of_somebody_elses_from_what_it_is_read_with() -> None:
    born = await findings(said("a", "I was born on 3 May 1990. it's a ground floor flat that we rent", name="Noor"))
    assert [one.when for one in born if "flat" in one.text] in ([], [None])
    dating = await findings(said("a", "he's allergic to nuts. it's serious, says Ana, an epipen and all", name="Noor"))
    assert not any(one.text.startswith("Ana") for one in dating)
    quoted = 'the kennel rang. "Bob is allergic to nuts and hates it". its owner is allergic to bees'
    assert not any("kennel" in one.text for one in await findings(said("a", quoted, name="Noor")))


async def test_what_is_said_of_answers_is_kept_though_anybody_may_say_it() -> None:
    for text in ("Always answer in German.", "Always answer in French."):
        item = said("a", text, name="Noor")
        (found,) = (await found_in(parts_with(extractor=EXTRACTOR, judge=Obeys()), [item]))["a"]
        assert (found.finding, found.text) == ("instruction", text)
    read_alone = said("a", "The kennel rang. Never use tables.", name="Noor")
    *_, last = (await found_in(parts_with(extractor=EXTRACTOR, judge=Obeys()), [read_alone]))["a"]
    assert last.text == "Never use tables."


async def test_what_is_passed_on_tells_nothing_of_its_reader() -> None:
    """A letter that somebody pastes is another's words: what it says of "me" is not the user's."""
    letter = "Can you translate this letter?\n\n> I am allergic to penicillin.\n> I live in Rennes with my two sons."
    assert await findings(said("a", letter, name="Noor")) == []


async def test_an_assistant_has_no_preferences_and_no_plans_and_still_decides() -> None:
    item = said("a", "I prefer tea. I decided to use the cache. I'm allergic to nuts.", role="assistant")
    extraction = EXTRACTOR.extract(item.content, speaker=None, said_at=item.occurred_at)
    assert await preferences_of(parts_with(), "7", item, item.content, extraction) == []
    assert {one.finding for one in await findings(item)} == {"decision"}


def test_contexts_tools_and_system_prompts_teach_nothing() -> None:
    assert teaches(said("a", "I live in Leeds."))
    assert not teaches(said("a", "I live in Leeds.", role="tool"))
    assert not teaches(said("a", "I live in Leeds.", role="system"))
    assert not teaches(said("a", "I live in Leeds.", message_type="context"))
