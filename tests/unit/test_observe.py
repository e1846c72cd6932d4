"""What one message teaches, as entries for the tiers."""

from ragpp.models import FindingEntry, Interaction, Observation
from ragpp_services.workers.stages.history import teaches
from ragpp_services.workers.stages.observe import findings_of, observation_of, preferences_of
from tests.support.extractor import trained
from tests.support.said import said

EXTRACTOR = trained()


def observed(item: Interaction) -> Observation:
    extraction = EXTRACTOR.extract(item.content, speaker=item.name, said_at=item.occurred_at)
    return observation_of("7", item, extraction, {})


def findings(item: Interaction) -> list[FindingEntry]:
    return findings_of(item, EXTRACTOR.extract(item.content, speaker=item.name, said_at=item.occurred_at))


def test_what_is_over_is_told_as_an_end() -> None:
    told = observed(said("a", "I don't live in Leeds any more.", name="Noor")).relationships
    assert [(one.source, one.type, one.target, one.ends) for one in told] == [("Noor", "LIVES_IN", "Leeds", True)]
    assert len({one.id for one in told}) == len(told)


def test_a_finding_said_twice_is_one_finding() -> None:
    (one,) = findings(said("a", "I decided to sell the boat.", name="Noor"))
    (other,) = findings(said("b", "I decided to  sell the boat!", name="Noor", day=9))
    assert one.id == other.id
    assert one.text.startswith("Noor: ")
    (of_another,) = findings(said("c", "I decided to sell the boat.", name="Felix"))
    assert of_another.id != one.id


def test_an_assistant_has_no_preferences_and_no_plans_and_still_decides() -> None:
    item = said("a", "I prefer tea. I decided to use the cache.", role="assistant")
    extraction = EXTRACTOR.extract(item.content, speaker=None, said_at=item.occurred_at)
    assert preferences_of("7", item, extraction) == []
    assert {one.finding for one in findings_of(item, extraction)} <= {"decision", "error", "insight"}


def test_contexts_tools_and_system_prompts_teach_nothing() -> None:
    assert teaches(said("a", "I live in Leeds."))
    assert not teaches(said("a", "I live in Leeds.", role="tool"))
    assert not teaches(said("a", "I live in Leeds.", role="system"))
    assert not teaches(said("a", "I live in Leeds.", message_type="context"))
