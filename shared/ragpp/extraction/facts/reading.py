"""Reads the facts of a resource, of any type, sentence by sentence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from ragpp.extraction.facts import documents
from ragpp.extraction.facts.apart import kept_apart
from ragpp.extraction.facts.configurations import settings
from ragpp.extraction.facts.conversations import introduced, spoken
from ragpp.extraction.facts.evidence import content as words_of
from ragpp.extraction.facts.evidence import is_strong
from ragpp.extraction.facts.hanging import after_headings, hanging, is_a_title, under_headings
from ragpp.extraction.facts.judging import (
    PROPERTY,
    answer_before_a_clause,
    is_a_plain_answer,
    is_an_answer,
    is_courtesy,
    judge,
    judge_note,
    opening,
)
from ragpp.extraction.facts.passages import Given, Item, Passage, Prose, Voice
from ragpp.extraction.facts.reviews import written
from ragpp.extraction.facts.splitting import pieces
from ragpp.extraction.facts.standalone import (
    about,
    as_a_statement,
    behind,
    lacks_its_object,
    points,
    spoken_by,
    with_apostrophes,
    written_out,
)
from ragpp.extraction.facts.topics import Topic, Who, thing_of
from ragpp.extraction.facts.verbs import Clause, lacks_the_speaker
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
from ragpp.text.sentences import Sentence, clean, split

_KINDS: Final[dict[str, FactKind]] = {
    "decision": "decision", "insight": "insight", "error": "error", "plan": "plan",
}  # fmt: skip
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'"})


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
    said = list[tuple[FactMention, tuple[str, ...]]]()
    for passage in _passages(content, resource_type, said_at, messages):
        under = passage.under if resource_type == "document" and not isinstance(passage, Given) else ()
        said.extend((fact, under) for fact in reader.read(passage))
    found = dict[str, FactMention]()
    for fact in kept_apart(said):
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
            return written(content, said_at)


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
            self.topic = Topic(thing=thing_of(passage.under), lasting=self.topic.lasting)
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
        sentences = list(split(cleaned))
        for number, sentence in enumerate(sentences):
            verbatim = text[sentence.start : sentence.end]
            if isinstance(passage, Item) and number == 0 < len(sentences) - 1 and is_a_title(verbatim):
                continue
            finding = _finding_in(verbatim, heard.findings)
            said = list(self._statements(passage, sentence, verbatim, finding, who, first=number == 0))
            when = (finding.when if finding else None) or _date_in(sentence, heard)
            for statement, confidence in said:
                kind = _KINDS.get(finding.finding, "fact") if finding else "fact"
                span = passage.compact.span(sentence.start, sentence.end)
                yield _mention(statement, span, voice, confidence, kind, when)
            body = verbatim[opening(verbatim) :]
            self.topic.move_on(body, who)
            self._named_in_the_topic(voice)
            self.topic.asked = self._question(body, voice) if body.endswith("?") else None

    def _named_in_the_topic(self, voice: Voice) -> None:
        if self.topic.thing is not None:
            self.topic.thing = spoken_by(self.topic.thing, voice.speaker, voice.other)
        if self.topic.person is not None:
            self.topic.person = spoken_by(self.topic.person, voice.speaker, voice.other)

    def _question(self, body: str, voice: Voice) -> str:
        """A question as what answers it goes behind it."""
        return spoken_by(written_out(body, self.topic) or body, voice.speaker, voice.other)

    def _statements(
        self,
        passage: Prose | Item,
        sentence: Sentence,
        verbatim: str,
        finding: FindingMention | None,
        who: Who,
        *,
        first: bool,
    ) -> Iterator[tuple[str, float]]:
        """The facts of one sentence, each with its confidence."""
        voice = passage.voice
        if isinstance(passage, Item) and first:
            hangs = ("", 0.0) if verbatim.endswith("?") or is_courtesy(verbatim) else hanging(passage, verbatim)
            if hangs is not None:
                text, confidence = hangs
                if text:
                    yield as_a_statement(spoken_by(text, voice.speaker, voice.other)), confidence
                return
        if self.topic.asked:
            end, begin = answer_before_a_clause(sentence, verbatim, self.topic.asked)
            if end:
                yield self._behind_what_was_asked(verbatim[:end], voice), PROPERTY
                sentence = replace(sentence, text=sentence.text[begin:], start=sentence.start + begin)
                verbatim = verbatim[begin:]
        if voice.aloud:
            verbatim, sentence = with_apostrophes(verbatim), replace(sentence, text=with_apostrophes(sentence.text))
        if voice.aloud and lacks_the_speaker(verbatim):
            verbatim = f"I {verbatim[0].lower()}{verbatim[1:]}"
            sentence = replace(sentence, text=f"I {sentence.text[0].lower()}{sentence.text[1:]}")
        surely = finding.confidence if finding and finding.finding in _KINDS else None
        if voice.aloud and self.topic.asked and is_a_plain_answer(verbatim, self.topic.asked):
            yield self._behind_what_was_asked(verbatim, voice), PROPERTY
            return
        verdict = judge(sentence, aloud=voice.aloud, found=surely)
        parts = pieces(verbatim[verdict.skip : verdict.end])
        if verbatim.endswith(":") or (verdict.confidence is None and len(parts) == 1):
            yield from self._without_a_verb(passage, sentence, verbatim)
            return
        whole = verbatim[verdict.skip : verdict.end], verdict.confidence
        yield from self._in_parts(whole, self._worth_of(parts, sentence, voice, verdict.confidence), passage, who)

    def _in_parts(
        self,
        whole: tuple[str, float | None],
        parts: Iterable[tuple[str, float | None]],
        passage: Prose | Item,
        who: Who,
    ) -> list[tuple[str, float]]:
        """The facts of a statement's parts, each by itself; the whole as it stands where one of them leaves its
        object to another. Somebody who talks leaves more to what was said before."""
        topic, stated, given = replace(self.topic), list[tuple[str, float]](), list(parts)
        text, confidence = whole
        for part, worth in given:
            is_cut = len(given) > 1 and not passage.voice.aloud
            if is_cut and confidence is not None and lacks_its_object(part, topic):
                return list(self._stated(text, replace(self.topic), passage, confidence))
            if worth is not None:
                stated.extend(self._stated(part, topic, passage, worth))
            topic.move_on(part, who)
        return stated

    def _worth_of(
        self, parts: Sequence[str], sentence: Sentence, voice: Voice, whole: float | None
    ) -> Iterator[tuple[str, float | None]]:
        """The parts of a statement, each with its confidence: that of the whole, unless a part says little."""
        for part in parts:
            says_much = is_strong(part) or bool(words_of(Clause(part).predicate))
            if len(parts) == 1 or (whole is not None and says_much):
                yield part, whole
            else:
                yield part, judge(replace(sentence, text=part), aloud=voice.aloud).confidence

    def _stated(
        self, piece: str, topic: Topic, passage: Prose | Item, confidence: float
    ) -> Iterator[tuple[str, float]]:
        voice = passage.voice
        said = introduced(piece, voice)
        whole = written_out(said, topic)
        if whole is None:
            if not voice.aloud and (placed := after_headings(passage.under, said)) != said:
                yield as_a_statement(placed), confidence
            return
        placed = about(whole, topic, pointing=points(said)) if voice.aloud else under_headings(passage, whole)
        yield as_a_statement(spoken_by(placed, voice.speaker, voice.other)), confidence

    def _without_a_verb(self, passage: Prose | Item, sentence: Sentence, text: str) -> Iterator[tuple[str, float]]:
        voice = passage.voice
        if self.topic.asked and is_an_answer(sentence, text, self.topic.asked):
            yield self._behind_what_was_asked(text, voice), PROPERTY
            return
        if (voice.gathered and self.topic.name is None) or not (voice.aloud or passage.under or self.topic.thing):
            return
        confidence = judge_note(sentence, text, gathered=voice.gathered)
        if confidence == PROPERTY and not (voice.aloud or text.endswith(".")):
            return
        if confidence is not None:
            placed = behind(self.topic.named, text) if voice.gathered else under_headings(passage, text)
            yield as_a_statement(spoken_by(placed, voice.speaker, voice.other)), confidence

    def _behind_what_was_asked(self, answer: str, voice: Voice) -> str:
        return as_a_statement(spoken_by(f"{self.topic.asked} {answer}", voice.speaker, voice.other))


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
