"""A language model's reading of a window, as entries for the tiers, without what the local extractors found there."""

import asyncio
import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ragpp.extraction import Extraction, Extractor
from ragpp.fields import joined
from ragpp.learned import PAST_DETAIL, READ_DETAIL, READ_ENTRY, VERBATIM_DETAIL, owned_key
from ragpp.llm.port import LanguageModel
from ragpp.llm.transcripts import supports
from ragpp.llm.windows import FoundFinding, FoundPreference, FoundRelationship, extract_window
from ragpp.models import (
    EntityEntry,
    FindingEntry,
    Interaction,
    Observation,
    PreferenceEntry,
    RelationshipEntry,
)
from ragpp.names import SPEAKER
from ragpp.preference_values import shown
from ragpp.text.lexical import words
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.learning.stated import plainly_own
from ragpp_services.workers.learning.texts import content_stems
from ragpp_services.workers.stages.preferring import prefer
from ragpp_services.workers.stages.stating import finding_id


@dataclass(frozen=True)
class Read:
    """The part of a model's reading that is to be stored. `model`: the one that read, None where none did; `fallback`:
    why not, or why not all of it."""

    model: str | None = None
    fallback: str | None = None
    observations: tuple[Observation, ...] = ()
    entries: tuple[PreferenceEntry | FindingEntry, ...] = ()

    def resting_on(self, seen: Collection[str], items: Sequence[Interaction]) -> "Read":
        """The part of it that rests on nothing but the messages `seen`, and has no word that only others of `items`
        have, all of which the model read."""
        heard, hidden = set[int](), set[int]()
        for item in items:
            (heard if item.id in seen else hidden).update(content_stems(f"{item.said_by} {item.content}"))
        hidden -= heard
        return replace(
            self,
            observations=tuple(one for one in self.observations if one.interaction_id in seen),
            entries=tuple(
                one
                for one in self.entries
                if set(seen) >= set(one.sources) and hidden.isdisjoint(content_stems(_text_of(one)))
            ),
        )


async def read_with_model(
    model: LanguageModel, extractor: Extractor, judge: Judge, items: Sequence[Interaction]
) -> Read:
    """Read `items`, oldest first, without what they have from memory. Claims have ids of what they say and rest on, so
    that the same claim again changes nothing. Raises LanguageModelError, ExtractionError, EmbeddingError."""
    own = await asyncio.to_thread(plainly_own, items)
    window = await extract_window(model, own)
    by_id = {item.id: item for item in own}
    local = {item.id: await _local(extractor, judge, item) for item in own}
    relationships = [claim for claim in window.relationships if not _known_relationship(claim, local, by_id)]
    entries: list[PreferenceEntry | FindingEntry] = [
        _preference(claim, by_id) for claim in window.preferences if not _known_preference(claim, local)
    ]
    entries += [_finding(claim, by_id, extractor, window.model) for claim in window.findings]
    return Read(
        model=window.model,
        fallback=f"{len(window.failed)} parts were not read: {', '.join(sorted(set(window.failed)))}"
        if window.failed
        else None,
        observations=_observations(relationships, by_id),
        entries=tuple(entries),
    )


def _text_of(entry: PreferenceEntry | FindingEntry) -> str:
    return entry.text if isinstance(entry, FindingEntry) else f"{entry.category} {entry.key} {shown(entry.value)}"


async def _local(extractor: Extractor, judge: Judge, item: Interaction) -> Extraction:
    found = await asyncio.to_thread(extractor.extract, item.content, speaker=item.name, said_at=item.wall_clock)
    return replace(found, preferences=tuple(await prefer(judge, extractor, item, item.content, found)))


def _known_relationship(claim: FoundRelationship, local: dict[str, Extraction], by_id: dict[str, Interaction]) -> bool:
    wanted = (claim.source.casefold(), claim.type, claim.target.casefold())
    for source in claim.sources:
        found = local[source].ended if claim.ends else local[source].relationships
        speaker = by_id[source].name or SPEAKER
        for mention in found:
            ends = [speaker if name == SPEAKER else name for name in (mention.source, mention.target)]
            if (ends[0].casefold(), mention.type, ends[1].casefold()) == wanted:
                return True
    return False


