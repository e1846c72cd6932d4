"""Ending: what a language model reads in a window says that something known before holds no longer."""

from typing import Final

import structlog

from ragpp.errors import LanguageModelError
from ragpp.errors.summaries import safe_summary
from ragpp.llm.endings import Dated, suggest_endings
from ragpp.llm.port import LanguageModel
from ragpp.models import FindingEntry, Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.modelled import Read
from ragpp_services.workers.stages.stage import epochs_of, everywhere

_log = structlog.stdlib.get_logger(__name__)
AT_ONCE: Final = 100
"""Findings of which near ones are looked for together."""


async def end_statements(parts: WorkerParts, model: LanguageModel, scope: Scope, read: Read) -> int:
    """Ask which statements hold no longer because of what was read in a window, and which of what was read because of
    later ones; keep it in the whole memory and in each view that has both. Answers how many of the whole. A model that
    fails ends nothing. Raises TierUnavailable, Outdated."""
    stated = [entry.id for entry in read.entries if isinstance(entry, FindingEntry)]
    ended = 0
    for start in range(0, len(stated), AT_ONCE):
        epochs = await epochs_of(parts, scope)
        near = await parts.procedural.near_findings(scope, stated[start : start + AT_ONCE])
        statements = {one.id: Dated(one.id, one.text, one.last_at) for pair in near for one in pair}
        try:
            pairs = await suggest_endings(model, statements, [(one.id, other.id) for one, other in near])
        except LanguageModelError as error:
            _log.warning("extract.nothing_ended", model=model.name, kind=error.kind, error=safe_summary(error))
            return ended
        ended += await parts.procedural.end_findings(scope, pairs, epochs.procedural)
        for view in (await everywhere(parts, scope))[1:]:
            await parts.procedural.end_findings(view, pairs, (await epochs_of(parts, view)).procedural)
    return ended
