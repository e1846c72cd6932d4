"""The values of the rules about people: ties between names, and what they know while they read a sentence."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragpp.extraction.gate import Gate
from ragpp.extraction.naming.masking import Reading, marks
from ragpp.extraction.naming.words import Name
from ragpp.text.kinship import pronoun

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True, slots=True)
class Tie:
    """A relationship between two names, as `RelationshipMention` has it; `ends` where it is said to hold no longer."""

    source: str
    type: str
    target: str
    lasting: bool
    ends: bool = False
    verb: str = ""


@dataclass(slots=True)
class Antecedents:
    """Whom "she" and "he" may mean: the only person of the sentence before, where there was only one."""

    person: Name | None = None
    pet: bool = False
    """True where the sentence before was about a new pet of the speaker, without its name."""
    next_pet: bool = False
    """True where this one is."""

    def resolve(self, word: str, reading: Reading, at: int) -> Name | None:
        """The one person that `word` at offset `at` can mean, or None when there is none or a choice."""
        wanted = "she" if word.lower() in {"she", "her"} else "he"
        here = _people(reading, at)
        if len(here) > 1:
            return None
        found = here[0] if here else self.person
        if found is None or _gender(found) not in {None, wanted}:
            return None
        return found

    def move_on(self, reading: Reading) -> None:
        """Remember whom this sentence spoke of, for the next one."""
        people = _people(reading, len(reading.masked))
        if people:
            self.person = people[0] if len(people) == 1 else None
        if not reading.sentence.asks:  # "We got a puppy. Isn't that great? Her name is …"
            self.pet, self.next_pet = self.next_pet, False


@dataclass(frozen=True, slots=True)
class Scene:
    """The `RuleInput` of a sentence whose names are marks. `words`: the sentence as it was parsed, None without a
    parser; `listener`: to whom it is said, None where that is nobody with a name."""

    gate: Gate
    reading: Reading
    speaker: str
    antecedents: Antecedents
    words: "Doc | None" = None
    listener: str | None = None

    @property
    def text(self) -> str:
        """The text that is searched."""
        return self.reading.masked


def _gender(name: Name) -> str | None:
    return next((found for alias in name.aliases if (found := pronoun(alias))), None)


def _people(reading: Reading, end: int) -> list[Name]:
    """The different people mentioned before offset `end`."""
    people = (reading.referent(mark) for mark in marks(reading.masked[:end]))
    return list({name.name: name for name in people if name.label == "PERSON" and name.certain}.values())
