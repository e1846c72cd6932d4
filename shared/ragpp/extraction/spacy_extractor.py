"""The extractor on spaCy: a trained English pipeline where one is installed, else a blank one with an entity ruler.

spaCy gives the words and, trained, the labels of names; everything that relates them is in the modules beside this
one, the same for both pipelines.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ragpp.errors import ExtractionError
from ragpp.extraction.findings import read_findings
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.naming.lexicon import HOLIDAYS, is_ordinary
from ragpp.extraction.naming.masking import Reading
from ragpp.extraction.naming.names import Labelled, Name, Word, confirm, find_names
from ragpp.extraction.naming.places import PLACES, capitalise
from ragpp.extraction.port import (
    DateMention,
    EntityLabel,
    EntityMention,
    Extraction,
    FindingMention,
    PreferenceMention,
    RelationshipMention,
)
from ragpp.extraction.preferences.statements import read_preferences
from ragpp.extraction.query import query_entities
from ragpp.extraction.relationships.kin_phrases import read_kin
from ragpp.extraction.relationships.relations import co_mentions, read_relations
from ragpp.extraction.relationships.ties import Antecedents, Scene, Tie
from ragpp.extraction.times.temporal import find_dates
from ragpp.names import SPEAKER
from ragpp.text.english import SENTENCE_OPENERS
from ragpp.text.sentences import Sentence, clean, split

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

TRAINED_MODEL: Final = "en_core_web_sm"
LABELS: Final[dict[str, EntityLabel]] = {
    "PERSON": "PERSON", "PER": "PERSON", "ORG": "ORG", "GPE": "GPE", "LOC": "GPE", "FAC": "GPE", "EVENT": "EVENT",
    "PRODUCT": "PRODUCT", "WORK_OF_ART": "PRODUCT",
}  # fmt: skip
"""OntoNotes labels of the trained pipelines → ours; any other label (dates, amounts, nationalities) is no entity."""
_PRONOUN: Final = re.compile(r"\b(?:I|i|me|my|My|we|We|our|Our)\b")
_PIECE: Final = 5_000  # characters a pipeline call reads at once, which bounds the memory of a trained model


def blank_pipeline() -> "Language":
    """spaCy's English tokenizer and a ruler that knows places and holidays; nothing to download or to train."""
    import spacy  # noqa: PLC0415 -- half a second and 80 MB, for those who extract

    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "ORTH"})
    patterns = [{"label": "GPE", "pattern": place} for place in PLACES]
    patterns += [{"label": "EVENT", "pattern": holiday} for holiday in HOLIDAYS]
    ruler.add_patterns(patterns)  # type: ignore[attr-defined]  # spaCy types every pipe as a callable
    return pipeline


def installed_pipeline(model: str = TRAINED_MODEL) -> "Language":
    """The trained `model` if it is installed, else the blank pipeline."""
    import spacy  # noqa: PLC0415 -- see blank_pipeline

    if not spacy.util.is_package(model):
        return blank_pipeline()
    return spacy.load(model, disable=["parser", "tagger", "attribute_ruler", "lemmatizer"])


class SpacyExtractor:
    """An `Extractor`; the pipeline is loaded at the first message, or by `warm`.

    `pipeline` replaces the installed one, for instance by a model trained on the operator's own texts: it needs a
    tokenizer, and components that set `doc.ents` with OntoNotes labels.
    """

    def __init__(self, pipeline: "Language | None" = None) -> None:
        self._pipeline = pipeline
        self._lock = threading.Lock()  # loading once; a spaCy vocabulary is also not safe to grow from two threads

    def warm(self) -> None:
        """Load the pipeline. Raises: ExtractionError."""
        self._read_words("")

    def extract(self, text: str, *, speaker: str | None, said_at: datetime | None = None) -> Extraction:
        """See `Extractor.extract`."""
        cleaned = capitalise(clean(text))
        sentences = list(split(cleaned))
        names = self._names(cleaned, sentences)
        return _Message(text, speaker or SPEAKER, said_at).read(sentences, names)

    def query_entities(self, text: str) -> tuple[str, ...]:
        """See `Extractor.query_entities`."""
        return query_entities(text)

    def _names(self, cleaned: str, sentences: Sequence[Sentence]) -> list[list[Name]]:
        """The names of each sentence."""
        found: list[list[Name]] = [[] for _ in sentences]
        for first, last in _batches(sentences):
            offset = sentences[first].start
            words, labelled = self._read_words(cleaned[offset : sentences[last - 1].end])
            words = [Word(word.text, word.start + offset, word.end + offset) for word in words]
            position = 0
            for index in range(first, last):
                begin = position
                while position < len(words) and words[position].start < sentences[index].end:
                    position += 1
                inside = [
                    Labelled(span.first - begin, span.last - begin, span.label)
                    for span in labelled
                    if begin <= span.first and span.last <= position
                ]
                here = words[begin:position]
                if here:
                    found[index] = find_names(here, inside)
        confirmed = iter(confirm([name for names in found for name in names]))
        return [[next(confirmed) for _ in names] for names in found]

    def _read_words(self, text: str) -> tuple[list[Word], list[Labelled]]:
        with self._lock:
            try:
                if self._pipeline is None:
                    self._pipeline = installed_pipeline()
                doc = self._pipeline(text)
            except Exception as error:  # spaCy and a user's own components raise whatever they like
                raise ExtractionError(f"the language pipeline failed ({type(error).__name__})") from error
            return _words_of(doc)


