"""Things learned of a person, one by one: a statement and the sentence it rests on. Pure, but for `things_of`.

One sentence is often read several times: "my daughter Lieke is allergic to nuts" is a finding, and a relationship. Both
are one thing to a person, shown once and judged together.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeAlias

from ragpp.client import AsyncMemoryClient
from ragpp.errors import NotFound
from ragpp.fading import RELATED_TO
from ragpp.learned import VERBATIM_DETAIL, Finding
from ragpp.models import FindingKind, Interaction, Preference, Relationship, Rule
from ragpp.paging import PAGE, read_all
from ragpp.text.kinship import is_said_by_name
from ragpp.text.quotes import part_about
from ragpp_infra.cli.known_items import MOST, Item, item_of
from ragpp_infra.cli.trying.wording import addressed, preference_told, relationship_told

PEOPLE: Final = "People and places"
ANSWERS: Final = "How you want to be answered"
TASTES: Final = "Tastes"
OTHERS: Final = "Other things"
FRAGMENTS: Final = "Bits that may mean nothing"
OF_ASSISTANTS: Final = "What assistants said"
HEADINGS: Final[Mapping[str, tuple[FindingKind, ...]]] = {
    "Who you are": ("identity", "residence"),
    PEOPLE: ("kin",),
    "Work": ("work",),
    "Health and diet": ("health",),
    TASTES: ("taste", "opinion"),
    ANSWERS: ("instruction",),
    "Plans": ("plan",),
    "What happened": ("event", "decision", "error", "solution"),
    OTHERS: ("pattern", "possession", "insight", "fact"),
    FRAGMENTS: (),
    OF_ASSISTANTS: (),
}
"""In this order, each with the kinds of findings below it."""
_OF_KIND: Final = {kind: heading for heading, kinds in HEADINGS.items() for kind in kinds}
_FRAGMENT_WORDS: Final = 3
_AT_ONCE: Final = 8
"""Messages that are asked for: years of conversations have thousands."""
_BY_ASSISTANT: Final = "assistant: "
_UNKNOWN: Final = datetime.max.replace(tzinfo=UTC)
_WORD: Final = re.compile(r"\w+")
_COMMON: Final = frozenset(
    {
        "i",
        "im",
        "m",
        "ve",
        "me",
        "my",
        "we",
        "re",
        "us",
        "our",
        "you",
        "your",
        "user",
        "s",
        "is",
        "am",
        "are",
        "has",
        "have",
    }
    | {"the", "and", "also", "ive", "d"}
)
"""Words in which a statement and its sentence differ and say the same."""
Learned: TypeAlias = Finding | Relationship | Preference | Rule


@dataclass
class Thing:
    """One thing. `over`: it holds no more, or its day has gone by. `items`: all that was read in its sentence, for
    whoever judges it; `sources`: the messages that it rests on."""

    heading: str
    text: str
    sentence: str
    over: bool = False
    said_by: str | None = None
    said_at: datetime | None = None
    items: list[Item] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    @property
    def says_more(self) -> bool:
        """True where the statement has a word that the sentence has not, so that both are worth reading."""
        told, said = _words(self.text), _words(f"{self.sentence} {self.said_by or ''}")
        return any(word not in said and word.removesuffix("s") not in said for word in told)


async def things_of(client: AsyncMemoryClient, user: str) -> list[Thing]:
    """All that would be remembered, by heading, what was said first before."""
    findings, relationships, preferences, rules = await asyncio.gather(
        read_all(lambda cursor: client.findings(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.relationships(user, state="all", cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE), most=MOST),
    )
    held = [one for one in relationships if one.valid_to is None and one.verdict != "rejected"]
    learned: list[Learned] = [*findings, *held, *preferences, *rules]
    wanted = list(dict.fromkeys(one.sources[-1] for one in learned if one.sources))
    at_once = asyncio.Semaphore(_AT_ONCE)
    said = await asyncio.gather(*(_message(client, user, identifier, at_once) for identifier in wanted))
    return arranged(learned, {one.id: one for one in said if one is not None})


async def _message(
    client: AsyncMemoryClient, user: str, identifier: str, at_once: asyncio.Semaphore
) -> Interaction | None:
    async with at_once:
        with suppress(NotFound):  # one that is being forgotten
            return await client.interaction(user, identifier)
        return None


def arranged(learned: Iterable[Learned], messages: Mapping[str, Interaction]) -> list[Thing]:
    """`learned` as things: what was read in one sentence is one, by heading and then by time."""
    things: list[Thing] = []
    for one in sorted(learned, key=lambda one: not isinstance(one, Finding)):  # what reads best comes first
        if isinstance(one, Relationship) and _tells_nothing(one):
            continue
        made = _thing(one, messages.get(one.sources[-1]) if one.sources else None)
        known = _same(made, things, by_sentence=not isinstance(one, Finding))
        if known is None:
            things.append(made)
            continue
        known.items += made.items
        known.sources += [source for source in made.sources if source not in known.sources]
    order = list(HEADINGS)
    things.sort(key=lambda thing: (order.index(thing.heading), thing.said_at or _UNKNOWN))
    return things


def resting_on(things: Sequence[Thing], sources: Iterable[str]) -> list[Thing]:
    """Those that rest on none but `sources`, and so go with them."""
    gone = set(sources)
    return [thing for thing in things if thing.sources and set(thing.sources) <= gone]


def _thing(one: Learned, said: Interaction | None) -> Thing:
    text, content = _told(one), said.content if said is not None else ""
    verbatim = one.details.get(VERBATIM_DETAIL) if isinstance(one, Finding) else ""
    given = one.context if isinstance(one, Relationship) else verbatim if isinstance(verbatim, str) else ""
    return Thing(
        heading=_heading(one),
        text=text,
        sentence=" ".join(given.split()) or (part_about(content, text) if content else ""),
        over=isinstance(one, Finding) and one.valid_to is not None,
        said_by=said.name if said is not None else None,
        said_at=said.occurred_at if said is not None else None,
        items=[item_of(one)],
        sources=list(one.sources),
    )


def _told(one: Learned) -> str:
    match one:
        case Finding():
            return addressed(one.text.removeprefix(_BY_ASSISTANT))
        case Relationship():
            return relationship_told(one)
        case Preference():
            return preference_told(one)
        case Rule():
            return one.text


def _heading(one: Learned) -> str:
    match one:
        case Finding():
            if one.text.startswith(_BY_ASSISTANT):
                return OF_ASSISTANTS
            return FRAGMENTS if len(_WORD.findall(one.text)) <= _FRAGMENT_WORDS else _OF_KIND[one.finding]
        case Relationship():
            return PEOPLE
        case Preference():
            return TASTES
        case Rule():
            return ANSWERS


def _same(made: Thing, things: Sequence[Thing], *, by_sentence: bool) -> Thing | None:
    """The thing that `made` says as well: with the same words, or read in the same sentence of the same message."""
    words = _words(made.text)
    for thing in things:
        if _words(thing.text) == words:
            return thing
    if not by_sentence:
        return None
    near = [
        thing for thing in things if set(thing.sources) & set(made.sources) and _in_one(thing.sentence, made.sentence)
    ]
    shared = {id(thing): len(_words(f"{thing.text} {thing.sentence}") & words) for thing in near}
    best = max(near, key=lambda thing: (thing.sentence == made.sentence, shared[id(thing)]), default=None)
    return best if best is not None and (best.sentence == made.sentence or shared[id(best)]) else None


def _in_one(one: str, other: str) -> bool:
    """True where one of two pieces of a message is part of the other, or nobody knows."""
    pieces = sorted((_WORD.findall(one.casefold()), _WORD.findall(other.casefold())), key=len)
    short, long = (f" {' '.join(piece)} " for piece in pieces)
    return short in long or not short.strip()


def _tells_nothing(one: Relationship) -> bool:
    """True for what says no more than that both were mentioned, or than the name of one of them."""
    return one.type == RELATED_TO or is_said_by_name(one.source, one.type, one.target)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _COMMON
