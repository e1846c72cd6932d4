"""A turn of a catalog, recorded, comes to the same result again, whatever was said and failed."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import TierUnavailable
from ragpp_services.governor.choosing import Chooser
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.orders import FIRST, ORDERS, after
from ragpp_services.governor.quoted_answer import quoted_answer
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import Event, Invocation, NodeName, Record
from tests.support.catalog_turns import ASKED, KEY, SONG, governor_of, wants
from tests.support.choosing import HOOKS, CatalogMemory, id_of
from tests.support.each import each_case
from tests.support.governor import NOON, PATIENT, heard, says


async def _recorded(memory: CatalogMemory, event: Event, respond: Responder, choose: Chooser | None) -> Record:
    records: list[Record] = []
    governor = Governor(
        memory, respond, mode="catalog", choose=choose, limits=PATIENT, clock=lambda: NOON, on_record=records.append
    )
    await governor.turn(Invocation(event=event))
    await governor.aclose(patience_s=0)
    return Record.model_validate_json(records[0].model_dump_json())


@each_case("failing", [None, *HOOKS])
async def test_a_recorded_turn_comes_to_the_same_result_again_and_asks_nothing(failing: str | None) -> None:
    memory = CatalogMemory(KEY, SONG)
    if failing is not None:
        memory.troubles[failing] = TierUnavailable("away")
    record = await _recorded(memory, heard(ASKED), quoted_answer, wants("m2", "m1"))
    before = len(memory.hooked), len(memory.calls)
    assert record.mode == "catalog"
    assert replay(record) == record.result
    assert (len(memory.hooked), len(memory.calls)) == before


ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(
    content=ANYTHING.filter(str.strip),
    answer=ANYTHING,
    learned=st.lists(ANYTHING, max_size=4, unique=True),
    chosen=st.none() | st.lists(st.sampled_from(["m1", "m2", "m3", "m9", "no handle"]), max_size=4),
    failing=st.sampled_from([None, *HOOKS]),
)
async def test_whatever_is_said_learned_chosen_and_failing_is_answered_and_replays_to_the_same(
    content: str, answer: str, learned: list[str], chosen: list[str] | None, failing: str | None
) -> None:
    memory = CatalogMemory(*learned)
    if failing is not None:
        memory.troubles[failing] = TierUnavailable("away")
    choose = None if chosen is None else wants(*chosen)
    record = await _recorded(memory, heard(content), says(answer), choose)
    assert record.result.response.text == answer.strip()
    given_ids = {memory.id for memory in record.result.memories_used}
    assert given_ids <= {id_of(text) for text in learned}
    assert replay(record) == record.result


async def test_the_nodes_change_nothing_and_answer_the_same_each_time() -> None:
    governor = governor_of(CatalogMemory(KEY))
    turn = governor.begin(Invocation(event=heard(ASKED)))
    name: NodeName | None = FIRST
    passed = []
    while name is not None:
        passed.append(name)
        before = turn.model_dump_json()
        assert ORDERS[turn.mode][name].ask(turn) == ORDERS[turn.mode][name].ask(turn)
        turn = await governor.step(name, Turn.model_validate_json(before))
        name = after(name, turn)
    assert passed == list(ORDERS["catalog"])
    assert governor.finish(turn).response.text == f"I have learned: {KEY}"
