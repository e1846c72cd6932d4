"""Marks of forgotten sources, and the epochs that a derived write carries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.exceptions import Neo4jError
from pydantic import SecretStr

from ragpp.errors import Outdated, TierUnavailable
from ragpp.errors.problems import error_of, problem_of
from ragpp.models import Scope
from ragpp.stores.forgetting import MARK_CHARS, SourceMarks, check_epoch, left_of
from ragpp.stores.neo4j import foreign_errors
from ragpp.testing.tiers import InMemoryTier
from tests.support.each import each_case
from tests.support.marks import MARKS
from tests.support.short_term import short_term_entry


def scope(tenant: str, user: str) -> Scope:
    return Scope.model_construct(tenant_id=tenant, user_id=user)


def test_a_mark_tells_tenants_users_ids_and_keys_apart() -> None:
    other = SourceMarks(SecretStr("another key"))
    marks = {
        MARKS.of(scope("t", "u"), "m"),
        MARKS.of(scope("t", "u"), "m2"),
        MARKS.of(scope("t", "um"), ""),
        MARKS.of(scope("tu", ""), "m"),
        MARKS.of(scope("t2", "u"), "m"),
        other.of(scope("t", "u"), "m"),
        SourceMarks(SecretStr("")).of(scope("t", "u"), "m"),
    }
    assert len(marks) == 7
    assert {len(mark) for mark in marks} == {MARK_CHARS}
    assert MARKS.of(scope("t", "u"), "m") in marks


def test_the_mark_of_a_source_stays_what_it_is() -> None:
    """Every later version must know again what was forgotten."""
    assert MARKS.of(scope("acme", "maria"), "D1:3") == "ef8d10516d37d7b6a4d7914cc03c48f2"


@given(*[st.text(st.sampled_from("a\x1e\x1f01"), max_size=4)] * 6)
def test_no_other_ids_have_a_mark(t: str, u: str, m: str, v: str, w: str, n: str) -> None:
    assert (MARKS.of(scope(t, u), m) == MARKS.of(scope(v, w), n)) == ((t, u, m) == (v, w, n))


def test_what_was_forgotten_under_an_id_with_a_separator_is_still_known() -> None:
    """Its mark was of the ids as they are, which another user's may make as well: that one's own is another."""
    former = "cd21a6bab2acfa0e"
    assert MARKS.known_by(scope("t", "u"), "m\x1fn")[1].startswith(former)
    assert former not in {mark[:16] for mark in MARKS.known_by(scope("t", "um"), "n")}
    assert MARKS.known_by(scope("t", "u"), "m") == (MARKS.of(scope("t", "u"), "m"),)
    assert MARKS.of_all(scope("t", "u"), ["m\x1fn", "m"]).keys() == {
        *MARKS.known_by(scope("t", "u"), "m\x1fn"),
        MARKS.of(scope("t", "u"), "m"),
    }


def test_a_write_is_refused_in_any_other_epoch_and_no_write_that_carries_none() -> None:
    check_epoch(None, 7)
    check_epoch(7, 7)
    for carried in (0, 6, 8):
        with pytest.raises(Outdated) as caught:
            check_epoch(carried, 7)
        assert isinstance(error_of(problem_of(caught.value)), Outdated)


def test_what_is_left_of_an_entry() -> None:
    assert left_of((), {"a"}) == ()
    assert left_of(("a", "b"), {"c"}) == ("a", "b")
    assert left_of(("a", "b"), {"a"}) is None  # its words may be those of either
    assert left_of(("a",), {"a"}) is None


async def test_the_double_keeps_epochs_as_tiers_do() -> None:
    tier, mine = InMemoryTier(), scope("t", "u")
    before = await tier.epoch(mine)
    await tier.store(mine, [short_term_entry("hello", id="m")], before)
    await tier.forget(mine, ["m"])
    with pytest.raises(Outdated):
        await tier.store(mine, [short_term_entry("hello", id="m")], before)
    assert await tier.epoch(scope("t", "v")) == before


@each_case(
    "code",
    [
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
        "Neo.TransientError.Transaction.Terminated",
        "Neo.ClientError.Transaction.Terminated",
    ],
)
async def test_a_transaction_that_the_graph_has_ended_is_an_outage(code: str) -> None:
    with pytest.raises(TierUnavailable):
        async with foreign_errors("write"):
            raise Neo4jError._hydrate_neo4j(code=code, message="it took too long")
