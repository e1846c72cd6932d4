"""The two ways in which an agent's memories are chosen: as the catalog does, and as its file did before."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.entries.describing import forms_of, keywords_of
from ragpp.entries.packing import Offer, Packed, by_score, pack
from ragpp.entries.relevance import ScoreWeights, fits, scored
from ragpp.entries.values import MAX_ENTRIES, EntryQuery, Form, FoundEntry
from ragpp.models import Scope
from ragpp.text.port import TokenSpans
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.offering import Candidate, Message, candidates_for, scorable, tokens_of

_RELEVANCE_ALONE: Final = ScoreWeights(relevance=1.0, search=0.0, value=0.0)


@dataclass(frozen=True, slots=True)
class Way:
    """`candidates`: what may be shown for a message, scored; `fits`: what of it is given unasked; `pack`: what of that
    has room, in which of the `forms`."""

    candidates: Callable[[CatalogTier, Scope, Message, datetime], Awaitable[list[Candidate]]]
    fits: Callable[[FoundEntry, str], bool]
    pack: Callable[[Sequence[Offer], int], Packed]
    forms: frozenset[Form]

    def sizes(self, one: Candidate, counter: TokenSpans, handle: str) -> dict[Form, int]:
        """Tokens of each form, as it stands in its line."""
        return {form: size for form, size in tokens_of(one, counter, handle).items() if form in self.forms}


async def candidates_of_file(catalog: CatalogTier, scope: Scope, message: Message, now: datetime) -> list[Candidate]:
    """What was imported, of the latest MAX_ENTRIES what has not expired, scored by relevance alone (document 001): no
    search, and nothing that was learned. Raises what the tier raises."""
    found = await catalog.find_entries(scope, EntryQuery(imported=True, contents=True, limit=MAX_ENTRIES))
    tags = keywords_of(message.text)

    def candidate(one: FoundEntry) -> Candidate:
        judged = scored(scorable(one, None), now=now, message_tags=tags, agent=message.agent, score=_RELEVANCE_ALONE)
        return Candidate(one, forms_of(one.entry.content or "", one.entry.summary, one.entry.abstract), judged)

    return [candidate(one) for one in found if one.entry.expires is None or one.entry.expires > now]


def _always(_found: FoundEntry, _message: str) -> bool:
    return True


CATALOG: Final = Way(candidates_for, fits, pack, frozenset(Form))
FILE: Final = Way(candidates_of_file, _always, by_score, frozenset({Form.FULL, Form.SUMMARY}))
"""As document 001's "Token-Aware Packing": by relevance, in full or as a summary, until the budget is used."""
