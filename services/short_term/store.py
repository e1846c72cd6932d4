"""Keys and scripts of the short-term memory in Redis: no policy, no counting of tokens, no HTTP."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Final, Literal, cast

from redis.exceptions import NoScriptError

from ragpp.models import Scope
from ragpp.redis import Client, Keys, foreign_errors, load_script, ping
from services.short_term.records import Message, decode_message, moment_of
from services.short_term.summary import SummaryLine

PACKAGE: Final = "services.short_term"
SCRIPTS: Final = ("append", "read", "compact", "forget", "delete")
AREAS: Final = ("st:log", "st:texts", "st:ids", "st:meta", "st:summary")
INDEX: Final = "st:sessions"
MARK: Final = "st:mark"
FORGET_BATCH: Final = 100
"""Sessions that one script call looks through."""

Reply = list["Reply"] | bytes | int | None
Arguments = Sequence[str | bytes | int]


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to append. `moment`: as `records.moment_key` writes it; `tokens` at least 1."""

    session_id: str
    id: str
    hash: str
    moment: str
    tokens: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a batch: either `conflicts` (positions), or `duplicates` in order and each session's tokens."""

    conflicts: tuple[int, ...] = ()
    duplicates: tuple[bool, ...] = ()
    tokens: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it is kept. `messages` newest first; `tokens` of all its messages and its summary."""

    revision: str
    tokens: int
    summary: tuple[SummaryLine, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class SessionSize:
    """What a list shows of a session."""

    session_id: str
    messages: int
    tokens: int
    summary_tokens: int
    last_at: datetime
    expires_in_s: int


class ShortTermStore:
    """A user's sessions. All keys of one user are in one slot of Redis Cluster, so a script may touch them all."""

    def __init__(self, client: Client, keys: Keys, *, ttl_s: int) -> None:
        self._client = client
        self._keys = keys
        self._ttl_s = ttl_s
        self._sources: dict[str, str] = {}

    async def append(
        self,
        scope: Scope,
        messages: Sequence[NewMessage],
        *,
        mode: Literal["store", "rebuild"],
        now: datetime,
    ) -> Appended:
        """Append all or none; see `scripts/append.lua`."""
        sessions = list(dict.fromkeys(message.session_id for message in messages))
        numbers = {session: number for number, session in enumerate(sessions, 1)}
        arguments: list[str | bytes | int] = [mode, self._ttl_s, _milliseconds(now), token_hex(8), len(sessions)]
        arguments += [*sessions, len(messages)]
        for message in messages:
            arguments += [numbers[message.session_id], message.id, message.hash, message.moment]
            arguments += [message.tokens, message.body]
        reply = await self._run("append", [self._index(scope), *self._session_keys(scope, sessions)], arguments)
        if reply[0] == 0:
            return Appended(conflicts=tuple(_numbers(reply[1])))
        return Appended(
            duplicates=tuple(flag == 1 for flag in _numbers(reply[1])),
            tokens=tuple(zip(sessions, _numbers(reply[2]), strict=True)),
        )

    async def read(
        self, scope: Scope, session_id: str, *, budget: int, least: int, now: datetime, touch: bool
    ) -> Session | None:
        """The session with its latest messages: `least` of them, and more until they have `budget` tokens."""
        reply = await self._run(
            "read",
            [self._index(scope), *self._session_keys(scope, [session_id])],
            [budget, least, self._ttl_s if touch else 0, _milliseconds(now), session_id],
        )
        if not reply:
            return None
        revision, tokens, lines, members, bodies = reply
        return Session(
            revision=cast("bytes", revision).decode(),
            tokens=cast("int", tokens),
            summary=tuple(SummaryLine.decode(line) for line in _texts(lines)),
            messages=tuple(
                decode_message(member, body) for member, body in zip(_texts(members), _texts(bodies), strict=True)
            ),
        )

    async def compact(
        self,
        scope: Scope,
        session_id: str,
        *,
        revision: str,
        summary: Sequence[SummaryLine],
        moved: Sequence[Message],
    ) -> bool:
        """Replace the summary and remove what moved into it; False when the session has changed since `revision`."""
        arguments: list[str | bytes | int] = [revision, token_hex(8)]
        arguments += [sum(line.tokens for line in summary), len(summary), *(line.encode() for line in summary)]
        for message in moved:
            arguments += [message.member, message.id]
        reply = await self._command("compact", self._session_keys(scope, [session_id]), arguments)
        return reply == 1

    async def forget(self, scope: Scope, session_ids: Sequence[str], ids: Collection[str]) -> set[str]:
        """Remove messages by id from these sessions; returns the ids that were there.

        An id that none of the sessions has ever known is marked as forgotten in each of them.
        """
        found, before = await self._forget(scope, session_ids, ids, "known")
        unknown = set(ids) - found - before
        if unknown:
            late, _ = await self._forget(scope, session_ids, unknown, "all")
            found |= late
        return found

    async def _forget(
        self, scope: Scope, session_ids: Sequence[str], ids: Collection[str], mode: Literal["known", "all"]
    ) -> tuple[set[str], set[str]]:
        """The ids that were there, and those that had been forgotten before."""
        found: set[str] = set()
        before: set[str] = set()
        for start in range(0, len(session_ids), FORGET_BATCH):
            keys = self._session_keys(scope, session_ids[start : start + FORGET_BATCH])
            removed, gone = await self._run("forget", keys, [mode, self._ttl_s, token_hex(8), *ids])
            found.update(text.decode() for text in _texts(removed))
            before.update(text.decode() for text in _texts(gone))
        return found, before

    async def delete(self, scope: Scope, session_id: str) -> bool:
        """Remove a session, all but the ids of its messages; False when there was none."""
        keys = [self._index(scope), *self._session_keys(scope, [session_id])]
        return await self._command("delete", keys, [session_id, self._ttl_s]) == 1

    async def session_ids(
        self, scope: Scope, *, since: datetime, before: tuple[int, str] | None = None, limit: int | None = None
    ) -> list[tuple[int, str]]:
        """(last use in ms, session id), the one used last first, from after the position `before`."""
        found: list[tuple[int, str]] = []
        highest: str | int = "+inf" if before is None else before[0]
        size, offset = limit or 1_000, 0
        async with foreign_errors("sessions"):
            while True:
                reply = await self._client.zrevrangebyscore(
                    self._index(scope), highest, _milliseconds(since), start=offset, num=size, withscores=True
                )
                batch = cast("list[tuple[bytes, float]]", reply)
                position = [(int(score), member.decode()) for member, score in batch]
                found += [place for place in position if before is None or place < before]
                if len(batch) < size or (limit is not None and len(found) >= limit):
                    return found if limit is None else found[:limit]
                offset += size

    async def sizes(self, scope: Scope, session_ids: Sequence[str]) -> list[SessionSize]:
        """Those of the sessions that are there, in order. What Redis evicted leaves the index."""
        if not session_ids:
            return []
        found, lost = [], []
        async with foreign_errors("sessions"):
            pipeline = self._client.pipeline(transaction=False)
            for session_id in session_ids:
                log, _, _, meta, _ = self._session_keys(scope, [session_id])
                pipeline.hmget(meta, ["tokens", "summary_tokens", "last_at"])
                pipeline.zcard(log)
                pipeline.ttl(meta)
            replies = await pipeline.execute()
            for number, session_id in enumerate(session_ids):
                (tokens, summary_tokens, last_at), messages, ttl = replies[3 * number : 3 * number + 3]
                if last_at is None:
                    lost.append(session_id)
                    continue
                summarised = int(summary_tokens or 0)
                moment = moment_of(last_at.decode())
                found.append(SessionSize(session_id, messages, int(tokens) + summarised, summarised, moment, ttl))
            if lost:
                await self._client.zrem(self._index(scope), *lost)
        return found

    async def has_mark(self) -> bool:
        """Whether `mark` was called since the store last was empty."""
        async with foreign_errors("mark"):
            return bool(await self._client.exists(self._keys.shared(MARK)))

    async def mark(self) -> None:
        """Leave a key that is gone when everything is."""
        async with foreign_errors("mark"):
            await self._client.set(self._keys.shared(MARK), 1)

    async def ping(self) -> str:
        """The server's version. Raises TierUnavailable."""
        return await ping(self._client)

    def _index(self, scope: Scope) -> str:
        return self._keys.user(INDEX, scope)

    def _session_keys(self, scope: Scope, session_ids: Sequence[str]) -> list[str]:
        return [self._keys.session(area, scope.in_session(session_id)) for session_id in session_ids for area in AREAS]

    async def _run(self, name: str, keys: Sequence[str], arguments: Arguments) -> list[Reply]:
        return cast("list[Reply]", await self._command(name, keys, arguments))

    async def _command(self, name: str, keys: Sequence[str], arguments: Arguments) -> Reply:
        """Run a script by its hash; a server that does not know it is sent the source."""
        source = self._sources.get(name) or self._sources.setdefault(name, load_script(PACKAGE, name))
        digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
        async with foreign_errors(name):
            try:
                return cast("Reply", await self._client.evalsha(digest, len(keys), *keys, *arguments))
            except NoScriptError:
                return cast("Reply", await self._client.eval(source, len(keys), *keys, *arguments))


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _numbers(reply: Reply) -> list[int]:
    return cast("list[int]", reply)


def _texts(reply: Reply) -> list[bytes]:
    return cast("list[bytes]", reply)
