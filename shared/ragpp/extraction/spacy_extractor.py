"""The extractor on spaCy: a trained English pipeline where one is installed, else a blank one with an entity ruler.

spaCy gives the words, the labels of names and the parse; what they say is read in the modules beside this one.
"""

import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from ragpp.errors import ExtractionError
from ragpp.extraction.acts.reading import read_acts
from ragpp.extraction.findings import read_findings
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.grammar.spelling import length_of, spelled_out, start_of, with_capitals, words_of
from ragpp.extraction.naming.lexicon import is_ordinary
from ragpp.extraction.naming.masking import Reading
from ragpp.extraction.naming.names import confirm, find_names
from ragpp.extraction.naming.places import capitalise
from ragpp.extraction.naming.pronouns import with_person
from ragpp.extraction.naming.words import Labelled, Name, Word, called
from ragpp.extraction.pipeline import installed_pipeline
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
from ragpp.extraction.relationships.pairs import read_pairs
from ragpp.extraction.relationships.ties import Antecedents, Scene, Tie
from ragpp.extraction.times.temporal import find_dates
from ragpp.names import SPEAKER
from ragpp.text.english import SENTENCE_OPENERS
from ragpp.text.kinship import CANONICAL
from ragpp.text.sentences import Sentence, clean, split, stated_before

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

LABELS: Final[dict[str, EntityLabel]] = {
    "PERSON": "PERSON", "PER": "PERSON", "ORG": "ORG", "GPE": "GPE", "LOC": "GPE", "FAC": "GPE", "EVENT": "EVENT",
    "PRODUCT": "PRODUCT", "WORK_OF_ART": "PRODUCT",
}  # fmt: skip
"""OntoNotes labels of the trained pipelines → ours; any other label (dates, amounts, nationalities) is no entity."""
_PRONOUN: Final = re.compile(r"\b(?:I|i|me|my|My|we|We|our|Our)\b")
_GRAMMAR: Final = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")
_SHORTEST: Final = 3
"""Words of a sentence that may state something."""


class SpacyExtractor:
    """An `Extractor`; the pipeline is loaded by `load` at the first message, or by `warm`.

    `pipeline` replaces the loaded one, for instance by a model trained on the operator's own texts: it needs a
    tokenizer, and components that set `doc.ents` with OntoNotes labels. Relationships other than kinship, and tastes,
    are read where it parses, with the labels of spaCy's English pipelines.
    """

    def __init__(
        self, pipeline: "Language | None" = None, *, load: "Callable[[], Language]" = installed_pipeline
    ) -> None:
        self._pipeline = pipeline
        self._load = load
        self._known: Callable[[str], bool] | None = None
        self._lock = threading.Lock()  # loading once; a spaCy vocabulary is also not safe to grow from two threads

    def warm(self) -> None:
        """Load the pipeline. Raises: ExtractionError."""
        self._parse([Sentence("Ready.", 0, asks=False)])

    def extract(
        self, text: str, *, speaker: str | None, said_at: datetime | None = None, listener: str | None = None
    ) -> Extraction:
        """See `Extractor.extract`."""
        is_word = self._is_word()
        cleaned = with_capitals(capitalise(clean(text, titles=True)), is_word)
        sentences = [part for sentence in split(cleaned) for part in stated_before(sentence)]
        parsed = self._parse(sentences)
        names = [called(found, text) for found in _names(sentences, parsed, is_word)]
        return _Message(text, speaker or SPEAKER, said_at, listener).read(sentences, parsed, names)

    def query_entities(self, text: str) -> tuple[str, ...]:
        """See `Extractor.query_entities`."""
        return query_entities(text)

    def _is_word(self) -> Callable[[str], bool]:
        with self._lock:
            if self._known is None:
                try:
                    self._known = words_of(self._loaded())
                except ExtractionError:
                    raise
                except Exception as error:  # spaCy and a user's own components raise whatever they like
                    raise ExtractionError(f"the language pipeline failed ({type(error).__name__})") from error
            return self._known

    def _loaded(self) -> "Language":
        if self._pipeline is None:
            self._pipeline = self._load()
        return self._pipeline

    def _parse(self, sentences: Sequence[Sentence]) -> "list[Doc]":
        """Each sentence cut into words, with its names, and parsed where it may state something. One message at a time:
        what a network makes of a sentence may hang on what is read beside it, in the last digits. What is said again is
        not read again."""
        with self._lock:
            try:
                pipeline = self._loaded()
                texts = {sentence.text: spelled_out(pipeline, sentence.text) for sentence in sentences}
                if tuple(pipeline.pipe_names) != (*_GRAMMAR, "ner", "entity_ruler"):  # somebody's own
                    texts = dict(zip(texts, pipeline.pipe(texts.values()), strict=True))
                else:
                    asserting = {sentence.text for sentence in sentences if not sentence.asks}
                    stating = [doc for text, doc in texts.items() if text in asserting and len(doc) >= _SHORTEST]
                    _through(pipeline, _GRAMMAR, stating)
                    _through(pipeline, ("ner",), [doc for doc in texts.values() if _may_name(doc)])
                    _through(pipeline, ("entity_ruler",), list(texts.values()))
            except ExtractionError:
                raise
            except Exception as error:  # spaCy and a user's own components raise whatever they like
                raise ExtractionError(f"the language pipeline failed ({type(error).__name__})") from error
            return [texts[sentence.text] for sentence in sentences]


