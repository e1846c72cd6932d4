"""Cleaning up behind what was forgotten: files of the stores that still hold it although no reader can see it.

Wanted by every forgetting, done by one worker of all, each thing every ten minutes at most however much is forgotten.
"""

from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.ledger.erasing import TOUCHED_TABLES
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts

EVERY_S: Final = 600.0
VALKEY: Final = "valkey"
"""Its append-only file; everything else that is wanted is a table."""
_log = structlog.stdlib.get_logger(__name__)


async def want_clean(parts: WorkerParts, *scopes: Scope) -> None:
    """Note that something of these users was forgotten. Raises TierUnavailable."""
    tables = {table for scope in scopes for table in await parts.erasures.partitions_of(scope)}
    await parts.erasures.want_cleaning([VALKEY, *sorted(tables), *TOUCHED_TABLES])


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
            _log.warning("cleaning.failed", name=name, error=safe_summary(error))
        else:
            await parts.erasures.end_cleaning(name, begun_at)
            cleaned.append(name)
    if cleaned:
        _log.info("cleaning.done", names=cleaned)
    return cleaned
