"""The catalog as an agent chooses its memories by it, as documents 000 and 001 have it, over the gateway."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from ragpp.api import RelevantMemories
from ragpp.api.files import SourceIn, SourceReport
from ragpp.api.hooks import Injection, RequestedMemories, TurnCatalog, Usefulness
from ragpp.catalog import CatalogVisibility, ItemKind
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.entries.usage import AgentSource, TokenBudget, ValueMove
from ragpp.entries.values import CatalogEntry
from ragpp.errors import ConfigurationError, InvalidInput, MemorySystemError
from ragpp.fields import TokenizerName
from ragpp.jobs import Job
from ragpp.memory.files import Backfilled, ImportReport, backfill, export_file, import_file, write_private
from ragpp.memory.whose import Whose, or_none

PATIENCE_S: Final = 120.0


class MemoryCatalog:
    """One agent's catalog: its own memories and the shared ones, whichever key asks; without an agent what the key
    sees. `agent_id`: the agent's name (`ci` in the documents); `client`: of the gateway, that of the environment or of
    the stack's folder where none is given (`MemoryManager`). To be closed, or used as a context.

    Raises ConfigurationError where no gateway is named; from every method what the client raises.
    """

    def __init__(
        self,
        agent_id: str | None = None,
        *,
        client: AsyncMemoryClient | None = None,
        user_id: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._closes = client is None
        self._whose = Whose(client or AsyncMemoryClient(), user_id, agent_id, patience_s)

    async def __aenter__(self) -> "MemoryCatalog":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._closes:
            await self._whose.client.aclose()

    async def search(
        self,
        query: str | None = None,
        *,
        type: ItemKind | None = None,  # noqa: A002 - the document's
        tags: tuple[str, ...] = (),
        ci: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[CatalogEntry]:
        """Light entries that answer `query` best, or the latest, of a type, with one of `tags` at least, of the agent
        `ci` alone where one is named; of what this agent sees, its own and the shared ones."""
        found = await self._whose.client.entries(
            self._whose.user_id,
            ci=ci,
            type=type,
            tags=",".join(tags) or None,
            search=query,
            view=self._whose.agent_id,
            offset=offset,
            limit=limit,
        )
        return list(found.memories)

    async def get_relevant(
        self,
        message: str,
        *,
        goal: str | None = None,
        max_tokens: int | None = None,
        tokenizer: TokenizerName | None = None,
    ) -> RelevantMemories:
        """The memories that matter for a message, in `max_tokens` of `tokenizer`; see `GET /api/memory/relevant`."""
        return await self._whose.client.relevant(
            self._whose.user_id,
            ci=self._whose.agent_id,
            message=message,
            goal=goal,
            max_tokens=max_tokens,
            tokenizer=tokenizer,
        )

    async def store(
        self,
        content: str,
        *,
        type: ItemKind | None = None,  # noqa: A002 - the document's
        summary: str | None = None,
        tags: tuple[str, ...] | None = None,
        priority: int | None = None,
        expires: datetime | None = None,
        references: tuple[str, ...] = (),
        visibility: CatalogVisibility | None = None,
        memory_id: str | None = None,
        metadata: dict[str, JsonValue] | None = None,
    ) -> CatalogEntry:
        """Keep a memory; answers the entry that it is now. The agent's own, unless `visibility` is `shared`, for all of
        the user's agents, or `global`, for all users of the tenant; without an agent it is shared. Raises Forbidden for
        a key that is bound to an agent and lacks the scope for it, Conflict where the agent has all that it may."""
        return await self._whose.client.store_entry(
            user_id=self._whose.user_id,
            id=memory_id,
            content=content,
            ci=self._whose.agent_id,
            type=type,
            summary=summary,
            tags=tags,
            priority=priority,
            expires=expires,
            references=references,
            visibility=visibility,
            metadata=metadata or {},
        )

    async def get(self, memory_id: str) -> CatalogEntry | None:
        """One with its content, of what this agent sees; None where there is none."""
        whose = self._whose
        return await or_none(whose.client.entry(memory_id, user_id=whose.user_id, view=whose.agent_id))

    async def delete(self, memory_id: str) -> bool:
        """Delete it, or take back what this agent contributed; False where it sees none. Forbidden for a
        shared one that is not its own."""
        whose = self._whose
        gone = await or_none(whose.client.forget_entry(memory_id, user_id=whose.user_id, view=whose.agent_id))
        return gone is not None

    async def expire_old(self, *, dry_run: bool = False) -> dict[str, JsonValue]:
        """Let go of what has to go, as the operator's settings say, and answer what went and why; with `dry_run` only
        what would. Raises TierUnavailable where the workers do not get to it in time."""
        job = await self._whose.client.cleanup(user_id=self._whose.user_id, dry_run=dry_run)
        return await self._whose.done(job, MemorySystemError)

    async def import_file(self, path: str | Path) -> ImportReport:
        """Keep the memories of a file, this agent's; without one whom the file names. Each by itself: what is wrong
        with one is told with its line. Repeating it is harmless. Raises OSError."""
        data = await asyncio.to_thread(Path(path).read_bytes)
        return await import_file(self._whose.client, data, user_id=self._whose.user_id, ci=self._whose.agent_id)

    async def export_file(self, path: str | Path) -> None:
        """Write what this agent alone sees into a file that `import_file` reads; without an agent what all of the
        user's see. Raises OSError."""
        text = await export_file(
            self._whose.client, system_clock(), user_id=self._whose.user_id, ci=self._whose.agent_id
        )
        await asyncio.to_thread(write_private, Path(path), text.encode())

    async def backfill(self, *, start: datetime | None = None, end: datetime | None = None) -> Backfilled:
        """Have memories taken from what was said to this agent before it had a catalog, behind whoever asks."""
        if self._whose.user_id is None:
            raise ConfigurationError(
                "what was said is a user's, and none is named", suggestions=("Name one: MemoryCatalog(user_id=…).",)
            )
        return await backfill(self._whose.client, self._whose.user_id, self._ci, start=start, end=end)

    async def set_source(self, source: AgentSource) -> None:
        """Where this agent's memories come from, from its next turn on: `file`, `parallel` or `catalog`."""
        await self._whose.client.set_agent_source(self._ci, SourceIn(user_id=self._whose.user_id, source=source))

    async def comparison(self) -> SourceReport:
        """How what its file would have given differs from what the catalog gave, since it was set to `parallel`."""
        return await self._whose.client.agent_comparison(self._ci, user_id=self._whose.user_id)

    async def pre_prompt_hook(self, prompt: str, context: dict[str, JsonValue] | None = None) -> TurnCatalog:
        """Begin a turn: what the agent may choose from for a prompt, in short, within its budget."""
        return await self._whose.client.pre_prompt(
            user_id=self._whose.user_id, ci=self._ci, prompt=prompt, context=context or {}
        )

    async def memory_request_hook(self, memory_ids: Sequence[str]) -> RequestedMemories:
        """The memories that it chose, by handle or id, in full as far as the turn's budget goes."""
        return await self._whose.client.memory_request(
            user_id=self._whose.user_id, ci=self._ci, memory_ids=_several("memory_ids", memory_ids)
        )

    async def post_response_hook(self, response: str, memories_used: Sequence[str]) -> Usefulness:
        """How useful the memories were for its answer; what they are worth moves, once a turn."""
        return await self._whose.client.post_response(
            user_id=self._whose.user_id,
            ci=self._ci,
            response=response,
            memories_used=_several("memories_used", memories_used),
        )

    async def pre_message_hook(self, message: str) -> Injection:
        """Begin a turn with what fits a message, as a section to put before it."""
        return await self._whose.client.pre_message(user_id=self._whose.user_id, ci=self._ci, message=message)

    async def post_message_hook(self, message: str, response: str) -> Job:
        """Have memories taken from an exchange, behind whoever asks."""
        return await self._whose.client.post_message(
            user_id=self._whose.user_id, ci=self._ci, message=message, response=response
        )

    async def feedback(self, memory_id: str, value: float, reason: str | None = None) -> ValueMove:
        """Store what the agent thinks of a memory, −1 to 1; returns how its value moved."""
        return await self._whose.client.give_feedback(
            memory_id, user_id=self._whose.user_id, ci=self._ci, value=value, reason=reason
        )

    async def budget(self) -> TokenBudget:
        """Tokens of memory of the turn that the agent is in."""
        return await self._whose.client.agent_budget(self._ci, user_id=self._whose.user_id)

    @property
    def _ci(self) -> str:
        if self._whose.agent_id is None:
            raise ConfigurationError(
                "a turn is an agent's, and none is named", suggestions=("Name it: MemoryCatalog(agent_id=…).",)
            )
        return self._whose.agent_id


def _several(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Raises InvalidInput for one text, which would be taken for its letters."""
    if isinstance(given, str):
        why = "is one text, and not a list of handles or ids"
        raise InvalidInput(f"{name}: {why}", details={"errors": [{"field": name, "reason": why}]})
    return tuple(given)
