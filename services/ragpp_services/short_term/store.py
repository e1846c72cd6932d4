"""Keys and scripts of the short-term memory in Redis: no policy, no counting of tokens, no HTTP."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Final, Literal, cast

from redis.exceptions import NoScriptError

from ragpp.models import Scope
from ragpp.stores.forgetting import outdated
from ragpp.stores.redis import Client, Keys, foreign_errors, load_script
from ragpp_services.short_term.records import HASH_CHARS, Appended, Message, NewMessage, decode_message, moment_of
from ragpp_services.short_term.summary import SummaryLine
from ragpp_services.short_term.upkeep import EPOCH, FORGOTTEN, INDEX, Upkeep

PACKAGE: Final = "ragpp_services.short_term"
SCRIPTS: Final = ("append", "read", "compact", "forget", "unlist", "delete", "epoch", "erase")
AREAS: Final = ("st:log", "st:texts", "st:ids", "st:meta", "st:summary")
EVERYTHING: Final = 2**31
"""As a budget in tokens: the whole session."""
FORGET_BATCH: Final = 100
"""Sessions that one script call looks through."""

Reply = list["Reply"] | bytes | int | None
Arguments = Sequence[str | bytes | int]


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it is kept. `messages` newest first; `tokens` of all its messages and its summary."""

    revision: str
    tokens: int
    summary: tuple[SummaryLine, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class SessionSize:
    """A session as a list shows it."""

    session_id: str
    messages: int
    tokens: int
    summary_tokens: int
    last_at: datetime
    expires_in_s: int


class ShortTermStore:
    """A user's sessions. All keys of one user are in one slot of Redis Cluster, so a script may touch them all."""

    def __init__(self, client: Client, keys: Keys, *, ttl_s: int, keep_marks_s: int) -> None:
        """`ttl_s`: of a session since its last use. `keep_marks_s`: of the marks of what was forgotten."""
        self._client, self._keys = client, keys
        self.upkeep = Upkeep(client, keys)
        self._ttl_s = ttl_s
        self._keep_s = keep_marks_s
        self._sources: dict[str, str] = {}

    async def append(
        self,
        scope: Scope,
        messages: Sequence[NewMessage],
        *,
        mode: Literal["store", "rebuild"],
        now: datetime,
        epoch: int | None,
    ) -> Appended:
        """Append all or none; see `scripts/append.lua`. Raises Outdated when `epoch` is not the user's."""
        sessions = list(dict.fromkeys(message.session_id for message in messages))
        numbers = {session: number for number, session in enumerate(sessions, 1)}
        arguments: list[str | bytes | int] = [_carried(epoch), mode, self._ttl_s, _milliseconds(now), token_hex(8)]
        arguments += [self._keep_s, len(sessions), *sessions, len(messages)]
        for message in messages:
            arguments += [numbers[message.session_id], message.id, message.mark, message.hash, message.moment]
            arguments += [message.tokens, message.body]
        keys = [*self._user_keys(scope), self._index(scope), *self._session_keys(scope, sessions)]
        reply = await self._run("append", keys, arguments)
        if reply[0] == 2:
            raise outdated()
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
        marks: Collection[str] = (),
        moved: Sequence[Message] = (),
        mends: bool = False,
        epoch: int | None,
    ) -> bool:
        """Replace the summary and remove what moved into it; False when the session has changed since `revision`, or
        when one of `marks`, those of the messages that the summary was made from, is of something forgotten. `mends`:
        it is torn no longer. Raises Outdated when `epoch` is not the user's."""
        arguments: list[str | bytes | int] = [_carried(epoch), revision, token_hex(8), int(mends)]
        arguments += [sum(line.tokens for line in summary), len(summary), *(line.encode() for line in summary)]
        arguments += [len(marks), *marks]
        for message in moved:
            arguments += [message.member, message.id]
        keys = [*self._user_keys(scope), *self._session_keys(scope, [session_id])]
        reply = await self._command("compact", keys, arguments)
        if reply == 2:
            raise outdated()
        return reply == 1

    async def moved(self, scope: Scope, session_id: str) -> frozenset[str]:
        """The ids of the messages that have left the session's window for its summary."""
        _, _, ids, _, _ = self._session_keys(scope, [session_id])
        async with foreign_errors("moved"):
            known = cast("dict[bytes, bytes]", await self._client.hgetall(ids))
        return frozenset(message_id.decode() for message_id, place in known.items() if len(place) == HASH_CHARS)

    async def is_torn(self, scope: Scope, session_id: str) -> bool:
        """True where lines of the session's summary went with what was forgotten."""
        _, _, _, meta, _ = self._session_keys(scope, [session_id])
        async with foreign_errors("torn"):
            return bool(await self._client.hexists(meta, "torn"))

    async def epoch(self, scope: Scope) -> int:
        """The user's epoch of forgetting, begun by this if there is none."""
        reply = await self._command("epoch", [self._keys.user(EPOCH, scope)], [self._ttl_s])
        return int(cast("bytes", reply))

    async def mark_forgotten(self, scope: Scope, marks: Collection[str], *, now: datetime) -> None:
        """Let messages of these marks come into no session of the user any more, and begin an epoch."""
        await self._run(
            "forget",
            self._user_keys(scope),
            [self._ttl_s, token_hex(8), _milliseconds(now), self._keep_s, len(marks), *marks],
        )

    async def remove(self, scope: Scope, session_ids: Sequence[str], ids: Collection[str], now: datetime) -> set[str]:
        """Remove messages, which are marked as forgotten, by id from these sessions; returns the ids that were there.
        Each step begins an epoch: what was read before it may rest on what it removes."""
        found: set[str] = set()
        for start in range(0, len(session_ids), FORGET_BATCH):
            batch = session_ids[start : start + FORGET_BATCH]
            sessions = self._session_keys(scope, batch)
            keys = [*self._user_keys(scope), *sessions]
            removed = await self._run(
                "forget", keys, [self._ttl_s, token_hex(8), _milliseconds(now), self._keep_s, 0, *ids]
            )
            found.update(text.decode() for text in _texts(removed))
            metas = sessions[AREAS.index("st:meta") :: len(AREAS)]
            await self._command("unlist", [self._index(scope), *metas], batch)
        return found

    async def delete(self, scope: Scope, session_id: str, *, only_if_empty: bool = False) -> bool:
        """Remove a session, all but the ids of its messages; False when there was none, or it was not to be."""
        keys = [self._index(scope), *self._session_keys(scope, [session_id])]
        return await self._command("delete", keys, [session_id, self._ttl_s, int(only_if_empty)]) == 1

    async def erase(self, scope: Scope) -> None:
        """Begin an epoch, and remove every key of the user but the epoch and the marks of what was forgotten: those
        also that no list of sessions leads to. The whole store's keys are looked through, a thousand at a time."""
        index = self._index(scope)
        prefixes = [f"{self._keys.user(area, scope)}:" for area in AREAS]
        found: set[str] = set()
        async with foreign_errors("erase"):
            for prefix in prefixes:
                async for key in self._client.scan_iter(match=f"{prefix}*", count=1_000):
                    found.add(key.decode().removeprefix(prefix))
        sessions = sorted(found)
        for start in range(0, max(1, len(sessions)), FORGET_BATCH):
            some = sessions[start : start + FORGET_BATCH]
            keys = [f"{prefix}{session}" for session in some for prefix in prefixes]
            await self._run("erase", [self._keys.user(EPOCH, scope), index, *keys], [self._ttl_s])

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

    def _index(self, scope: Scope) -> str:
        return self._keys.user(INDEX, scope)

    def _user_keys(self, scope: Scope) -> list[str]:
        """The epoch, and the marks of what was forgotten."""
        return [self._keys.user(EPOCH, scope), self._keys.user(FORGOTTEN, scope)]

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


def _carried(epoch: int | None) -> str:
    return "" if epoch is None else str(epoch)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _numbers(reply: Reply) -> list[int]:
    return cast("list[int]", reply)


def _texts(reply: Reply) -> list[bytes]:
    return cast("list[bytes]", reply)
