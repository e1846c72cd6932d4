"""Behind a turn: what of an exchange is handed over for memories to be taken from it."""

import asyncio
from uuid import uuid4

from pydantic import JsonValue

from ragpp.api import ResourceIn, ResourceMessageIn
from ragpp.api.hooks import PostMessageIn
from ragpp.catalog import LABELS, REPEATED, WORK_LABELS
from ragpp.entries.unrepeated import LEFT_OUT, repeated, unrepeated
from ragpp.entries.values import EntryQuery
from ragpp.text.spans import Span
from ragpp_services.gateway.hooks.turning import Agent
from ragpp_services.gateway.parts import Parts


async def exchange(parts: Parts, agent: Agent, body: PostMessageIn) -> ResourceIn:
    """The exchange as a conversation. What the answer repeats of the memories that the agent was shown is left out, or,
    where the answer is an interaction of its own, marked as repeated: it would come back as something that the agent
    said, and outlive what it repeats. Of an answer that may rest on what was forgotten meanwhile nothing is kept.
    Raises what the tier raises."""
    response = parts.intake.redacted(body.response)
    shown = await parts.catalog.shown_lately(agent.scope, agent.ci)
    memories: list[str] = []
    if shown.item_ids and not shown.doubtful:
        query = EntryQuery(ids=shown.item_ids, contents=True, limit=len(shown.item_ids))
        memories = [one.entry.content or "" for one in await parts.catalog.find_entries(agent.scope, query)]
    labels: dict[str, JsonValue] = {
        name: parts.knowledge.label(label) for name in WORK_LABELS if (label := getattr(body, name)) is not None
    }
    metadata: dict[str, JsonValue] = {LABELS: labels} if labels else {}
    if body.response_id is not None:
        whole = [Span(0, len(response))]
        found = whole if shown.doubtful else await asyncio.to_thread(repeated, response, memories)
        metadata |= {REPEATED: [[start, end] for start, end in found]} if found else {}
    elif shown.doubtful:
        response = LEFT_OUT
    else:
        response = await asyncio.to_thread(unrepeated, response, memories)
    return ResourceIn(
        id=f"res_{uuid4()}",
        resource_type="conversation",
        messages=(
            ResourceMessageIn(role="user", content=body.message, id=body.message_id),
            ResourceMessageIn(role="assistant", content=response, id=body.response_id),
        ),
        metadata=metadata,
    )
