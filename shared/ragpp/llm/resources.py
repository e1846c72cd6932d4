"""The facts that a language model reads in a resource, each checked against the part of it that says it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from ragpp.catalog import ItemKind
from ragpp.errors import LanguageModelError
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import FactsReply
from ragpp.llm.transcripts import batches
from ragpp.llm.windows import cited

_NUMBER: Final = re.compile(r"\d+")
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a resource, from its character `start` on. `said_by`: who says it, or what kind of resource it is.
    `message`: which of a conversation it is of, from 0."""

    content: str
    said_by: str
    occurred_at: datetime
    start: int
    message: int | None = None


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact. `parts`: the places, in what was read, of those that say it, at least one; `confidence`: the model's own,
    0 to 1."""

    text: str
    kind: ItemKind
    confidence: float
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResourceReading:
    """The facts of a resource. `unread`: the places of parts that the model did not read, and why in `failed`, by the
    kind of failure; they need the local extractor. `dropped`: claims that no part bears out."""

    model: str
    facts: tuple[FoundFact, ...] = ()
    unread: frozenset[int] = frozenset()
    failed: tuple[str, ...] = ()
    dropped: int = 0


async def read_resource(model: LanguageModel, parts: Sequence[Part]) -> ResourceReading:
    """Read the parts of a resource, in order; many in several calls.

    A claim without a verbatim quote from a part that it cites, or with a number that none of these has, is dropped and
    counted. No parts ask nothing. Raises LanguageModelError when none could be read.
    """
    place_of = {id(part): place for place, part in enumerate(parts)}
    found, unread, failures = list[FoundFact](), set[int](), list[LanguageModelError]()
    claims = 0
    asked = list(batches(parts))
    for batch in asked:
        try:
            completion = await model.complete(prompt("facts").filled({"resource": batch.text}), schema=FactsReply)
        except LanguageModelError as error:
            failures.append(error)
            unread.update(range(batch.first, batch.last + 1))
            continue
        for said in completion.reply.facts:
            claims += 1
            says = cited(said, parts, batch)
            text = " ".join(said.text.split())
            if says and text and keeps_numbers(text, [part.content for part in says]):
                found.append(FoundFact(text, said.kind, said.confidence, tuple(place_of[id(part)] for part in says)))
    if asked and len(failures) == len(asked):
        raise failures[-1]
    if claims > len(found):
        _log.info("llm.claims_dropped", model=model.name, claims=claims, dropped=claims - len(found))
    kinds = tuple(error.kind for error in failures)
    return ResourceReading(model.name, tuple(found), frozenset(unread), kinds, claims - len(found))


def keeps_numbers(text: str, sources: Collection[str]) -> bool:
    """True where every number of `text` is in one of `sources`: what a model adds to a fact is a number more often than
    anything else."""
    known = {number for source in sources for number in _NUMBER.findall(source)}
    return known.issuperset(_NUMBER.findall(text))
