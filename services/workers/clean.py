"""Cleaning up behind what was forgotten: files of the stores that still hold it although no reader can see it.

Wanted by every forgetting, done by one worker of all, each thing every ten minutes at most however much is forgotten.
"""

import asyncio
from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.models import Scope
from services.workers.parts import WorkerParts
from services.workers.telling import told

CLEANING: Final = "cleaning"
EVERY_S: Final = 600.0
LOOKED_S: Final = 15.0
HELD_S: Final = 60.0
VALKEY: Final = "valkey"
"""Its append-only file; everything else that is wanted is a table."""
OF_ERASURES: Final = (
    "ledger.events",
    "ledger.work",
    *(
        f"procedural.{table}"
        for table in (
            "preferences",
            "preference_versions",
            "rules",
            "rule_versions",
            "findings",
            "finding_evidence",
            "reflections",
        )
    ),
)
_log = structlog.stdlib.get_logger(__name__)


async def want_clean(parts: WorkerParts, scope: Scope, *, everywhere: bool) -> None:
    """Note that something of the user was forgotten: in the running conversations and in the user's interactions, or
    `everywhere`. Raises TierUnavailable."""
    tables = await parts.erasures.partitions_of(scope)
    await parts.erasures.want_cleaning([VALKEY, *tables, *(OF_ERASURES if everywhere else ())])


async def clean(parts: WorkerParts, every_s: float = EVERY_S) -> list[str]:
    """Clean what is wanted and was not begun in the last `every_s` seconds; returns what was. What fails is logged and
    begun again after as long. Raises TierUnavailable."""
    cleaned = []
    for name, begun_at in (await parts.erasures.begin_cleaning(every_s)).items():
        try:
            if name != VALKEY:
                await parts.erasures.vacuum(name)
            elif parts.append_only_file is not None:
                await parts.append_only_file.rewrite()
            else:
                continue
        except MemorySystemError as error:
            _log.warning("cleaning.failed", name=name, error=told(error))
        else:
            await parts.erasures.end_cleaning(name, begun_at)
            cleaned.append(name)
    if cleaned:
        _log.info("cleaning.done", names=cleaned)
    return cleaned


async def keep_clean(parts: WorkerParts, owner: str) -> None:
    """Clean as long as `owner` is the one that does; ends by being cancelled."""
    while True:
        try:
            if await parts.ledger.hold(CLEANING, owner, HELD_S):
                await clean(parts)
        except Exception as error:  # noqa: BLE001 - cleaning that ends would leave what is forgotten in the files
            _log.warning("cleaning.waiting", error=told(error))
        await asyncio.sleep(LOOKED_S)
