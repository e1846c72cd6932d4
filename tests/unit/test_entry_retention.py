"""How long agents keep what they alone see: by age, by their limit, and never what is pinned or permanent."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragpp.retention import EntryRetention, KeptEntry, entries_due

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LIMITS = EntryRetention(max_age_days=7, max_count=3, permanent_priority=8)


def entry(name: str, *, days: float = 1, agent: str | None = "a", **fields: object) -> KeptEntry:
    given = {"priority": 5, "worth": 0.5, "size": 10, **fields}
    return KeptEntry.model_validate({"id": name, "agent_id": agent, "kept_at": NOW - timedelta(days=days), **given})


def reasons(entries: list[KeptEntry], pinned: frozenset[str] = frozenset()) -> dict[str, str]:
    return {found.item.id: found.reason for found in entries_due(entries, LIMITS, NOW, pinned)}


def test_an_agents_own_go_after_a_week_and_what_all_see_stays() -> None:
    entries = [entry("old", days=8), entry("new", days=6), entry("of all", days=80, agent=None)]
    assert reasons(entries) == {"old": "age"}


def test_what_was_said_of_when_it_expires_stands_in_place_of_the_week() -> None:
    entries = [
        entry("kept", days=30, expires=NOW + timedelta(days=1)),
        entry("over", days=1, expires=NOW),
        entry("over, of all", days=1, expires=NOW - timedelta(days=1), agent=None),
    ]
    assert reasons(entries) == {"over": "expired", "over, of all": "expired"}


def test_what_is_pinned_or_permanent_stays_whatever_its_age() -> None:
    entries = [entry("pinned", days=90), entry("permanent", days=90, priority=8), entry("not", days=90, priority=7)]
    assert reasons(entries, frozenset({"pinned"})) == {"not": "age"}


def test_over_its_limit_an_agent_loses_what_is_least_relevant_first() -> None:
    entries = [
        entry("worthless", worth=0.1, priority=7),
        entry("unimportant", priority=1),
        entry("oldest", days=5),
        entry("pinned", worth=0.0),
        entry("good", worth=0.9),
        entry("of another", agent="b"),
    ]
    assert reasons(entries, frozenset({"pinned"})) == {"worthless": "count", "unimportant": "count"}


@given(
    st.lists(
        st.builds(
            entry,
            st.uuids().map(str),
            days=st.floats(0, 20),
            agent=st.sampled_from(["a", "b", None]),
            priority=st.integers(0, 10),
            worth=st.floats(0, 1),
        ),
        max_size=30,
        unique_by=lambda one: one.id,
    )
)
def test_what_is_left_is_within_the_limits_and_choosing_again_finds_nothing(entries: list[KeptEntry]) -> None:
    going = reasons(entries)
    left = [one for one in entries if one.id not in going]
    assert reasons(left) == {}
    for agent in ("a", "b"):
        loose = [one for one in left if one.agent_id == agent and one.priority < 8]
        assert len(loose) <= 3
        assert all(NOW - one.kept_at <= timedelta(days=7) for one in loose)
    assert all(one.priority < 8 for one in entries if one.id in going)
