"""Redis' part: the running conversations with their summaries, times to live, epochs and marks.

A line is `[key, expires_at, value]`: the key without the stack's prefix, the moment in milliseconds since 1970 or null.
Values are written by what an area holds, not as DUMP does: that of one server is nothing to another. What is on the
broker are hints, and not copied.
"""

import hashlib
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, cast

from ragpp_infra.backup.archive import ArchiveWriter
from ragpp_infra.backup.errors import BadBackup
from ragpp_infra.backup.lines import AT_ONCE, write_lines
from ragpp_infra.backup.places import Client

PART: Final = "redis"
OF_SESSION: Final = ("st:ids", "st:meta", "st:log", "st:texts", "st:summary")
"""The areas of one session. Any that is there is found by one of the first two."""
KINDS: Final[dict[str, Literal["hash", "zset", "list", "text"]]] = {
    "st:ids": "hash",
    "st:meta": "hash",
    "st:log": "zset",
    "st:texts": "hash",
    "st:summary": "list",
    "st:sessions": "zset",
    "st:marks": "zset",
    "st:epoch": "text",
    "st:mark": "text",
}
"""The contents of each area's keys."""
SCANNED: Final = 1_000
VALUES_AT_ONCE: Final = 1_000

Line = tuple[str, int | None, object]


async def copy_conversations(client: Client, prefix: str, archive: ArchiveWriter) -> None:
    """Write every key of the short-term tier, all of a session as of one moment."""
    part = archive.part(PART)
    seen: set[bytes] = set()
    found: list[Line] = []
    for area in (*OF_SESSION[:2], "st:sessions", "st:marks", "st:epoch", "st:mark"):
        # the one key of `st:mark` has nothing behind its area, those of others a user
        async for key in client.scan_iter(match=f"{prefix}{area}*", count=SCANNED):
            name = key.removeprefix(prefix)
            if area_of(name) != area:
                continue
            names = [f"{one}{name.removeprefix(area)}" for one in OF_SESSION] if area in OF_SESSION else [name]
            digest = hashlib.blake2b(names[0].encode(), digest_size=10).digest()
            if digest in seen:  # a scan may tell a key twice
                continue
            seen.add(digest)
            found += await read_keys(client, prefix, names)
            if len(found) >= AT_ONCE:
                await write_lines(part, found)
                found = []
    await write_lines(part, found)
    await part.close()


def area_of(key: str) -> str:
    """The area of a key without its prefix."""
    return ":".join(key.split(":", 2)[:2])


async def read_keys(client: Client, prefix: str, names: Sequence[str]) -> list[Line]:
    """The values of these keys, of one moment; of those that are there."""
    asking = client.pipeline(transaction=True)
    for name in names:
        key = f"{prefix}{name}"
        asking.pexpiretime(key)
        match KINDS[area_of(name)]:
            case "hash":
                asking.hgetall(key)
            case "zset":
                asking.zrange(key, 0, -1, withscores=True)
            case "list":
                asking.lrange(key, 0, -1)
            case "text":
                asking.get(key)
    replies = await asking.execute()
    lines: list[Line] = []
    for name, expires_at, value in zip(names, replies[::2], replies[1::2], strict=True):
        if expires_at != -2 and value:
            lines.append((name, None if expires_at == -1 else expires_at, value))
    return lines


async def load_conversations(client: Client, prefix: str, lines: Sequence[object]) -> int:
    """Write these lines, but for what has expired since; how many keys. Raises BadBackup."""
    now = int(time.time() * 1_000)
    writing = client.pipeline(transaction=False)
    written = 0
    for line in lines:
        name, expires_at, value = checked(line)
        if expires_at is not None and expires_at <= now:
            continue
        key = f"{prefix}{name}"
        writing.delete(key)
        match KINDS[area_of(name)]:
            case "hash":
                for some in _portions(list(cast("dict[str, str]", value).items())):
                    writing.hset(key, mapping=dict(some))
            case "zset":
                for some in _portions(cast("list[tuple[str, float]]", value)):
                    writing.zadd(key, dict(some))
            case "list":
                for texts in _portions(cast("list[str]", value)):
                    writing.rpush(key, *texts)
            case "text":
                writing.set(key, cast("str", value))
        if expires_at is not None:
            writing.pexpireat(key, expires_at)
        written += 1
    await writing.execute()
    return written


def checked(line: object) -> Line:
    """A line as it was written. Raises BadBackup."""
    match line:
        case [str(key), int() | None as expires_at, value] if area_of(key) in KINDS:
            return key, expires_at, value
    raise BadBackup("a line of Redis' part is none")


def _portions(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for start in range(0, len(values), VALUES_AT_ONCE):
        yield values[start : start + VALUES_AT_ONCE]


async def empty_redis(client: Client, prefix: str) -> None:
    """Delete every key of the stack, the broker's hints, too."""
    keys: list[str] = []
    async for key in client.scan_iter(match=f"{prefix}*", count=SCANNED):
        keys.append(key)
        if len(keys) == SCANNED:
            await client.unlink(*keys)
            keys = []
    if keys:
        await client.unlink(*keys)
