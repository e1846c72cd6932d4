"""A resource's statements, as entries for the catalog: read by a language model where there is one, and else by the
local extractor. Pure, but for asking the model."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ragpp.catalog import (
    FINDING_ID,
    LABELS,
    REPEATED,
    WORK_LABELS,
    ItemEntry,
    ItemKind,
    Resource,
    ResourceMessage,
    extracted_item_id,
    read_as,
)
from ragpp.context.echo import masked, recalled
from ragpp.errors import LanguageModelError
from ragpp.errors.summaries import safe_summary
from ragpp.extraction import Extractor
from ragpp.extraction.facts import read_facts
from ragpp.extraction.port import Turn
from ragpp.learned import VERBATIM_DETAIL
from ragpp.llm.port import LanguageModel
from ragpp.llm.resources import Part, read_resource
from ragpp.llm.transcripts import MESSAGE_CHARS
from ragpp.models import FindingEntry, Interaction, Scope
from ragpp.text.spans import Span, blanked, merged
from ragpp_services.workers.stages.history import LEARNING_ROLES, teaches

MOST_CHARS: Final = 4_000
"""Characters of one item."""
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Stated:
    """One fact of a resource. `messages`: places in the resource's messages of those that say it; `spans`: the words in
    the resource's content that do. `by_model`: a language model read it, and knew what it is."""

    text: str
    kind: ItemKind
    confidence: float
    messages: tuple[int, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Statements:
    """A resource's statements. `model`: which one read it, None where none did; `fallback`: why not, or why not all."""

    stated: Sequence[Stated]
    model: str | None = None
    fallback: str | None = None

    @property
    def undecided(self) -> frozenset[str]:
        """The texts of the items of which the local extractor knows no more than that they are stated."""
        return frozenset(one.text[:MOST_CHARS] for one in self.stated if one.kind == "fact" and not one.by_model)


async def read_statements(
    extractor: Extractor, model: LanguageModel | None, resource: Resource, known: Mapping[str, Interaction]
) -> Statements:
    """The resource's statements. `known`: those of its messages that are interactions, by their ids: what of these is
    not to be learned from is left out, and so is what came from a context of ours. Raises ExtractionError."""
    beside = merged((*_recalled_in(resource), *repeated_in(resource)))
    left = blanked(masked(resource.content), beside)  # at its length: offsets hold
    resource = resource.model_copy(update={"content": left})
    heard = _heard(resource, known)
    if model is None:
        return Statements(await asyncio.to_thread(_read_locally, extractor, resource, heard))
    try:
        return await _read_with_model(model, extractor, resource, heard)
    except LanguageModelError as error:
        _log.warning("catalog.fell_back", model=model.name, kind=error.kind, error=safe_summary(error))
        return Statements(await asyncio.to_thread(_read_locally, extractor, resource, heard), None, error.kind)


def _recalled_in(resource: Resource) -> list[Span]:
    """Stretches of messages from a context of ours, each read by itself: behind its speaker no line of ours begins."""
    return [
        Span(message.start + start, message.start + end)
        for message in resource.messages
        for start, end in recalled(resource.content[message.start : message.end])
    ]


def repeated_in(resource: Resource) -> list[Span]:
    """The stretches of an exchange that only repeat memories, of its answer."""
    marked = resource.metadata.get(REPEATED)
    answers = [one for one in resource.messages if one.role == "assistant"]
    if not isinstance(marked, list) or len(answers) != 1:
        return []
    (answer,) = answers
    spans = []
    for stretch in marked:
        match stretch:
            case [int(start), int(end)] if 0 <= start < end <= answer.end - answer.start:
                spans.append(Span(answer.start + start, answer.start + end))
            case _:
                continue
    return merged(spans)


def _heard(resource: Resource, known: Mapping[str, Interaction]) -> list[int]:
    """The places of the messages that may teach."""

    def may_teach(message: ResourceMessage) -> bool:
        said = known.get(message.interaction_id or "")
        return message.role in LEARNING_ROLES if said is None else teaches(said)

    return [place for place, message in enumerate(resource.messages) if may_teach(message)]


def _read_locally(extractor: Extractor, resource: Resource, heard: Sequence[int]) -> list[Stated]:
    if resource.messages and not heard:
        return []
    turns = [_turn(resource, resource.messages[place]) for place in heard]
    mentions = read_facts(
        resource.content,
        read_as(resource.resource_type),
        extractor=extractor,
        said_at=resource.occurred_at,
        messages=turns,
    )
    return [
        Stated(
            text=mention.text,
            kind=mention.kind,
            confidence=mention.confidence,
            messages=(heard[mention.said],) if turns and mention.said is not None else (),
            spans=((mention.start, mention.end),),
        )
        for mention in mentions
    ]


def _turn(resource: Resource, message: ResourceMessage) -> Turn:
    return Turn(message.start, message.end, message.name or message.role, message.occurred_at or resource.occurred_at)


async def _read_with_model(
    model: LanguageModel, extractor: Extractor, resource: Resource, heard: Sequence[int]
) -> Statements:
    parts = list(_parts(resource, heard))
    reading = await read_resource(model, parts)
    stated = []
    for fact in reading.facts:
        says = [parts[place] for place in fact.parts]
        messages = sorted({part.message for part in says if part.message is not None})
        spans = tuple((part.start, part.start + len(part.content)) for part in says)
        stated.append(Stated(fact.text, fact.kind, fact.confidence, tuple(messages), spans, by_model=True))
    if not reading.unread:
        return Statements(stated, reading.model)
    unread = [(parts[place].start, parts[place].start + len(parts[place].content)) for place in sorted(reading.unread)]
    local = await asyncio.to_thread(_read_locally, extractor, resource, heard)
    stated += [one for one in local if any(start <= one.spans[0][0] < end for start, end in unread)]
    why = ", ".join(sorted(set(reading.failed)))
    return Statements(stated, reading.model, f"{len(reading.unread)} parts were not read: {why}")


def _parts(resource: Resource, heard: Sequence[int]) -> Iterator[Part]:
    """The messages that may teach, or the paragraphs of what is no conversation, each cut where it is too long for a
    prompt."""
    if resource.messages:
        for place in heard:
            message = resource.messages[place]
            said_at = message.occurred_at or resource.occurred_at
            for start, end in _cut(resource.content, message.start, message.end):
                text = resource.content[start:end]
                yield Part(text, message.name or message.role, said_at, start, place)
        return
    for start, end in _cut(resource.content, 0, len(resource.content)):
        yield Part(resource.content[start:end], resource.resource_type, resource.occurred_at, start)


def _cut(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretch from `start` to `end` in pieces of MESSAGE_CHARS at most, cut at the last empty line, line or space
    of each where it has one."""
    while start < end:
        stop = min(end, start + MESSAGE_CHARS)
        if stop < end:
            cuts = (content.rfind(mark, start + 1, stop) for mark in ("\n\n", "\n", " "))
            stop = next((cut for cut in cuts if cut > start), stop)
        if content[start:stop].strip():
            yield start, stop
        start = stop


def entries_of(
    scope: Scope,
    resource: Resource,
    stated: Sequence[Stated],
    found: Mapping[str, Sequence[FindingEntry]],
    category: str | None,
) -> list[ItemEntry]:
    """The statements as items of the resource, none twice; what was said in several messages rests on all of them.
    `found`: the findings of its messages that are interactions, by the ids of these."""
    together: dict[str, list[Stated]] = defaultdict(list)
    for one in stated:
        together[one.text[:MOST_CHARS]].append(one)
    return [_entry(scope, resource, text, alike, found, category) for text, alike in together.items()]


def _entry(
    scope: Scope,
    resource: Resource,
    text: str,
    alike: Sequence[Stated],
    found: Mapping[str, Sequence[FindingEntry]],
    category: str | None,
) -> ItemEntry:
    first = alike[0]
    places = list(dict.fromkeys(place for one in alike for place in one.messages))
    messages = [resource.messages[place] for place in places]
    said_at = [one.occurred_at for one in messages if one.occurred_at is not None]
    seen_by = resource.agent_id if resource.visibility == "agent" else None
    metadata = {}
    agent_name = resource.metadata.get("agent_name")
    if isinstance(agent_name, str):
        metadata["agent_name"] = agent_name
    words = [resource.content[start:end] for one in alike for start, end in one.spans]
    finding = _finding([one.interaction_id for one in messages], found, first.kind, words)
    if finding is not None:
        metadata[FINDING_ID] = finding
    return ItemEntry(
        id=extracted_item_id(scope, resource.resource_id, seen_by, text),
        content=text,
        source_resource_id=resource.resource_id,
        sources=tuple(dict.fromkeys(one.interaction_id for one in messages if one.interaction_id is not None)),
        category=category,
        confidence=max(one.confidence for one in alike),
        item_kind=first.kind,
        occurred_at=max(said_at, default=resource.occurred_at),
        agent_id=resource.agent_id,
        seen_by=seen_by,
        metadata=dict(metadata),
        **labels_of(resource),
    )


def labels_of(resource: Resource) -> dict[str, str]:
    """The domain and the kind of task of the work that an exchange was part of, as far as it has them."""
    marked = resource.metadata.get(LABELS)
    told = marked if isinstance(marked, dict) else {}
    return {name: label for name in WORK_LABELS if isinstance(label := told.get(name), str)}


def _finding(
    interaction_ids: Sequence[str | None],
    found: Mapping[str, Sequence[FindingEntry]],
    kind: ItemKind,
    words: Sequence[str],
) -> str | None:
    """The id of the first finding of that kind that one of these messages says in these words."""
    for identifier in interaction_ids:
        for one in found.get(identifier or "", ()):
            verbatim = str(one.details[VERBATIM_DETAIL])
            if one.finding == kind and any(verbatim in said or said in verbatim for said in words):
                return one.id
    return None
