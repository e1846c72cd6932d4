"""The values that an extractor finds in one message, and the promise that every extractor keeps.

All values are frozen. Names are surface forms ("Green Valley Hospital"), never normalised further than
white space and possessives; comparing them without regard to case is the reader's choice.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from ragpp.models import DateSpan, FindingKind

EntityLabel = Literal["PERSON", "ORG", "GPE", "EVENT", "PRODUCT"]
"""PERSON also holds pets, which are asked about as "who"; GPE any place; PRODUCT any other thing or pursuit."""

Polarity = Literal["positive", "negative"]

ResourceType = Literal["conversation", "document", "config", "feedback"]

FactKind = Literal["fact", "decision", "insight", "error", "plan"]


@dataclass(frozen=True, slots=True)
class EntityMention:
    """One entity of a message; each name occurs once, at its first mention.

    `aliases` are other words for it in this user's conversations ("mother", "Mum"), good for looking it up but
    not unique: a user may have two sisters. `same_as` are names that mean the very same individual ("Noor's
    mother" for "my mother Salma"): entities of one user's graph that share such a name may be merged.
    `text[start:end]` is the mention. A speaker who is part of a relationship is an entity too, at the pronoun.
    """

    name: str
    label: EntityLabel
    start: int
    end: int
    aliases: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipMention:
    """`source` `type` `target` reads as a sentence: "Salma MOTHER_OF Noor", "Noor LIVES_IN Leeds".

    Both ends are names of entities of the same `Extraction`. `type` is UPPER_SNAKE, an open vocabulary whose
    known part is in `text.kinship` and the table of `acts`. `lasting` ones, such as kinship and origin, fade slower
    than the rest. `context` is the sentence that says so, `verb` the verb that it says so with, in its dictionary form
    and with its particle ("pick up"); empty where no verb of a clause does.
    """

    source: str
    type: str
    target: str
    lasting: bool
    context: str
    verb: str = ""


@dataclass(frozen=True, slots=True)
class PreferenceMention:
    """A setting that the speaker states about themselves.

    `(category, key)` names the question and `value` answers it, so that a changed mind has the same category and
    key and another value. `confidence` is in (0, 1]; `polarity` is negative where something is refused or
    disliked. `stated` is False only for what an extractor infers.
    """

    category: str
    key: str
    value: str
    confidence: float
    polarity: Polarity
    stated: bool = True


@dataclass(frozen=True, slots=True)
class DateMention:
    """A time that the message names, resolved against the moment it was said. `text[start:end]` is the mention."""

    span: DateSpan
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FindingMention:
    """A decision, insight, error, plan, stated habit (pattern) or dated event of the speaker, in the speaker's words:
    `text` is the clause that says it. `when`: the time it speaks of, where that could be resolved."""

    finding: FindingKind
    text: str
    confidence: float
    when: DateSpan | None = None


@dataclass(frozen=True, slots=True)
class FactMention:
    """One thing that a resource states and that can be checked.

    `text` stands alone: it names whoever speaks and what pronouns stand for, and says one thing. It is said in
    `content[start:end]` of the resource, which several facts may share. `kind` is that of the finding in the same
    sentence. `confidence` is in (0, 1]. `said`: which message of a conversation says it, from 0, and `speaker` who;
    both None where nobody speaks. `when`: the time it speaks of, where that could be resolved.
    """

    text: str
    start: int
    end: int
    kind: FactKind
    confidence: float
    speaker: str | None = None
    said: int | None = None
    when: DateSpan | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation: `content[start:end]` of the resource is what `speaker` (a name, or a role) said,
    without the name before it. `said_at`: when, where that is known."""

    start: int
    end: int
    speaker: str | None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that one message says, in order of appearance. `ended` are relationships that the message says
    hold no longer ("I don't live in Leeds any more"); they are never in `relationships` as well."""

    entities: tuple[EntityMention, ...] = ()
    relationships: tuple[RelationshipMention, ...] = ()
    preferences: tuple[PreferenceMention, ...] = ()
    ended: tuple[RelationshipMention, ...] = ()
    findings: tuple[FindingMention, ...] = ()
    dates: tuple[DateMention, ...] = ()


class Extractor(Protocol):
    """Finds entities, relationships and stated preferences in one message; one instance serves many threads.

    Precision before recall: a question, a hypothesis, a quotation or a denial asserts nothing.
    """

    def extract(
        self, text: str, *, speaker: str | None, said_at: datetime | None = None, listener: str | None = None
    ) -> Extraction:
        """Read one message of `speaker` (their name, or None when unknown). CPU-bound: run it in a thread.

        `said_at`: when it was said, against which "last Friday" is resolved; None leaves relative dates unresolved.
        `listener`: the name of the one who is spoken to, whom "you" means; None where that is nobody's.

        Deterministic. Empty text gives an empty Extraction. Raises: ExtractionError."""
        ...

    def query_entities(self, text: str) -> tuple[str, ...]:
        """Names and kinship words that a query mentions, most specific first, without repeats; under 1 ms, so
        a recall may call it on the event loop. Candidates to look up, not facts."""
        ...
