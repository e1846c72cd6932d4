"""A search after its scan: what says the same is one, what holds now comes first, and long texts have a focus."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction, Memory, MemoryQuery, Scope
from ragpp.text.lexical import query_terms, terms
from ragpp_services.episodic.ranking import CandidateTable, QuerySignals, rank
from ragpp_services.episodic.rows import Found, StoredInteraction
from ragpp_services.episodic.scan import Chunks
from ragpp_services.episodic.search import Search, to_look_at_next

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope(tenant_id="t", user_id="u")


def searched(
    question: str,
    texts: Sequence[str],
    *,
    start: int = 0,
    explain: bool = False,
    sessions: Sequence[int] | None = None,
) -> list[Memory]:
    """The memories found among messages said day by day, all of one meaning; the first is nearest to the question."""
    wanted = query_terms(question)
    count = len(texts)
    held = np.array([[0.6 * (term in terms(text)) for term in wanted] for text in texts]).reshape(count, len(wanted))
    numbers = np.arange(count)
    chunks = Chunks(
        ordinal=numbers,
        part=np.zeros(count, np.int64),
        moments=numbers,
        session=numbers if sessions is None else np.array(sessions),
        speaker=np.full(count, -1),
        speakers=(),
        cosine=0.6 - numbers / 100,
        told=np.full(count, np.nan),
        second=np.full(count, np.nan),
        lexical=held,
        asked=np.zeros_like(held),
        traits=np.zeros(count, np.int64),
        eligible=np.ones(count, np.bool_),
    )
    table = CandidateTable(
        ordinals=chunks.ordinal,
        sessions=chunks.session,
        occurred_at=chunks.moments.astype(np.float64),
        cosines=chunks.cosine,
        terms=held,
        speakers=chunks.speaker,
    )
    query = MemoryQuery(scope=SCOPE, text=question, explain=explain)
    signals = QuerySignals(question, explain=explain)
    search = Search(query, wanted, chunks, table, signals, rank(table, signals))
    found = {
        number: Found(
            StoredInteraction(
                Interaction(id=f"m{number}", content=text, occurred_at=NOON + timedelta(days=number)), number, 10
            ),
            start,
            len(text),
            np.array([1.0, 0.0], np.float32),
        )
        for number, text in enumerate(texts)
    }
    return search.memories(search.distinct(found))


def test_what_is_about_other_kin_stands_back_and_says_why() -> None:
    told = ["My cousin lives in Lisbon", "Salma lives in Madrid"]
    memories = searched("Where does my sister live?", told, explain=True)
    assert [memory.id for memory in memories] == ["m1", "m0"]
    assert memories[1].explain is not None
    signals = memories[1].explain["signals"]
    assert isinstance(signals, dict)
    assert "other kin" in signals


def test_a_question_for_several_things_about_kin_is_still_spread_over_the_sessions() -> None:
    """Setting other kin back must not order all by score again: the spread would be gone."""
    told = [f"My sister likes song {number}" for number in range(14)]
    sessions = [0] * 13 + [1]
    memories = searched("Which songs does my sister like?", told, sessions=sessions)
    assert memories[-1].id != "m13"


def test_what_was_said_again_is_one_memory_that_rests_on_both() -> None:
    memories = searched(
        "Where is the bike?", ["The bike is in the cellar", "It rains", "ok, the bike is in the cellar!"]
    )
    assert [memory.sources for memory in memories] == [("m2", "m0"), ("m1",)]
    assert memories[0].score >= memories[1].score


def test_what_was_said_again_last_holds_now() -> None:
    """8, then 10, then 8 again: nothing has replaced the last."""
    memories = searched("How many hens do I keep?", ["I keep 8 hens", "I keep 10 hens", "ok I keep 8 hens"])
    assert memories[0].id == "m2"
    assert memories[0].corrected_by is None


def test_what_was_replaced_names_what_replaced_it() -> None:
    memories = searched("How many hens do I keep?", ["I keep 8 hens", "ok, I keep 8 hens", "I keep 10 hens now"])
    assert [(memory.id, memory.corrected_by) for memory in memories] == [("m2", None), ("m1", "m2")]


def test_a_memory_says_where_the_part_of_it_that_answers_begins_and_ends() -> None:
    before, after = "We walked along the river all day. ", "The rain came back again. "
    text = 30 * before + "The bike is in the cellar. " + 10 * after
    (memory,) = searched("Where is the bike?", [text])
    part = memory.text[memory.focus : memory.focus_end]
    assert part.startswith(before + "The bike is in the cellar.")
    assert len(part) < 120


def test_an_explained_memory_has_the_signals_that_its_raw_score_is_the_sum_of() -> None:
    (memory,) = searched("Where is the bike?", ["The bike is in the cellar"], explain=True)
    assert memory.explain is not None
    signals, raw = memory.explain["signals"], memory.explain["raw"]
    assert isinstance(signals, dict)
    assert isinstance(raw, float)
    assert abs(sum(value for value in signals.values() if isinstance(value, float)) - raw) < 0.01


def test_whose_sister_is_asked_for_is_not_answered_by_a_cousin() -> None:
    texts = ["My cousin Paco lives in Utrecht, my sister's favourite", "My cousin Paco lives here", "She lives there"]
    asked = [memory.id for memory in searched("Where does my sister live?", texts)]
    assert asked == ["m0", "m2", "m1"]
    assert [memory.id for memory in searched("Where does Paco live?", texts)] == ["m0", "m1", "m2"]


@given(st.integers(1, 50), st.integers(1, 200), st.integers(0, 200))
def test_what_is_fetched_next_brings_a_search_on(limit: int, looked_at: int, distinct: int) -> None:
    """Never nothing while memories are missing, and no more than it takes where nothing repeats itself."""
    distinct = min(distinct, limit - 1, looked_at)
    wanted = to_look_at_next(limit, looked_at, distinct)
    assert wanted >= limit - distinct
    if distinct == looked_at:
        assert wanted == limit - distinct
