"""The claims that a language model finds in a window of interactions, each checked against what was said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

import structlog

from ragpp.errors import LanguageModelError
from ragpp.fading import LASTING
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import Cited, SaidFinding, SaidPreference, SaidRelationship, WindowReply
from ragpp.llm.support import is_borne_out, lacking_names
from ragpp.llm.transcripts import Numbered, Said, batches, supports
from ragpp.models import EntityLabel, FindingKind, Interaction

STATING_ROLES: Final = frozenset({"user"})
"""Only a person has preferences: a claim that rests on no message of theirs is dropped."""
SaidT = TypeVar("SaidT", bound=Said)
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim that rests on messages of the window. `sources`: their ids in order, at least one; `occurred_at`: when
    the latest of them was said; `context`: the words that say it, verbatim; `confidence`: the model's own, 0 to 1."""

    sources: tuple[str, ...]
    occurred_at: datetime
    context: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRelationship(Claim):
    """`source` `type` `target`; `ends`: it holds no longer. A speaker without a name is "user"."""

    source: str
    source_label: EntityLabel
    type: str
    target: str
    target_label: EntityLabel
    lasting: bool
    ends: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPreference(Claim):
    """A setting of the user, as `ragpp.models.PreferenceEntry` has it."""

    category: str
    key: str
    value: str
    stated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFinding(Claim):
    """A finding, told in a sentence; `past`: it was over when it was said. Its dates are for the local extractor to
    resolve, from `context`."""

    finding: FindingKind
    text: str
    past: bool


@dataclass(frozen=True, slots=True)
class WindowExtraction:
    """The claims of a window. `dropped`: claims that no message bears out. `failed`: why parts of a long window were
    not read, by their kind of failure; they need the local extractors."""

    model: str
    relationships: tuple[FoundRelationship, ...] = ()
    preferences: tuple[FoundPreference, ...] = ()
    findings: tuple[FoundFinding, ...] = ()
    dropped: int = 0
    failed: tuple[str, ...] = ()


async def extract_window(model: LanguageModel, interactions: Sequence[Interaction]) -> WindowExtraction:
    """Read a window of one user's interactions, oldest first; a long one in several calls.

    A claim without a verbatim quote from a message that it cites, and a finding that its messages do not bear out, is
    dropped and counted. An empty window asks nothing. Raises LanguageModelError when no part of the window could be
    read.
    """
    found: list[FoundRelationship | FoundPreference | FoundFinding] = []
    claims = 0
    failures: list[LanguageModelError] = []
    asked = list(batches(interactions))
    for batch in asked:
        try:
            completion = await model.complete(prompt("extract").filled({"messages": batch.text}), schema=WindowReply)
        except LanguageModelError as error:
            failures.append(error)
            continue
        reply = completion.reply
        items: list[SaidRelationship | SaidPreference | SaidFinding] = []
        items += [*reply.relationships, *reply.preferences, *reply.findings]
        for said in items:
            claims += 1
            claim = _checked(said, interactions, batch)
            if claim is not None:
                found.append(claim)
    if asked and len(failures) == len(asked):
        raise failures[-1]
    if claims:
        _log.info("llm.claims_read", model=model.name, claims=claims, dropped=claims - len(found))
    return WindowExtraction(
        model=model.name,
        relationships=tuple(dict.fromkeys(claim for claim in found if isinstance(claim, FoundRelationship))),
        preferences=tuple(dict.fromkeys(claim for claim in found if isinstance(claim, FoundPreference))),
        findings=tuple(dict.fromkeys(claim for claim in found if isinstance(claim, FoundFinding))),
        dropped=claims - len(found),
        failed=tuple(error.kind for error in failures),
    )


def _checked(
    said: SaidRelationship | SaidPreference | SaidFinding, interactions: Sequence[Interaction], batch: Numbered
) -> FoundRelationship | FoundPreference | FoundFinding | None:
    """The claim with its evidence; None where the evidence is not there."""
    sources = cited(said, interactions, batch)
    if not sources:
        return None
    ids = tuple(item.id for item in sources)
    at = max(item.occurred_at for item in sources)
    if isinstance(said, SaidRelationship):
        return FoundRelationship(
            sources=ids,
            occurred_at=at,
            context=said.quote,
            confidence=said.confidence,
            source=said.source,
            source_label=said.source_label,
            type=said.type,
            target=said.target,
            target_label=said.target_label,
            lasting=said.type in LASTING,
            ends=said.ended,
        )
    if isinstance(said, SaidPreference):
        if not any(item.role in STATING_ROLES and supports(said.quote, item.content) for item in sources):
            return None
        return FoundPreference(
            sources=ids,
            occurred_at=at,
            context=said.quote,
            confidence=said.confidence,
            category=said.category,
            key=said.key,
            value=said.value,
            stated=said.stated,
        )
    named = _naming(said.text, sources, interactions[batch.first : batch.last + 1])
    if not is_borne_out(said.text, named):
        return None
    return FoundFinding(
        sources=tuple(item.id for item in named),
        occurred_at=at,
        context=said.quote,
        confidence=said.confidence,
        finding=said.finding,
        text=said.text,
        past=said.past,
    )


def _naming(text: str, sources: Sequence[SaidT], batch: Sequence[SaidT]) -> list[SaidT]:
    """`sources`, and for each name in `text` that they lack the last message before their end which has it: models take
    names from messages that they do not cite, and a finding rests on all from which it has a word."""
    found = list(sources)
    end = max(batch.index(source) for source in sources)
    for name in lacking_names(text, sources):
        naming = next((one for one in reversed(batch[:end]) if not lacking_names(f"The {name}", [one])), None)
        if naming is not None and naming not in found:
            found.append(naming)
    return sorted(found, key=batch.index)


def cited(said: Cited, interactions: Sequence[SaidT], batch: Numbered) -> list[SaidT]:
    """The messages of the batch that a claim cites, in order; none when none of them says its quote."""
    places = sorted({number - 1 for number in said.messages if batch.first < number <= batch.last + 1})
    sources = [interactions[place] for place in places]
    return sources if any(supports(said.quote, item.content) for item in sources) else []
