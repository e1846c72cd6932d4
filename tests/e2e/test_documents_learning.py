"""The learner of document 003 run as it is written, on its own memory of Python dictionaries, beside ours."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import pytest

from ragpp import MemoryLevel, MemoryManager, TDLambdaLearner, generate_memory_key
from ragpp.client import AsyncMemoryClient
from tests.support.documents import ran

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
GOAL: Final = "valid_query"
UTC_DATES: Final = "Dates are compared in UTC."
JOINS: Final = "Joins go by the surrogate key."
ARROWS: Final = "An arrow with two dashes is an answer."
ALPHA: Final = 0.1
FADING: Final = 0.95 * 0.8


@dataclass
class GoalValue:
    value: float = 0.5
    last_updated: datetime | None = None


@dataclass
class MemoryEntry:
    """An entry as the document uses it and does not show it."""

    key: str
    content: str
    metadata: dict[str, object]
    goal_values: dict[str, GoalValue] = field(default_factory=dict)
    default_value: float = 0.5

    def get_value(self, goal: str | None) -> float:
        return self.goal_values[goal].value if goal in self.goal_values else self.default_value


def theirs() -> tuple[Any, type]:
    """A memory of the document's, and its learner."""
    names: dict[str, object] = {
        "generate_memory_key": generate_memory_key,
        "MemoryEntry": MemoryEntry,
        "MemoryLevel": MemoryLevel,
        "GoalValue": GoalValue,
        "datetime": datetime,
    }
    memory = ran("003.08", **names)["HierarchicalMemory"]()
    memory.memories = {}
    return memory, ran("003.09", **names)["TDLambdaLearner"]


def learner_of(kind: type) -> Any:
    class Learner(kind):  # type: ignore[misc]  # made by the document
        """The document's, where it starts and how its traces fade: it leaves that out."""

        def __init__(self) -> None:
            self.traces: dict[str, float] = {}
            self.values_at_access: dict[str, float] = {}
            self.alpha, self.current_goal = ALPHA, GOAL

        def _update_trace(self, key: str, _step_reward: float) -> float:
            self.traces = {one: trace * FADING for one, trace in self.traces.items()}
            self.traces[key] = self.traces.get(key, 0.0) + 1.0
            return self.traces[key]

    return Learner()


@pytest.fixture
async def ours(memory: AsyncMemoryClient) -> AsyncIterator[MemoryManager]:
    async with MemoryManager(client=memory, user_id="ann") as manager:
        yield manager


async def test_what_the_documents_memory_holds_and_finds_ours_does(
    ours: MemoryManager, memory: AsyncMemoryClient
) -> None:
    held, _ = theirs()
    learner = TDLambdaLearner(ours)
    for content, domain, task in (
        (UTC_DATES, "sql", "date_filter"),
        (JOINS, "sql", "join"),
        (ARROWS, "mermaid", "join"),
    ):
        held.store(content, MemoryLevel.EPISODIC, domain=domain, task_type=task, agent_name="amy")
        await learner.store(content, MemoryLevel.EPISODIC, domain=domain, task_type=task, agent_name="amy")
    level = MemoryLevel.EPISODIC
    found = (await memory.items("ann", level=level)).items
    assert {one.key for one in found} == set(held.memories[level])
    assert {one.metadata["agent_name"] for one in found} == {"amy"}
    shown = ran("003.04", memories={level: {one.key: one for one in found}}, level=level)
    for name, theirs_found, ours_found in (
        ("sql_memories", held.retrieve_by_domain("sql", level), await ours.item_layer.retrieve_by_domain("sql", level)),
        (
            "date_filter_memories",
            held.retrieve_by_task_type("date_filter", level),
            await ours.item_layer.retrieve_by_task_type("date_filter", level),
        ),
    ):
        assert {one.key for one in ours_found} == {one.key for one in theirs_found} == set(shown[name])


async def test_what_the_documents_learner_learns_ours_does(ours: MemoryManager) -> None:
    held, kind = theirs()
    reference, learner = learner_of(kind), TDLambdaLearner(ours, alpha=ALPHA)
    accesses = [(UTC_DATES, "date_filter"), (JOINS, "join"), (UTC_DATES, "date_filter")]
    for content, task in accesses:
        reference.record_access(held, "sql", task, content)
        await learner.record_access("sql", task, content, goal=GOAL)
    wanted = {key: (old, new) for key, old, new in reference.end_episode(held, "sql", GOAL, 1.0)}
    learned = {key: (old, new) for key, old, new in await learner.end_episode("sql", GOAL, 1.0)}
    assert set(learned) == set(wanted)
    for key, values in wanted.items():
        assert learned[key] == pytest.approx(values)
    best, *_ = await ours.item_layer.retrieve_by_domain("sql", MemoryLevel.EPISODIC, GOAL)
    theirs_best, *_ = held.retrieve_by_domain("sql", MemoryLevel.EPISODIC, GOAL)
    assert best.key == theirs_best.key
    assert best.get_value(GOAL) == pytest.approx(theirs_best.get_value(GOAL))


async def test_how_many_agents_used_a_memory_is_told_with_it(memory: AsyncMemoryClient) -> None:
    for agent, count in (("amy", 1), ("bob", 2), ("amy", 2)):
        kept = await MemoryManager(client=memory, user_id="ann", agent_id=agent).remember(UTC_DATES)
        assert kept.access_count == count
    (read,) = (await memory.items("ann")).items
    assert (read.item_id, read.access_count) == (kept.item_id, 2)
