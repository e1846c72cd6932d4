"""Requests without a valid key are in the audit, however many there are, in a bounded number of entries."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.identity import make_key, prefix_of
from ragpp_services.gateway.refusals import MOST_KEYS, MOST_KNOWN, OTHERS, WINDOW_S, Refusals
from ragpp_services.gateway.store import NOBODY, Access

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Seconds:
    """A clock that stands until it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_is_told_at_once_and_the_others_when_the_window_is_over() -> None:
    seconds = Seconds()
    refusals = Refusals(lambda: NOON, seconds)
    first = refusals.first("0123456789ab", "POST /v1/recall", known=False)
    assert first is not None
    assert (first.key_id, first.tenant_id, first.status) == ("key_0123456789ab", NOBODY, 401)
    assert [refusals.first("0123456789ab", "GET /v1/jobs", known=False) for _ in range(9)] == [None] * 9
    assert refusals.ended() == []
    seconds.now = WINDOW_S
    (others,) = refusals.ended()
    assert (others.key_id, others.action, others.details) == ("key_0123456789ab", "GET /v1/jobs", {"attempts": 9})
    assert refusals.first("0123456789ab", "GET /v1/jobs", known=False) is not None  # in another window


@given(st.lists(st.text("0123456789abcdef", max_size=12), max_size=200))
def test_every_attempt_is_counted_in_few_entries(prefixes: list[str]) -> None:
    refusals = Refusals(lambda: NOON, lambda: 0.0)
    entries = [
        entry for prefix in prefixes if (entry := refusals.first(prefix, "GET /v1/jobs", known=False)) is not None
    ]
    entries += refusals.ended(stopping=True)
    counted = [int(str((entry.details or {})["attempts"])) for entry in entries]
    assert sum(counted) == len(prefixes)
    assert len(entries) <= 2 * (MOST_KEYS + 1)
    assert {entry.key_id for entry in entries} <= {OTHERS, "", *(f"key_{prefix}" for prefix in prefixes)}


def test_what_a_key_has_too_many_of_is_counted_for_that_key_beside_all_strangers() -> None:
    refusals = Refusals(lambda: NOON, lambda: 0.0)
    strangers = [refusals.first(f"{number:012}", "GET /v1/jobs", known=False) for number in range(2 * MOST_KEYS)]
    assert sum(entry is not None for entry in strangers) == MOST_KEYS + 1
    keys = [(f"tenant {number % 3}", f"key_{number}") for number in range(30)]
    firsts = [refusals.first_of_key(*key, "POST /v1/recall") for key in keys]
    assert [(one.tenant_id, one.key_id, one.status) for one in firsts if one] == [(*key, 429) for key in keys]
    assert [refusals.first_of_key(*keys[0], "GET /v1/pending") for _ in range(9)] == [None] * 9
    (others,) = (entry for entry in refusals.ended(stopping=True) if entry.status == 429)
    assert (others.tenant_id, others.key_id, others.action) == (*keys[0], "GET /v1/pending")
    assert others.details == {"attempts": 9}


async def test_a_key_that_asks_a_thousand_times_too_often_leaves_two_lines(tmp_path: Path) -> None:
    rows = list[Access]()

    async def insert(accesses: Sequence[Access]) -> None:
        rows.extend(accesses)

    audit = Audit(tmp_path / "audit.jsonl", insert, Refusals(lambda: NOON, lambda: 0.0))
    for _ in range(1_000):
        audit.refuse_key("acme", "key_1", "POST /v1/recall")
    await audit.stop()
    assert [(row.tenant_id, row.status, row.details) for row in rows] == [
        ("acme", 429, {"attempts": 1}),
        ("acme", 429, {"attempts": 999}),
    ]


def test_made_up_keys_take_no_place_of_the_one_that_is_guessed() -> None:
    refusals = Refusals(lambda: NOON, lambda: 0.0)
    for number in range(300):
        refusals.first(f"{number:012}", "GET /v1/jobs", known=False)
    guessed = refusals.first("0123456789ab", "POST /v1/recall", known=True)
    assert guessed is not None
    assert guessed.key_id == "key_0123456789ab"


@given(st.lists(st.integers(min_value=0, max_value=10**12 - 1), unique=True, max_size=60))
def test_keys_that_there_are_are_told_apart_whatever_else_comes(numbers: list[int]) -> None:
    refusals = Refusals(lambda: NOON, lambda: 0.0)
    for number in numbers:
        refusals.first(f"x{number:011}", "GET /v1/jobs", known=False)
        entry = refusals.first(f"{number:012}", "GET /v1/jobs", known=True)
        assert entry is not None
        assert entry.key_id == f"key_{number:012}"


def test_keys_that_there_are_have_a_bound_too_which_a_window_gives_back() -> None:
    seconds = Seconds()
    refusals = Refusals(lambda: NOON, seconds)
    told = [refusals.first(f"{number:012}", "GET /v1/jobs", known=True) for number in range(MOST_KNOWN + 5)]
    assert len([entry for entry in told if entry is not None]) == MOST_KNOWN + 1
    seconds.now = WINDOW_S
    refusals.ended()
    entry = refusals.first(f"{MOST_KNOWN + 4:012}", "GET /v1/jobs", known=True)
    assert entry is not None
    assert entry.key_id == f"key_{MOST_KNOWN + 4:012}"


async def test_a_flood_of_guesses_leaves_a_few_lines_and_no_secret(tmp_path: Path) -> None:
    rows, key = list[Access](), make_key("acme", frozenset({"read"})).text

    async def insert(accesses: Sequence[Access]) -> None:
        rows.extend(accesses)

    audit = Audit(tmp_path / "audit.jsonl", insert, Refusals(lambda: NOON, lambda: 0.0))
    for number in range(10_000):
        guessed = f"Bearer {key}" if number % 2 else f"Bearer rp_{number:012}_{'x' * 43}"
        audit.refuse(prefix_of(guessed), "POST /v1/recall", known=False)
    audit.refuse(prefix_of(f"Bearer {key}x"), "POST /v1/recall", known=False)  # no key, and most of one
    (journal,) = tmp_path.iterdir()
    assert journal.stat().st_size < 10_000
    assert key.split("_", 2)[2] not in journal.read_text(encoding="utf-8")
    await audit.stop()
    assert sum(int(str((row.details or {})["attempts"])) for row in rows) == 10_001
