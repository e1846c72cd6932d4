"""Better summaries: what a language model writes takes the place of the quotes, once it is there."""

from typing import Final

import structlog

from ragpp.errors import LanguageModelError
from ragpp.errors.summaries import safe_summary
from ragpp.llm.summaries import LlmSummariser
from ragpp.models import Interaction, InteractionEntry, Scope, SummaryDraft
from ragpp_services.workers.parts import WorkerParts

FOLDED_MESSAGES: Final = 200
"""The session's latest; of earlier ones a new summary knows what the old one says."""
_log = structlog.stdlib.get_logger(__name__)


async def improve_summary(parts: WorkerParts, scope: Scope, epoch: int) -> bool:
    """Have the model for summaries rewrite the summary of the scope's session; whether it did.

    The quotes stay until the new text takes their place in one step, and stay for good when no model is configured,
    it fails, or the session changed meanwhile: the next compaction brings the next attempt. `epoch`: of the short-term
    tier, from before anything was read. Raises TierUnavailable, Outdated.
    """
    model = parts.model_for("summary", scope)
    if model is None:
        return False
    draft = await parts.short_term.draft_summary(scope)
    if draft is None:
        return False
    entries = [
        InteractionEntry(interaction=item)
        for item in await parts.episodic.session_tail(scope, FOLDED_MESSAGES)
        if _left_the_window(draft, item)
    ]
    said = [entry.interaction for entry in entries]
    try:
        text = await LlmSummariser(model, parts.counter).summarise(draft.text, said, draft.max_tokens)
    except LanguageModelError as error:
        _log.warning("summary.kept", session_id=scope.session_id, reason=error.kind, error=safe_summary(error))
        return False
    written = await parts.short_term.write_summary(scope, draft.revision, text, entries, epoch)
    _log.info("summary.written" if written else "summary.overtaken", session_id=scope.session_id, model=model.name)
    return written


async def mend_summary(parts: WorkerParts, scope: Scope) -> None:
    """Write the summary of the scope's session again from what is left, when lines of it went with what was forgotten:
    quotes at once, and a model's words in their place where there is one. Raises TierUnavailable, Outdated."""
    if await parts.short_term.torn_summary(scope) is None:
        return
    epoch = await parts.short_term.epoch(scope)
    moved = await parts.short_term.torn_summary(scope)
    left = (await parts.episodic.get(scope, moved))[-FOLDED_MESSAGES:] if moved else []
    entries = [InteractionEntry(interaction=item) for item in left]
    if await parts.short_term.mend_summary(scope, entries, epoch):
        await improve_summary(parts, scope, epoch)


def _left_the_window(draft: SummaryDraft, item: Interaction) -> bool:
    """True where the message is one that the model has not read yet and that this session no longer shows raw: a
    session that was deleted and begun anew never had those of before."""
    new = draft.written_until is None or item.occurred_at >= draft.written_until
    return new and item.id in draft.moved
