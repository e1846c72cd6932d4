"""Short requests pass long ones, nobody starves, and a failure reaches its own callers only."""

import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.embedding.lanes import PATIENCE, SLICE_TOKENS, Lanes, TokenIds, slices
from ragpp.embedding.port import FloatMatrix
from ragpp.errors import EmbeddingError
from tests.support.each import each_case

DEADLINE_S = 10.0


class GatedModel:
    """Answers with each text's length, one run for each permit, and remembers what ran together."""

    def __init__(self, permits: int = 0) -> None:
        self.permits = threading.Semaphore(permits)
        self.entered = threading.Semaphore(0)
        self.runs: list[list[int]] = []

    def tokenise(self, text: str) -> TokenIds:
        if "poison" in text:
            raise RuntimeError("a runtime's own error")
        return [len(text)] * max(1, min(len(text), SLICE_TOKENS))

    def run(self, batch: Sequence[TokenIds]) -> FloatMatrix:
        self.entered.release()
        assert self.permits.acquire(timeout=DEADLINE_S), "the test gave no permit"
        self.runs.append([ids[0] for ids in batch])
        return np.array([[ids[0]] for ids in batch], dtype=np.float32)

    def wait_until_running(self) -> None:
        assert self.entered.acquire(timeout=DEADLINE_S)


LONG = ["l" * 600] * 20  # each is a run of its own


@given(lengths=st.lists(st.integers(1, 300)), limit=st.integers(1, 400))
def test_slices_hold_every_index_once_within_the_limit(lengths: list[int], limit: int) -> None:
    groups = slices(lengths, limit)
    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[index] for index in group) <= limit


@each_case("threads", [1, 4])
def test_rows_come_back_in_the_order_of_the_texts(threads: int) -> None:
    lanes = Lanes(GatedModel(permits=10_000), name="test", threads=threads)
    texts = ["x" * (number * 37 % 400) for number in range(300)]
    rows = lanes.submit(texts).result(DEADLINE_S)
    lanes.stop()
    assert [int(value) for value in rows[:, 0]] == [len(text) or 0 for text in texts]


def test_a_short_request_waits_for_one_slice_of_a_long_one() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    long = lanes.submit(LONG)
    model.wait_until_running()
    short = lanes.submit(["short"])
    model.permits.release(2)
    assert short.result(DEADLINE_S)[0, 0] == 5
    assert model.runs[1] == [5]
    assert not long.done()
    model.permits.release(len(LONG))
    assert long.result(DEADLINE_S).shape == (20, 1)
    lanes.stop()


def test_short_requests_that_meet_share_a_run() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    first = lanes.submit(["first"])
    model.wait_until_running()
    others = [lanes.submit(["x" * size]) for size in (10, 15, 20)]
    model.permits.release(2)
    assert [int(other.result(DEADLINE_S)[0, 0]) for other in others] == [10, 15, 20]
    assert first.result(DEADLINE_S)[0, 0] == 5
    assert model.runs == [[5], [10, 15, 20]]
    lanes.stop()


def test_a_long_request_moves_on_under_a_stream_of_short_ones() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    long = lanes.submit(LONG)
    model.wait_until_running()
    shorts = [lanes.submit(["y" * 450]) for _ in range(PATIENCE * 3)]  # too large to share a run
    model.permits.release(1_000)
    wait([long, *shorts], DEADLINE_S)
    lanes.stop()
    positions = [index for index, run in enumerate(model.runs) if run[0] == 600]
    assert max(after - before for before, after in itertools.pairwise(positions)) <= PATIENCE + 1


def test_long_requests_take_turns() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    first = lanes.submit(LONG)
    model.wait_until_running()
    second = lanes.submit(["s" * 700] * 3)
    model.permits.release(8)
    assert second.result(DEADLINE_S).shape == (3, 1)
    assert not first.done()
    model.permits.release(len(LONG))
    first.result(DEADLINE_S)
    lanes.stop()


def test_a_failure_reaches_its_caller_and_the_thread_lives_on() -> None:
    lanes = Lanes(GatedModel(permits=10), name="test")
    with pytest.raises(EmbeddingError, match=r"^the model failed \(RuntimeError\)$") as caught:
        lanes.submit(["poison"]).result(DEADLINE_S)
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(EmbeddingError):
        lanes.submit([*LONG, "poison" * 300]).result(DEADLINE_S)
    assert lanes.submit(["fine"]).result(DEADLINE_S)[0, 0] == 4
    lanes.stop()


def test_a_cancelled_request_is_dropped_before_its_next_slice() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    long = lanes.submit(LONG)
    model.wait_until_running()
    assert long.cancel()
    after = lanes.submit(["after"])
    model.permits.release(2)
    after.result(DEADLINE_S)
    lanes.stop()
    assert model.runs == [[600], [5]]


def test_two_threads_share_one_long_request() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test", threads=2)
    long = lanes.submit(LONG)
    model.wait_until_running()
    model.wait_until_running()  # a second slice, while the first waits for its permit
    model.permits.release(len(LONG))
    assert long.result(DEADLINE_S).shape == (20, 1)
    lanes.stop()


@each_case("threads", [1, 3])
def test_many_callers_at_once_get_their_own_rows(threads: int) -> None:
    lanes = Lanes(GatedModel(permits=100_000), name="test", threads=threads)
    requests = [["z" * (caller * 13 % 700 + text) for text in range(caller % 90 + 1)] for caller in range(120)]
    with ThreadPoolExecutor(8) as callers:
        futures = list(callers.map(lanes.submit, requests))
    for texts, future in zip(requests, futures, strict=True):
        assert [int(value) for value in future.result(DEADLINE_S)[:, 0]] == [len(text) for text in texts]
    lanes.stop()


def test_no_thread_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Lanes(GatedModel(), name="test", threads=0)


def test_stopping_fails_what_waits() -> None:
    model = GatedModel()
    lanes = Lanes(model, name="test")
    long = lanes.submit(LONG)
    model.wait_until_running()
    stopping = threading.Thread(target=lanes.stop)
    stopping.start()
    model.permits.release(1)
    stopping.join(DEADLINE_S)
    with pytest.raises(EmbeddingError, match="closed"):
        long.result(DEADLINE_S)
    with pytest.raises(EmbeddingError, match="closed"):
        lanes.submit(["late"])
