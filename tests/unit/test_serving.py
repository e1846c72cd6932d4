"""A served application's start is settled: nobody is kept waiting while the garbage collector looks at all of it."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ragpp.web.serving import serve


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector as it was, whatever a test leaves."""
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_what_is_there_at_start_is_never_collected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[list[str]] = []
    frozen: list[int] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        held.append(["a model"])  # opened at start, as the gateway's parts are
        yield
        held.clear()

    def run(app: FastAPI, **_: object) -> None:
        with TestClient(app):
            frozen.append(gc.get_freeze_count())
            assert not any(one is held[0] for one in gc.get_objects()), "the collector still looks at what was opened"

    monkeypatch.setattr(uvicorn, "run", run)
    serve(FastAPI(lifespan=lifespan), host="127.0.0.1", port=0)
    assert frozen[0] > 0
    assert not held, "the application's own lifespan is not left"
