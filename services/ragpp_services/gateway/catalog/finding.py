"""The candidates for a message: found before, or searched for."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from ragpp.entries.values import EntryQuery
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.caching import CandidateCache, Question
from ragpp_services.gateway.catalog.candidates import Candidate, Message, candidates_of

OFFERED: Final = 50
"""So many of those that answer a message best are scored and packed: each takes 20 tokens at least."""


async def candidates_for(
    catalog: CatalogTier, cache: CandidateCache, scope: Scope, message: Message, now: datetime
) -> Sequence[Candidate]:
    """The candidates for a message, scored as of `now` or of the minutes before in which nothing changed. Raises what
    the tier raises.

    The version is read before the search: what is written in between is found under a version that nobody asks for any
    more, and whoever asks after a write has committed asks for another.
    """
    question = Question.of(scope, message, await catalog.content_version(scope))
    known = await cache.get(question)
    if known is None:
        found = await catalog.find_entries(scope, EntryQuery(text=message.text, contents=True, limit=OFFERED))
        known = candidates_of(found, message, now)
        await cache.put(question, known)
    return [one for one in known if not one.is_over(now)]