def _words_of(doc: "Doc") -> tuple[list[Word], list[Labelled]]:
    position: dict[int, int] = {}
    words: list[Word] = []
    for token in doc:
        if not token.is_space:
            position[token.i] = len(words)
            words.append(Word(token.text, token.idx, token.idx + len(token.text)))
    labelled: list[Labelled] = []
    for span in doc.ents:
        label = LABELS.get(span.label_)
        covered = [
            position[token.i] for token in span if token.i in position and token.text not in {"'s", "the", "The"}
        ]
        if label and covered and _is_name(words[covered[0]].text, len(covered)):
            labelled.append(Labelled(covered[0], covered[-1] + 1, label))
    return words, labelled


def _is_name(first: str, length: int) -> bool:
    """Whether a span that a model labelled may be a name at all; small models label greetings and weekdays."""
    return length > 1 or not (is_ordinary(first) or first.lower() in SENTENCE_OPENERS)


def _batches(sentences: Sequence[Sentence]) -> list[tuple[int, int]]:
    """Ranges of sentences of at most `_PIECE` characters each."""
    bounds = [0]
    for index in range(1, len(sentences)):
        if sentences[index].end - sentences[bounds[-1]].start > _PIECE:
            bounds.append(index)
    bounds.append(len(sentences))
    return [(first, last) for first, last in pairwise(bounds) if first < last]


class _Message:
    """Collects what the sentences of one message say."""

    def __init__(self, text: str, speaker: str, said_at: datetime | None) -> None:
        self._text = text
        self._speaker = speaker
        self._said_at = said_at
        self._entities: dict[str, EntityMention] = {}
        self._relationships: dict[tuple[str, str, str], RelationshipMention] = {}
        self._ended: dict[tuple[str, str, str], RelationshipMention] = {}
        self._preferences: dict[tuple[str, str], PreferenceMention] = {}
        self._findings: dict[tuple[str, str], FindingMention] = {}
        self._dates: list[DateMention] = []
        self._antecedents = Antecedents()

    def read(self, sentences: Sequence[Sentence], names: Sequence[Sequence[Name]]) -> Extraction:
        for sentence, found in zip(sentences, names, strict=True):
            gate = Gate(sentence)
            self._read_sentence(gate, found)
            for preference in read_preferences(gate):
                self._preferences[preference.category, preference.key] = preference  # the last word counts
            self._read_times(gate)
        for preference in self._preferences.values():
            if preference.category == "identity" and preference.key in {"name", "name to be called"}:
                self._name_speaker(preference.value)
        for key in self._ended:
            self._relationships.pop(key, None)
        return Extraction(
            tuple(sorted(self._entities.values(), key=lambda entity: entity.start)),
            tuple(self._relationships.values()),
            tuple(self._preferences.values()),
            tuple(self._ended.values()),
            tuple(self._findings.values()),
            tuple(self._dates),
        )

    def _read_sentence(self, gate: Gate, names: Sequence[Name]) -> None:
        sentence = gate.sentence
        reading = Reading.of(sentence, names)
        scene = Scene(gate, reading, self._speaker, self._antecedents)
        stated = [*read_kin(scene), *read_relations(scene)]
        tied = {frozenset((tie.source, tie.target)) for tie in stated}
        whole = gate.lets(Claim.OTHERS, len(sentence.text), reading.masked)
        loose = list(co_mentions(reading, tied)) if whole else []
        self._antecedents.move_on(reading)
        for name in reading.referents:
            if name.certain:
                self._add_entity(name)
        for tie in (*stated, *loose):
            self._add_tie(tie, sentence, self._ended if tie.ends else self._relationships)

    def _read_times(self, gate: Gate) -> None:
        """The dates that a sentence asserts, and the findings, which may rest on them."""
        sentence = gate.sentence
        dates = [
            replace(found, start=found.start + sentence.start, end=found.end + sentence.start)
            for found in find_dates(sentence.text, self._said_at)
            if gate.lets(Claim.OTHERS, found.start, sentence.text)
        ]
        self._dates += dates
        for finding in read_findings(gate, dates, self._said_at, self._text):
            self._findings.setdefault((finding.finding, finding.text.casefold()), finding)

    def _add_entity(self, name: Name) -> None:
        key = name.name.casefold()
        seen = self._entities.get(key)
        if seen is None:
            self._entities[key] = EntityMention(name.name, name.label, name.start, name.end, name.aliases, name.same_as)
            return
        self._entities[key] = replace(
            seen,
            label=name.label if name.firm else seen.label,
            aliases=tuple(dict.fromkeys((*seen.aliases, *name.aliases))),
            same_as=tuple(dict.fromkeys((*seen.same_as, *name.same_as))),
        )

    def _name_speaker(self, name: str) -> None:
        """What the speaker wants to be called is an alias of the speaker, not somebody else."""
        mention = self._entities.get(name.casefold())
        tied = {end for tie in self._relationships for end in (tie[0], tie[2])}
        if mention is None or mention.name in tied or name == self._speaker:
            return
        del self._entities[name.casefold()]
        known = self._entities.get(self._speaker.casefold())
        speaker = known or EntityMention(self._speaker, "PERSON", mention.start, mention.end)
        self._entities[self._speaker.casefold()] = replace(speaker, aliases=(*speaker.aliases, name))

    def _add_tie(self, tie: Tie, sentence: Sentence, into: dict[tuple[str, str, str], RelationshipMention]) -> None:
        for end in (tie.source, tie.target):
            if end.casefold() not in self._entities:  # only the speaker has no name in the sentence
                pronoun = _PRONOUN.search(sentence.text)
                start, stop = pronoun.span() if pronoun else (0, 0)
                self._entities[end.casefold()] = EntityMention(
                    end, "PERSON", sentence.start + start, sentence.start + stop
                )
        source, target = self._entities[tie.source.casefold()].name, self._entities[tie.target.casefold()].name
        into.setdefault(
            (source, tie.type, target),
            RelationshipMention(source, tie.type, target, tie.lasting, self._text[sentence.start : sentence.end]),
        )
