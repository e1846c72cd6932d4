"""The memories of the catalog that matter for a message, packed into a budget of tokens."""

import asyncio
from collections.abc import Sequence

from ragpp.api import Offered, RelevantMemories
from ragpp.entries.formatting import HEADING, fitting, format_injection
from ragpp.entries.packing import Offer, pack
from ragpp.fields import TokenizerName
from ragpp.models import Scope
from ragpp.text.port import ReaderMeter
from ragpp_services.gateway.catalog.candidates import Candidate, Message, tokens_of
from ragpp_services.gateway.catalog.finding import candidates_for
from ragpp_services.gateway.parts import Parts


async def relevant(
    parts: Parts, scope: Scope, message: Message, tokenizer: TokenizerName | None = None
) -> RelevantMemories:
    """The memories that matter most for a message, in the forms that are worth most within its budget, in tokens of
    `tokenizer` or the usual one: of the best OFFERED that answer it, or, where it says nothing, of the latest. Raises
    what the tier and the tokenizer raise."""
    counter = await parts.tokenizers.ready(tokenizer)
    candidates = await candidates_for(parts.catalog, parts.candidates, scope, message, parts.clock())
    return await asyncio.to_thread(_offered, candidates, message, counter)


def _offered(candidates: Sequence[Candidate], message: Message, counter: ReaderMeter) -> RelevantMemories:
    by_id = {one.found.entry.memory_id: one for one in candidates}
    longest = f"m{len(by_id)}"  # of no handle more tokens than of that one are counted
    offers = [
        Offer(identifier, one.scored.score, tokens_of(one, counter, longest)) for identifier, one in by_id.items()
    ]
    packed = pack(offers, max(0, message.max_tokens - counter.count(f"{HEADING}\n")))
    shown = [(by_id[identifier], form) for identifier, form in packed.shown.items()]
    lines = [one.line(form, f"m{place}") for place, (one, form) in enumerate(shown, 1)]
    kept = fitting(lines, message.max_tokens, counter.count)
    formatted = format_injection(kept)
    over = [one.found.entry.memory_id for one, _ in shown[len(kept) :]]
    return RelevantMemories(
        memories=tuple(
            Offered(
                handle=f"m{place}",
                entry=one.entry,
                form=form,
                text=one.forms[form],
                score=one.scored.score,
                relevance=one.scored.relevance,
                explain=one.scored.terms,
            )
            for place, (one, form) in enumerate(shown[: len(kept)], 1)
        ),
        formatted=formatted,
        tokens=counter.count(formatted),
        left_out={**packed.left_out, **dict.fromkeys(over, "others are worth more")},
    )
