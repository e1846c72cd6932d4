"""How much short-term memory holds of a user."""

from collections.abc import Sequence
from datetime import datetime

from ragpp.models import Scope
from ragpp_services.short_term.store import ShortTermStore
from ragpp_services.short_term.summarising import EVERYTHING


async def holdings(
    store: ShortTermStore, scope: Scope, sources: Sequence[str] | None, *, since: datetime, now: datetime
) -> dict[str, int]:
    """Sessions used `since` and their messages; of `sources`, messages of these ids and lines of summaries that rest on
    any of them. Kinds of which there is nothing are left out; looking is no use of a session."""
    known = [session_id for _, session_id in await store.session_ids(scope, since=since)]
    if sources is None:
        sizes = await store.sizes(scope, known)
        counts = {"sessions": len(sizes), "messages": sum(size.messages for size in sizes)}
    else:
        wanted, counts = set(sources), {"messages": 0, "summary_lines": 0}
        for session_id in known:
            session = await store.read(scope, session_id, budget=EVERYTHING, least=0, now=now, touch=False)
            if session is not None:
                counts["messages"] += sum(message.id in wanted for message in session.messages)
                counts["summary_lines"] += sum(not wanted.isdisjoint(line.sources) for line in session.summary)
    return {kind: count for kind, count in counts.items() if count}
