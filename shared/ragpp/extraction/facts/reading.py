"""Reads the facts of a resource, of any type, sentence by sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ragpp.extraction.facts import documents
from ragpp.extraction.facts.configurations import settings
from ragpp.extraction.facts.conversations import spoken
from ragpp.extraction.facts.judging import LOOKED_UP, PROPERTY, is_an_answer, judge, judge_fragment, opening
from ragpp.extraction.facts.passages import Given, Item, Passage, Prose, Voice
from ragpp.extraction.facts.splitting import pieces
from ragpp.extraction.facts.standing import about, as_a_statement, spoken_by, written_out
from ragpp.extraction.facts.topics import Topic, Who
from ragpp.extraction.facts.verbs import Clause, starts_with_a_verb, starts_with_an_order
from ragpp.extraction.port import (
    Extraction,
    Extractor,
    FactKind,
    FactMention,
    FindingMention,
    ResourceType,
    Turn,
)
from ragpp.models import DateSpan
from ragpp.names import SPEAKER
from ragpp.text.sentences import Sentence, clean, split

_KINDS: Final[dict[str, FactKind]] = {
    "decision": "decision", "insight": "insight", "error": "error", "plan": "plan",
}  # fmt: skip
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'"})
_UNDECIDED: Final = re.compile(
    r"(?:agenda|to-?dos?|next steps?|open questions?|questions?|ideas?|action items?|tasks?|goals?|references?|"
    r"see also|related|table of contents|contents|faq|checklist|instructions|steps|how to\b.*)$",
    re.IGNORECASE,
)
"""Headings under which nothing is settled."""
_LONGEST_VALUE: Final = 12
_NOTHING: Final = "", 0.0


def read_facts(
    content: str,
    resource_type: ResourceType,
    *,
    extractor: Extractor,
    said_at: datetime | None,
    messages: Sequence[Turn] = (),
) -> list[FactMention]:
    """The facts of a resource in the order in which it states them; none twice in the same words.

    `messages` are the turns of a conversation, where these are known; else they are told by lines "Name: …". `said_at`
    is when the resource was written or said, against which "last Friday" is resolved. Deterministic, and CPU-bound: run
    it in a thread. In time that grows with the length. Raises: ExtractionError.
    """
    reader = _Reader(extractor, said_at, Topic(lasting=resource_type == "feedback"))
    found = dict[str, FactMention]()
    for passage in _passages(content, resource_type, said_at, messages):
        for fact in reader.read(passage):
            found.setdefault(fact.text.casefold(), fact)
    return list(found.values())


def _passages(
    content: str, resource_type: ResourceType, said_at: datetime | None, messages: Sequence[Turn]
) -> Iterator[Passage]:
    match resource_type:
        case "conversation":
            return spoken(content, messages, said_at)
        case "document":
            return documents.passages(content, 0, len(content), Voice(said_at=said_at))
        case "config":
            return settings(content)
        case "feedback":
            voice = Voice(aloud=True, speaker=f"the {SPEAKER}", said_at=said_at, gathered=True)
            return documents.passages(content, 0, len(content), voice)


@dataclass
class _Reader:
    extractor: Extractor
    said_at: datetime | None
    topic: Topic = field(default_factory=Topic)
    under: tuple[str, ...] = ()

    def read(self, passage: Passage) -> Iterator[FactMention]:
        if isinstance(passage, Given):
            yield _mention(passage.text, (passage.start, passage.end), passage.voice, passage.confidence)
            return
        if passage.under != self.under:
            self.under = passage.under
            self.topic = Topic(thing=passage.under[-1] if passage.under else None, lasting=self.topic.lasting)
        if passage.compact.text:
            yield from self._sentences(passage)

    def _sentences(self, passage: Prose | Item) -> Iterator[FactMention]:
        text, voice = passage.compact.text, passage.voice
        heard = self.extractor.extract(text, speaker=voice.label, said_at=voice.said_at or self.said_at)
        speakers = {name.lower() for name in (voice.speaker, voice.other) if name}
        who = Who(
            frozenset(entity.name.lower() for entity in heard.entities if entity.label == "PERSON") | speakers,
            frozenset(entity.name.lower() for entity in heard.entities if entity.label == "GPE"),
        )
        cleaned = clean(text) if voice.aloud else text.translate(_APOSTROPHES)
        for number, sentence in enumerate(split(cleaned)):
            verbatim = text[sentence.start : sentence.end]
            finding = _finding_in(verbatim, heard.findings)
            said = list(self._statements(passage, sentence, verbatim, finding, first=number == 0))
            when = (finding.when if finding else None) or _date_in(sentence, heard)
            for statement, confidence in said:
                kind = _KINDS.get(finding.finding, "fact") if finding else "fact"
                span = passage.compact.span(sentence.start, sentence.end)
                yield _mention(statement, span, voice, confidence, kind, when)
            body = verbatim[opening(verbatim) :]
            self.topic.move_on(body, who)
            if self.topic.thing is not None:
                self.topic.thing = spoken_by(self.topic.thing, voice.speaker, voice.other)
            self.topic.asked = spoken_by(body, voice.speaker, voice.other) if body.endswith("?") else None

    def _statements(
        self, passage: Prose | Item, sentence: Sentence, verbatim: str, finding: FindingMention | None, *, first: bool
    ) -> Iterator[tuple[str, float]]:
        """The facts of one sentence, each with its confidence."""
        if isinstance(passage, Item) and first:
            hanging = _hanging(passage, verbatim)
            if hanging is not None:
                text, confidence = hanging
                if text:
                    yield as_a_statement(spoken_by(text, passage.voice.speaker, passage.voice.other)), confidence
                return
        surely = finding.confidence if finding and finding.finding in _KINDS else None
        verdict = judge(sentence, aloud=passage.voice.aloud, found=surely)
        voice = passage.voice
        if verdict.confidence is None or verbatim.endswith(":"):
            if voice.aloud and self.topic.asked and is_an_answer(sentence, verbatim, self.topic.asked):
                yield as_a_statement(about(f"{self.topic.asked} {verbatim}", self.topic, always=True)), PROPERTY
            return
        for piece in pieces(verbatim[verdict.skip : verdict.end]):
            whole = written_out(piece, self.topic)
            if whole is not None:
                placed = about(whole, self.topic, always=self.topic.lasting) if voice.aloud else whole
                yield as_a_statement(spoken_by(placed, voice.speaker, voice.other)), verdict.confidence


def _hanging(item: Item, text: str) -> tuple[str, float] | None:
    """What an item says by what it stands under, with its confidence; an empty text where it says nothing. None where
    it is a sentence of its own."""
    labelled = documents.LABELLED.match(text)
    if labelled and documents.is_a_label(labelled["label"]) and Clause(labelled["label"]).verb is None:
        return _labelled(item, labelled["label"], labelled["value"])
    if starts_with_an_order(text) and not item.lead:
        return _NOTHING
    if starts_with_a_verb(text) and (item.lead or item.under):
        return f"{_whose(item)} {text[0].lower()}{text[1:]}", LOOKED_UP
    if Clause(text).verb is not None:
        return None
    confidence = judge_fragment(text) if item.lead or not _is_undecided(item) else None
    if confidence is None:
        return _NOTHING
    goes_on = item.lead and Clause(item.lead).verb is not None
    return (f"{item.lead} {_lowered(text)}" if goes_on else _placed(item, text)), confidence


def _labelled(item: Item, label: str, value: str) -> tuple[str, float]:
    if (item.under and _is_undecided(item)) or starts_with_an_order(value):
        return _NOTHING
    joined = " is " if len(value.split()) <= _LONGEST_VALUE and Clause(value).verb is None else ": "
    return _placed(item, f"{label}{joined}{value}"), documents.BY_FORM


def _is_undecided(item: Item) -> bool:
    """Whether it stands under no heading, or under one of what is not settled."""
    return not item.under or _UNDECIDED.match(item.under[-1]) is not None


def _whose(item: Item) -> str:
    """Of what an item is said that begins with its verb: the subject of the words before the list, or the heading."""
    if item.lead is None:
        return item.under[-1]
    return Clause(item.lead).subject or item.lead


def _placed(item: Item, text: str) -> str:
    """A statement after the headings it stands under, the document's own and the nearest."""
    above = [heading for heading in dict.fromkeys((*item.under[:1], *item.under[-1:])) if heading]
    if item.lead:
        above.append(item.lead)
    return f"{', '.join(above)}: {text}" if above else text


def _lowered(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() and first.isalpha() else text


def _finding_in(sentence: str, findings: Sequence[FindingMention]) -> FindingMention | None:
    inside = [found for found in findings if found.text.rstrip("…") in sentence]
    return next((found for found in inside if found.finding in _KINDS), inside[0] if inside else None)


def _date_in(sentence: Sentence, heard: Extraction) -> DateSpan | None:
    return next((date.span for date in heard.dates if sentence.start <= date.start < sentence.end), None)


def _mention(
    text: str,
    span: tuple[int, int],
    voice: Voice,
    confidence: float,
    kind: FactKind = "fact",
    when: DateSpan | None = None,
) -> FactMention:
    return FactMention(text, *span, kind, confidence, voice.label, voice.said, when)
