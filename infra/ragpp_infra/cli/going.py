"""The things that go with messages that are forgotten, each named, and how to state it again."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.api import ForgetAnswer
from ragpp.client import AsyncMemoryClient
from ragpp.models import Relationship
from ragpp.paging import PAGE, read_all
from ragpp.preference_values import shown

MOST: Final = 10_000
MOST_SOURCES: Final = 20
"""The most sources that a relationship tells, the latest: where there are as many, there may be others."""


@dataclass(frozen=True)
class Going:
    """One thing, and the command that states it again, where there is one."""

    text: str
    again: str | None = None


async def going_with(client: AsyncMemoryClient, user: str, found: ForgetAnswer) -> list[Going]:
    """The relationships, preferences, rules and findings that rest on the messages that were found, and on no other. Of
    more messages than one answer lists, those that rest on the listed ones."""
    ids = {one.id for one in found.found}
    if not ids or not any(found.with_them.values()):
        return []
    relationships, preferences, rules, findings = await asyncio.gather(
        read_all(lambda cursor: client.relationships(user, state="all", cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.findings(user, cursor=cursor, limit=PAGE), most=MOST),
    )

    def rests(sources: Sequence[str]) -> bool:
        return bool(sources) and ids.issuperset(sources)

    going = [
        Going(f"{one.source} {one.type} {one.target}", _restating(user, one))
        for one in relationships
        if rests(one.sources) and len(one.sources) < MOST_SOURCES and one.verdict is None
    ]
    going += [
        Going(f"{one.category} {one.key}: {shown(one.value)}")
        for one in preferences
        if rests(one.sources) and one.verdict is None
    ]
    going += [Going(one.text) for one in rules if rests(one.sources)]
    return going + [Going(one.text) for one in findings if rests(one.sources)]


def _restating(user: str, one: Relationship) -> str:
    times = {"--from": one.valid_from, "--to": one.valid_to}
    during = [part for name, at in times.items() if at is not None for part in (name, at.date().isoformat())]
    return shlex.join(["ragpp", "relate", one.source, one.type, one.target, *during, "--user", user])
