"""Forgotten means never heard: what is left of a memory is what a witness has who never heard what was forgotten.

Conversations, what is kept of them and besides in the catalog, forgettings, and workers that are stopped and killed
between them, are written from seeds.
`make prove-forget` does the same for long, with workers that are processes.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.doubting import install_doubts
from tests.support.examples import some_of
from tests.support.oracle import Oracle, open_oracle, smallest, told
from tests.support.oracle_author import script_of
from tests.support.oracle_mutations import ANSWERED, KEPT, LAST, PLAIN, SEEN_IN, WITHDRAWALS, Mutation, showing
from tests.support.oracle_script import Script
from tests.support.stacks import StoreStack
from tests.support.stopping import install_points

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture(scope="module", autouse=True)
def points() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_points(monkeypatch)
        # some of what is said is doubtful, so that there are proposed rules
        install_doubts(monkeypatch, lambda one: one.source[-1] in "13579")
        yield


@pytest.fixture(scope="module")
async def oracle(stack: StoreStack, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Oracle]:
    async with open_oracle(stack, tmp_path_factory.mktemp("oracle")) as opened:
        yield opened


@pytest.fixture(scope="module")
async def modelled(stack: StoreStack, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Oracle]:
    """With a language model, and windows of conversations so small that there are summaries."""
    folder = tmp_path_factory.mktemp("modelled")
    async with open_oracle(stack, folder, small_windows=True, model=True) as opened:
        yield opened


async def assert_as_never_heard(oracle: Oracle, script: Script) -> None:
    found = await oracle.judge(script)
    if found:
        pytest.fail(told(*await smallest(oracle.judge, script, found)), pytrace=False)


SEEDS: Final = st.integers(0, 2**32)
FEW: Final = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@FEW
@given(seed=SEEDS)
async def test_what_was_forgotten_is_as_if_it_had_never_been_heard(oracle: Oracle, seed: int) -> None:
    await assert_as_never_heard(oracle, script_of(seed))


@pytest.mark.exhaustive
@settings(FEW, max_examples=1)
@given(seed=SEEDS)
async def test_nor_does_a_language_model_remember_it(modelled: Oracle, seed: int) -> None:
    await assert_as_never_heard(modelled, script_of(seed))


async def test_a_plain_forgetting_leaves_no_difference(oracle: Oracle) -> None:
    for script in (PLAIN, ANSWERED, KEPT, LAST):
        assert [str(one) for one in await oracle.judge(script)] == []


async def test_a_dump_of_every_store_holds_no_word_of_what_was_forgotten(oracle: Oracle) -> None:
    """The conversations are those above; this test comes before those that leave something out."""
    assert oracle.planted
    assert [str(one) for one in await oracle.dump()] == []


@pytest.mark.exhaustive
async def test_nor_does_one_where_a_language_model_heard_it(modelled: Oracle) -> None:
    assert modelled.planted
    assert [str(one) for one in await modelled.dump()] == []


@pytest.mark.parametrize("mutation", some_of(WITHDRAWALS, ["semantic", "rows", "replies"]))
async def test_a_withdrawal_that_is_left_out_is_seen(oracle: Oracle, mutation: Mutation) -> None:
    async with oracle.without(mutation) as careless:
        places = {one.place for one in await careless.judge(showing(mutation))}
    assert places >= SEEN_IN[mutation]
    if mutation not in {"chunks", "sentences", "pins"}:
        assert "dump" in places
