"""Asking the memory under a deadline: whatever goes wrong is an answer, so that the turn goes on."""

import asyncio
from collections.abc import Awaitable
from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp_services.governor.foreign import cancelled_by_others_alone, words_of
from ragpp_services.governor.values import Answer

MS: Final = 1_000
_log = structlog.stdlib.get_logger(__name__)


async def within(limit_ms: int, call: Awaitable[Answer]) -> Answer:
    """The memory's answer, or why there is none: it raises nothing but the CancelledError of a task that is
    cancelled."""
    try:
        async with asyncio.timeout(limit_ms / MS):
            with cancelled_by_others_alone():
                return await call
    except TimeoutError:
        return Answer(outcome="late", detail=f"no answer within {limit_ms} ms")
    except MemorySystemError as error:
        outcome = "unavailable" if error.retryable else "refused"
        return Answer.model_validate({"outcome": outcome, "detail": words_of(error)})
    except Exception as error:  # noqa: BLE001 - a bug in the memory's client must not take the answer with it
        _log.error("governor.memory_crashed", error=safe_summary(error), where=trace_of(error))
        return Answer(outcome="refused", detail=words_of(error))