def _through(pipeline: "Language", components: Sequence[str], docs: "Sequence[Doc]") -> None:
    """Have the components that the pipeline has read the documents, each in place."""
    for name, component in pipeline.components:
        if name in components and docs:
            stream = getattr(component, "pipe", None)
            deque(map(component, docs) if stream is None else stream(docs), maxlen=0)


def _may_name(doc: "Doc") -> bool:
    """True where a capital stands in it that is not only the sentence's, or a tagger saw a name."""
    return any(word.pos_ == "PROPN" or (word.i and word.text[0].isupper() and word.text != "I") for word in doc)


def _names(sentences: Sequence[Sentence], parsed: "Sequence[Doc]", is_word: Callable[[str], bool]) -> list[list[Name]]:
    """The names of each sentence."""
    found: list[list[Name]] = []
    read = [_words_of(doc) for doc in parsed]
    labels = with_person(read)
    for sentence, (words, _), labelled in zip(sentences, read, labels, strict=True):
        placed = [replace(word, start=word.start + sentence.start, end=word.end + sentence.start) for word in words]
        found.append(find_names(placed, labelled, is_word) if placed else [])
    confirmed = iter(confirm([name for names in found for name in names]))
    return [[next(confirmed) for _ in names] for names in found]


def _words_of(doc: "Doc") -> tuple[list[Word], list[Labelled]]:
    position: dict[int, int] = {}
    words: list[Word] = []
    for token in doc:
        if not token.is_space:
            position[token.i] = len(words)
            start = start_of(token)
            words.append(Word(token.text, start, start + length_of(token), token.pos_ in {"", "PROPN"}))
    labelled: list[Labelled] = []
    for span in doc.ents:
        label = LABELS.get(span.label_)
        covered = [
            position[token.i]
            for token in span
            if token.i in position and token.text not in {"'s", "the", "The"} and any(map(str.isalpha, token.text))
        ]
        while covered and words[covered[0]].text.lower() in CANONICAL:
            del covered[0]  # "Aunt Rosa"
        if label and covered and _is_name(words[covered[0]].text, len(covered)):
            labelled.append(Labelled(covered[0], covered[-1] + 1, label, sure=bool(span.ent_id_)))
    return words, labelled


def _is_name(first: str, length: int) -> bool:
    """True where a span that a model labelled may be a name at all; small models label greetings and weekdays."""
    return length > 1 or not (is_ordinary(first) or first.lower() in SENTENCE_OPENERS)


class _Message:
    """Collects what the sentences of one message say."""

    def __init__(self, text: str, speaker: str, said_at: datetime | None, listener: str | None) -> None:
        self._text = text
        self._speaker = speaker
        self._listener = listener
        self._said_at = said_at
        self._entities: dict[str, EntityMention] = {}
        self._relationships: dict[tuple[str, str, str], RelationshipMention] = {}
        self._ended: dict[tuple[str, str, str], RelationshipMention] = {}
        self._preferences: dict[tuple[str, str], PreferenceMention] = {}
        self._findings: dict[tuple[str, str], FindingMention] = {}
        self._dates: list[DateMention] = []
        self._antecedents = Antecedents()

    def read(
        self, sentences: Sequence[Sentence], parsed: "Sequence[Doc]", names: Sequence[Sequence[Name]]
    ) -> Extraction:
        for sentence, doc, found in zip(sentences, parsed, names, strict=True):
            gate = Gate(sentence)
            self._read_sentence(gate, doc, found)
            for preference in read_preferences(gate, doc if doc.has_annotation("DEP") else None):
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

    def _read_sentence(self, gate: Gate, doc: "Doc", names: Sequence[Name]) -> None:
        sentence = gate.sentence
        reading = Reading.of(sentence, names)
        words = doc if doc.has_annotation("DEP") else None
        scene = Scene(gate, reading, self._speaker, self._antecedents, words, self._listener)
        stated = [*read_kin(scene), *read_pairs(scene), *read_acts(scene)]
        self._antecedents.move_on(reading)
        for name in reading.referents:
            if name.certain:
                self._add_entity(name)
        for tie in stated:
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
        """Make what the speaker wants to be called an alias of the speaker, not somebody else."""
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
            RelationshipMention(
                source, tie.type, target, tie.lasting, self._text[sentence.start : sentence.end], tie.verb
            ),
        )
