"""The two ways in which an agent's memories are chosen: as the catalog does, and as its file did before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.catalog import DEFAULT_VALUE
from ragpp.entries.fitting import fitting_of
from ragpp.entries.making import LOW_VALUE
from ragpp.entries.packing import Offer, Packed, by_score, pack
from ragpp.entries.relevance import ScoreWeights
from ragpp.entries.usage import USEFUL
from ragpp.entries.values import MAX_ENTRIES, EntryQuery, Form, FoundEntry
from ragpp.models import Scope
from ragpp.text.port import ReaderMeter
from ragpp_services.gateway.catalog.candidates import Candidate, Message, candidates_of, tokens_of
from ragpp_services.gateway.catalog.finding import candidates_for
from ragpp_services.gateway.parts import Parts

_RELEVANCE_ALONE: Final = ScoreWeights(relevance=1.0, search=0.0, value=0.0)


@dataclass(frozen=True, slots=True)
class Way:
    """`candidates`: what may be shown for a message, scored; `fits`: what of all that was found
    is given unasked for a message, by id with why; `pack`: what of that
    has room, in which of the `forms`."""

    candidates: Callable[[Parts, Scope, Message, datetime], Awaitable[Sequence[Candidate]]]
    fits: Callable[[Sequence[FoundEntry], str], Mapping[str, Mapping[str, float]]]
    pack: Callable[[Sequence[Offer], int], Packed]
    forms: frozenset[Form]

    def sizes(self, one: Candidate, counter: ReaderMeter, handle: str) -> dict[Form, int]:
        """Tokens of each form, as it stands in its line."""
        return {form: size for form, size in tokens_of(one, counter, handle).items() if form in self.forms}


async def _of_catalog(parts: Parts, scope: Scope, message: Message, now: datetime) -> Sequence[Candidate]:
    return await candidates_for(parts.catalog, parts.candidates, scope, message, now)


async def _of_file(parts: Parts, scope: Scope, message: Message, now: datetime) -> Sequence[Candidate]:
    """The imported memories, of the latest MAX_ENTRIES those that have not expired, scored by relevance alone (document
    001): no search, and nothing that was learned. Raises what the tier raises."""
    found = await parts.catalog.find_entries(scope, EntryQuery(imported=True, contents=True, limit=MAX_ENTRIES))
    return [one for one in candidates_of(found, message, now, _RELEVANCE_ALONE) if not one.is_over(now)]


def _alike(found: Sequence[FoundEntry], message: str) -> Mapping[str, Mapping[str, float]]:
    """The terms of those that fit the message. What has proved of low value does not, and replaces nothing; it may be
    chosen."""
    poor = {one.entry.memory_id for one in found if one.values.get(USEFUL, DEFAULT_VALUE) < LOW_VALUE}
    left = [
        one.model_copy(update={"replaced_by": None}) if one.replaced_by in poor else one
        for one in found
        if one.entry.memory_id not in poor
    ]
    return {memory_id: fit.terms for memory_id, fit in fitting_of(left, message).items()}


def _all(found: Sequence[FoundEntry], _message: str) -> Mapping[str, Mapping[str, float]]:
    return {one.entry.memory_id: {} for one in found}


CATALOG: Final = Way(_of_catalog, _alike, pack, frozenset(Form))
FILE: Final = Way(_of_file, _all, by_score, frozenset({Form.FULL, Form.SUMMARY}))
"""As document 001's "Token-Aware Packing": by relevance, in full or as a summary, until the budget is used."""