def _known_preference(claim: FoundPreference, local: dict[str, Extraction]) -> bool:
    """True where a local extractor took a preference for the same thing from one of the messages."""
    said = content_stems(f"{claim.key} {claim.value}")
    return any(content_stems(mention.value) & said for source in claim.sources for mention in local[source].preferences)


def _observations(claims: Sequence[FoundRelationship], by_id: dict[str, Interaction]) -> tuple[Observation, ...]:
    """One for each claim, under the last message that says it all; none for a claim that no single message says: an
    observation goes with its one message, and must hold no words of another."""
    grouped: dict[str, list[FoundRelationship]] = defaultdict(list)
    for claim in claims:
        says = [source for source in claim.sources if _says(by_id[source], claim)]
        if says:
            grouped[says[-1]].append(claim)
    return tuple(_observation(claim, by_id[source]) for source, of_source in grouped.items() for claim in of_source)


def _says(item: Interaction, claim: FoundRelationship) -> bool:
    """True where the quote and both names are in the message; its speaker is named in each of theirs."""
    if not supports(claim.context, item.content):
        return False
    said = _plain_words(f"{item.name or SPEAKER} {item.content}")
    return all((named := _plain_words(name)) and named <= said for name in (claim.source, claim.target))


def _plain_words(text: str) -> set[str]:
    """The words in lower case, "Maria's" as "maria"."""
    return {re.sub(r"'s?$", "", word) for word in words(text)}


def _observation(claim: FoundRelationship, item: Interaction) -> Observation:
    identifier = _claim_id(item.id, claim.source, claim.type, claim.target, str(claim.ends))
    names = {claim.source: claim.source_label, claim.target: claim.target_label}
    return Observation(
        event_id=identifier,
        interaction_id=item.id,
        occurred_at=item.occurred_at,
        entities=tuple(
            EntityEntry(
                id=f"{identifier}.e{number}", name=name, label=label, occurred_at=item.occurred_at, sources=(item.id,)
            )
            for number, (name, label) in enumerate(names.items())
        ),
        relationships=(
            RelationshipEntry(
                id=f"{identifier}.r",
                source=claim.source,
                source_label=claim.source_label,
                type=claim.type,
                target=claim.target,
                target_label=claim.target_label,
                lasting=claim.lasting,
                ends=claim.ends,
                context=claim.context[:2_000],
                occurred_at=item.occurred_at,
                sources=(item.id,),
            ),
        ),
    )


def _preference(claim: FoundPreference, by_id: dict[str, Interaction]) -> PreferenceEntry:
    key = owned_key(by_id[claim.sources[-1]].name, claim.key)
    return PreferenceEntry(
        id=_claim_id("preference", claim.category, key, claim.value, str(claim.stated), *claim.sources),
        category=claim.category[:100],
        key=key[:100],
        value=claim.value[:4_000],
        confidence=claim.confidence,
        stated=claim.stated,
        occurred_at=claim.occurred_at,
        sources=claim.sources,
    )


def _finding(claim: FoundFinding, by_id: dict[str, Interaction], extractor: Extractor, model: str) -> FindingEntry:
    """Its time is resolved by the local extractor from the words that the model quotes."""
    item = by_id[claim.sources[-1]]
    dates = extractor.extract(claim.context, speaker=item.name, said_at=item.wall_clock).dates
    return FindingEntry(
        id=finding_id(claim.finding, item.name or "", " ".join(words(claim.text))),
        finding=claim.finding,
        text=claim.text[:4_000],
        confidence=claim.confidence,
        when=dates[0].span if dates else None,
        occurred_at=claim.occurred_at,
        sources=claim.sources,
        details={READ_DETAIL: model, VERBATIM_DETAIL: claim.context[:4_000], PAST_DETAIL: float(claim.past)},
    )


def _claim_id(*said: str) -> str:
    return f"{READ_ENTRY}{hashlib.sha256(joined(*said).encode()).hexdigest()[:32]}"
