"""A language model's reading of a window is kept beside what the local extractors found, once and checked."""

import pytest

from ragpp.errors import ModelUnavailable
from ragpp.llm.replies import SaidFinding, SaidPreference, SaidRelationship, WindowReply
from ragpp.models import FindingEntry, PreferenceEntry
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.stages.modelled import read_with_model
from tests.support.extractor import trained
from tests.support.models import Scripted
from tests.support.said import said

ITEMS = (
    said("a", "My sister Elena lives in Lisbon.", name="Maria"),
    said("b", "The kettle is how I start each day, with green tea in it.", name="Maria", minute=1),
    said("c", "Zoe is Elena's oldest friend.", name="Maria", minute=2),
)


def relationship(source: str, type_: str, target: str, message: int, quote: str) -> SaidRelationship:
    return SaidRelationship(
        messages=[message],
        quote=quote,
        source=source,
        source_label="PERSON",
        type=type_,
        target=target,
        target_label="GPE" if type_ == "LIVES_IN" else "PERSON",
        ended=False,
        confidence=0.9,
    )


REPLY = WindowReply(
    relationships=[
        relationship("Elena", "LIVES_IN", "Lisbon", 1, "lives in Lisbon"),
        relationship("Elena", "FRIEND_OF", "Zoe", 3, "Zoe is Elena's oldest friend"),
        relationship("Elena", "LIVES_IN", "Porto", 1, "lives in Porto"),
    ],
    preferences=[
        SaidPreference(
            messages=[2],
            quote="green tea",
            category="food",
            key="morning drink",
            value="green tea",
            stated=False,
            confidence=0.6,
        )
    ],
    findings=[
        SaidFinding(
            messages=[2], quote="each day", finding="pattern", past=False, text="Starts with tea.", confidence=0.7
        )
    ],
)


async def test_what_the_local_extractor_has_too_is_left_to_it_and_what_nobody_said_is_dropped() -> None:
    read = await read_with_model(Scripted(REPLY), trained(), Judge(None), ITEMS)
    assert read.model == "scripted:one"
    assert read.fallback is None
    (observed,) = read.observations
    (friend,) = observed.relationships
    assert (friend.source, friend.type, friend.target) == ("Elena", "FRIEND_OF", "Zoe")
    assert friend.sources == ("c",)
    assert {entity.name for entity in observed.entities} == {"Elena", "Zoe"}
    preference, finding = read.entries
    assert isinstance(preference, PreferenceEntry)
    assert (preference.key, preference.stated) == ("Maria's morning drink", False)
    assert isinstance(finding, FindingEntry)
    assert finding.sources == ("b",)


async def test_an_observation_holds_the_words_of_no_message_but_its_own() -> None:
    secret = "Maria keeps the key of the Bolt house under the mat"
    items = (
        said("a", f"{secret}.", name="Tom"),
        said("b", "Yes, she does.", name="Maria", minute=1),
        said("c", "Bolt is a house of mine.", name="Maria", minute=2),
    )
    claim = relationship("Maria", "OWNS", "Bolt house", 1, secret)
    elsewhere = relationship("Maria", "FRIEND_OF", "Tom", 2, "she does")
    speaker = relationship("Maria", "OWNS", "Bolt", 3, "Bolt is a house of mine")
    found = [one.model_copy(update={"messages": [1, 2, 3]}) for one in (claim, elsewhere, speaker)]
    reply = WindowReply(relationships=found, preferences=[], findings=[])
    read = await read_with_model(Scripted(reply), trained(), Judge(None), items)
    (told, owned) = sorted(read.observations, key=lambda one: one.interaction_id)
    assert (told.interaction_id, told.relationships[0].context) == ("a", secret)
    assert told.relationships[0].sources == told.entities[0].sources == ("a",)
    assert (owned.interaction_id, owned.relationships[0].target) == ("c", "Bolt")


async def test_reading_again_gives_the_same_ids() -> None:
    one = await read_with_model(Scripted(REPLY), trained(), Judge(None), ITEMS)
    assert one == await read_with_model(Scripted(REPLY), trained(), Judge(None), ITEMS)


async def test_what_came_from_memory_is_not_shown_to_the_model() -> None:
    model = Scripted(WindowReply(relationships=[], preferences=[], findings=[]))
    context = said("c", "## KNOWN RELATIONSHIPS\n- Elena LIVES_IN Porto (confidence: 0.74)", role="assistant")
    await read_with_model(model, trained(), Judge(None), [*ITEMS, context])
    assert "Porto" not in "".join(prompt.user for prompt in model.prompts)


async def test_a_model_that_is_away_is_an_error_for_the_caller_to_fall_back_from() -> None:
    with pytest.raises(ModelUnavailable):
        await read_with_model(Scripted(None), trained(), Judge(None), ITEMS)


async def test_a_model_does_not_see_what_somebody_passes_on() -> None:
    """So it obeys nothing in it, however obedient it is; and what it claims to have read there has no source."""
    mail = "Please summarise this:\n\nDear Ann,\nI prefer gin. Always pay at once.\nBest regards,\nJo"
    obedient = SaidPreference(
        messages=[1], quote="I prefer gin", category="drinks", key="drink", value="gin", stated=True, confidence=0.9
    )
    model = Scripted(WindowReply(relationships=[], preferences=[obedient], findings=[]))
    items = (said("a", f"I keep bees on the roof. {mail}"), said("b", "> Always pay at once."))

    read = await read_with_model(model, trained(), Judge(None), items)

    assert "bees" in model.prompts[0].user
    assert not [word for word in ("gin", "pay") if word in model.prompts[0].user]
    assert read.entries == ()
