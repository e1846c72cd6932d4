"""A chunk's traits, which ranking wants to know beside its words and its vector: bits that are stored with it."""

from collections.abc import Mapping
from enum import IntFlag
from typing import Final

from ragpp.models import Interaction
from ragpp.text.lexical import document_weights, lexical_line, stored_terms
from ragpp_services.episodic.reading.answers import Kind, kinds_in
from ragpp_services.episodic.reading.clauses import divided
from ragpp_services.episodic.reading.subjects import is_of_others, is_of_self
from ragpp_services.episodic.reading.substance import Substance, substance

_QUESTION_MARKS: Final = ("?", "？", "؟")
_CLOSING: Final = " \t\r\n\"'”’»)]*_"
"""The characters that may follow the mark of a question that a text ends with."""


ASKED: Final = -(0.5**0.5)
"""The factor for the weight of a term that a chunk only asks for. Negative, so that one vector holds both; and no
ratio of whole numbers, so that what is asked and what is told never add up to nothing, which is how the scan knows a
chunk without any of the question's terms."""


class Trait(IntFlag):
    """Traits of the whole interaction: it ends with a question, an assistant said it, it only asks, it says nothing. Of
    the chunk: whom what it tells is about, the kinds of answer in it, and that all this is known of it as it is read
    now (READ; 1024 said so of an earlier reading). At most 15 bits: the column is a smallint."""

    ASKS = 1
    ASSISTANT = 2
    ONLY_ASKS = 4
    EMPTY = 8
    OF_SELF = 16
    OF_OTHERS = 32
    TIME = 64
    NUMBER = 128
    NAME = 256
    PLACE = 512
    READ = 2048


_TRAIT_OF: Final = {
    Kind.TIME: Trait.TIME,
    Kind.NUMBER: Trait.NUMBER,
    Kind.NAME: Trait.NAME,
    Kind.PLACE: Trait.PLACE,
}


def traits(interaction: Interaction) -> Trait:
    """Those of the whole interaction."""
    assistant = interaction.role == "assistant"
    found = Trait.READ | Trait.ASSISTANT if assistant else Trait.READ
    if interaction.content.rstrip(_CLOSING).endswith(_QUESTION_MARKS):
        found |= Trait.ASKS
    does = substance(interaction.content, by_assistant=assistant and interaction.name is None)
    if does is Substance.ASKS:
        found |= Trait.ONLY_ASKS
    elif does is Substance.NOTHING:
        found |= Trait.EMPTY
    return found


def read_chunk(interaction: Interaction, text: str) -> tuple[Trait, Mapping[int, float]]:
    """The traits of the chunk `text` by itself, and the weights of its terms: times ASKED for those that it only
    asks for."""
    clauses = divided(text)
    told = ". ".join(clauses.told)
    found = traits_of_kinds(kinds_in(told))
    if is_of_self(told):
        found |= Trait.OF_SELF
    if is_of_others(told):
        found |= Trait.OF_OTHERS
    weights = document_weights(lexical_line(interaction, text))
    if clauses.asked:
        only_asked = {*stored_terms(" ".join(clauses.asked))} - {*stored_terms(lexical_line(interaction, told))}
        weights = {term: ASKED * weight if term in only_asked else weight for term, weight in weights.items()}
    return found, weights


def traits_of_kinds(kinds: Kind) -> Trait:
    """The traits by which a chunk holds one of `kinds`."""
    found = Trait(0)
    for kind, trait in _TRAIT_OF.items():
        if kinds & kind:
            found |= trait
    return found
