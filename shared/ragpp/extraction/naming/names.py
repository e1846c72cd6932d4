"""Finds names by their capitals, and guesses what kind of thing each one names.

A capital at the start of a sentence says little, so such a word is only *certain* when something else speaks for it:
a verb that only somebody does, a known place, the same word inside another sentence. Uncertain mentions count
only where a pattern of `relationships` or a line of `acts` needs exactly such a name.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ragpp.extraction.naming.lexicon import (
    CONNECTORS,
    DEMONYMS,
    EVENT_NOUNS,
    MOTION,
    ORG_NOUNS,
    PERSON_VERBS,
    PLACE_NOUNS,
    TITLES,
    USED,
    is_ordinary,
)
from ragpp.extraction.naming.words import Labelled, Name, Word
from ragpp.extraction.port import EntityLabel
from ragpp.text.english import SENTENCE_OPENERS
from ragpp.text.kinship import CANONICAL, PLURAL

_LEADS_OF: Final = frozenset(
    {"museum", "university", "bank", "ministry", "department", "isle", "city", "gulf", "bay", "institute", "school",
     "college", "church", "academy", "house", "game", "friends", "bureau", "order", "republic", "cape"}
)  # fmt: skip
_CAMEL: Final = re.compile(r"[a-z][A-Z]\w*|(?!Mc|Mac|De|Di|La|Le|Van|O')[A-Z][a-z]+[A-Z]\w*")
_INFLECTED: Final = re.compile(r"\w{3,}(?:ing|ed|ly)$")
_ADDRESS: Final = frozenset(
    {"you", "your", "you're", "are", "do", "did", "can", "could", "will", "would", "how", "what", "when", "please", "i"}
)
_PLACE_BEFORE: Final = frozenset({"in", "near", "around", "across", "visit", "visiting"})
_THING_BEFORE: Final = USED | {"a", "an", "new", "another"}
_BEFORE_A_NAME: Final = frozenset({*CANONICAL, "called", "named"})
_CLUBS: Final = frozenset({"FC", "AFC", "SV", "AC", "SC"})
_OF_PEOPLE: Final = frozenset(
    {"lives", "lived", "married", "hugged", "cried", "laughed", "smiled", "sings", "sang", "graduated", "retired",
     "snores", "hates", "hated", "loves", "loved", "swore"}
)  # fmt: skip
_AT_WORK: Final = frozenset({"at", "as", "nights", "days"})
_MAX_WORDS: Final = 6


def find_names(
    words: Sequence[Word], labelled: Sequence[Labelled], is_word: Callable[[str], bool] = lambda _word: False
) -> list[Name]:
    """The names in one sentence, left to right, without overlap. `labelled` index into `words`. `is_word`: whether
    something in lower case is a word of the language: its capital at the start of a sentence tells nothing then."""
    spans = {span.first: span for span in labelled}
    inside = {index for span in labelled for index in range(span.first, span.last)}
    opening = _openings(words)
    shouting = _is_headline(words)
    found: list[Name] = []
    index = 0
    while index < len(words):
        if index not in inside and not _is_capital(words[index]):
            index += 1
            continue
        last = _sequence_end(words, index, inside)
        first, stop = _trim(words, index, last, inside, starts_sentence=index in opening)
        if first < stop:
            found.extend(_names_in(words, first, stop, spans, opening=index in opening and first == index))
        index = last
    told = {words[span.first].start for span in labelled}
    common = {words[index].start for index in opening if index < len(words) and not words[index].proper}
    return [
        replace(name, certain=name.firm)
        if shouting or (name.start in common and name.start not in told and is_word(name.name.lower()))
        else name
        for name in found
    ]


def confirm(names: Sequence[Name]) -> list[Name]:
    """Makes certain what is certain elsewhere in the same message."""
    known = {name.name.casefold() for name in names if name.certain}
    return [replace(name, certain=True) if name.name.casefold() in known else name for name in names]


def _openings(words: Sequence[Word]) -> frozenset[int]:
    """Positions whose capital is grammar: the first word, and the first one after a colon."""
    first = next((index for index, word in enumerate(words) if word.text[0].isalnum()), 0)
    return frozenset({first, *(index + 1 for index, word in enumerate(words) if word.text in {":", "-", "*", "•"})})


def _is_capital(word: Word) -> bool:
    text = word.text
    if text.lower() in CANONICAL or text.lower() in PLURAL:
        return False  # "Mum" and "Grandma" are read as kinship
    if _CAMEL.fullmatch(text):
        return True
    return text[0].isupper() and text[0].isalpha() and (len(text) > 1 or text == "O")


def _is_headline(words: Sequence[Word]) -> bool:
    """True where most words behind the first have capitals, so that capitals tell nothing."""
    plain = [word.text for word in words if word.text[0].isalpha() and word.text != "I"][1:]
    return len(plain) >= 4 and sum(text[0].isupper() for text in plain) > 0.7 * len(plain)


def _adjacent(left: Word, right: Word) -> bool:
    return right.start - left.end <= 1


def _sequence_end(words: Sequence[Word], first: int, inside: set[int]) -> int:
    """One past the last word of the capitalised sequence that starts at `first`."""
    index = first + 1
    while index < len(words) and index - first < _MAX_WORDS and _adjacent(words[index - 1], words[index]):
        numbered = words[index].text.isdigit() and _CAMEL.fullmatch(words[index - 1].text)
        if _is_capital(words[index]) or index in inside or numbered:
            index += 1
            continue
        joined = _joint(words, index)
        if not joined:
            break
        index = joined
    return index


def _joint(words: Sequence[Word], index: int) -> int:
    """Where the sequence goes on after a connector at `index`, or 0: "University of Porto", "Jean-Luc", "St. Mary's
    Hospital"."""
    text, before = words[index].text, words[index - 1]
    stop = index + 1
    if text == "of" and before.text.lower() not in _LEADS_OF and before.text.lower() not in ORG_NOUNS:
        return 0
    if text in CONNECTORS and text != "the" and stop < len(words) and words[stop].text == "the":
        stop += 1
    if text == "&" and stop < len(words) and words[stop].text[0].isupper():
        return stop + 1  # "& Sons"
    if stop >= len(words) or not _is_capital(words[stop]):
        return 0
    tight = words[index].start == before.end and words[stop].start == words[index].end
    if text == "-" and tight:
        return stop + 1
    if text in {"'s", "'"} and words[stop].text.lower() in ORG_NOUNS | EVENT_NOUNS:
        return stop + 1
    return stop + 1 if text in CONNECTORS and text != "the" else 0


def _trim(words: Sequence[Word], first: int, last: int, inside: set[int], *, starts_sentence: bool) -> tuple[int, int]:
    """Without the ordinary words at either end."""
    if starts_sentence and first not in inside and last - first > 1:
        opener = words[first].text
        goes_on = words[first + 1].text in CONNECTORS  # "University of Porto"
        if not goes_on and (opener.lower() in SENTENCE_OPENERS or _INFLECTED.match(opener)):
            first += 1
    while first < last and first not in inside and _drops_in_front(words, first, last):
        first += 1
    while first < last - 1 and last - 1 not in inside and is_ordinary(words[last - 1].text):
        last -= 1
    return first, last


def _drops_in_front(words: Sequence[Word], first: int, last: int) -> bool:
    text = words[first].text
    if (
        first
        and words[first - 1].text.lower() in _BEFORE_A_NAME
        and not words[min(last, len(words) - 1)].text.isdigit()
    ):
        return False  # "my sister April", "a friend called Jun"
    if text.lower() in DEMONYMS and words[last - 1].text.lower() in ORG_NOUNS | EVENT_NOUNS | PLACE_NOUNS:
        return False
    return is_ordinary(text) or text.lower() in CONNECTORS or text in {"-", "'s"}


def _names_in(words: Sequence[Word], first: int, last: int, spans: dict[int, Labelled], *, opening: bool) -> list[Name]:
    whole = words[first:last]
    span = spans.get(first)
    titled = whole[0].text.lower().rstrip(".") in TITLES
    told = len(whole) > 1 and whole[-1].text.lower() in ORG_NOUNS | EVENT_NOUNS | PLACE_NOUNS
    if span and span.last >= last and (span.sure or not (titled or told)):
        is_guess = not span.sure and span.label in {"ORG", "PRODUCT"} and len(whole) == 1
        label = "PERSON" if is_guess and _is_of_somebody(words, last) else span.label
        return [_name(whole, label, firm=span.sure, certain=True)]
    noun = whole[-1].text.lower()
    if len(whole) > 1 and noun in ORG_NOUNS | EVENT_NOUNS | PLACE_NOUNS and (last - 1) not in spans:
        return [_name(whole, _noun_label(noun), firm=True, certain=True)]
    if len(whole) > 1 and whole[0].text in _CLUBS:
        return [_name(whole, "ORG", firm=True, certain=True)]
    cut = next((span for at, span in sorted(spans.items()) if first <= at < last and span.sure), None)
    if cut and len(whole) in {2, 3} and cut.last - cut.first == 1 and cut.first == first and cut.label == "GPE":
        return _unlabelled(words, first, last, opening=opening)  # a person called Sofia or Sydney
    if cut:
        if cut.first > first and cut.last == last and words[cut.first - 1].text in CONNECTORS:  # "University of Vienna"
            cut = Labelled(first, last, "ORG")
        head = _names_in(words, first, cut.first, {}, opening=opening) if cut.first > first else []
        tail = _names_in(words, cut.last, last, spans, opening=False) if cut.last < last else []
        return [*head, _name(words[cut.first : cut.last], cut.label, firm=True, certain=True), *tail]
    return _unlabelled(words, first, last, opening=opening)


def _unlabelled(words: Sequence[Word], first: int, last: int, *, opening: bool) -> list[Name]:
    whole = words[first:last]
    head = whole[0].text
    if head.lower().rstrip(".") in TITLES:
        if len(whole) < 2 and not _is_apposed(words, first):
            return []
        named = _name(whole, "PERSON", firm=True, certain=True)
        return [replace(named, aliases=(*named.aliases, _surface(whole[1:])))] if len(whole) > 1 else [named]
    if len(whole) == 1:
        if head.lower() in SENTENCE_OPENERS:
            return []
        if head.isupper() and len(head) > 1:
            return [_name(whole, "ORG", firm=False, certain=False)]
    label, firm = _guess(words, first, last)
    before = words[first - 1].text.lower() if first else ""
    if before == "on" or (before == "the" and len(whole) == 1) or all(word.text.isupper() for word in whole):
        return [_name(whole, label, firm=firm, certain=firm)]  # "on Netflix", "the Hobbit": there is no telling what
    certain = not opening or (len(whole) > 1 and not head.isupper()) or _speaks_for_itself(words, first, last)
    return [_name(whole, label, firm=firm, certain=certain)]


def _is_apposed(words: Sequence[Word], first: int) -> bool:
    """True where the name follows the word for whom it names: "my parrot, Captain"."""
    before = [word.text.lower() for word in words[max(0, first - 2) : first]]
    return bool(before) and (before[-1] in _BEFORE_A_NAME or (before[-1] == "," and before[0] in CANONICAL))


def _speaks_for_itself(words: Sequence[Word], first: int, last: int) -> bool:
    """True where what follows a capital at the start of a sentence is said of somebody, or to somebody."""
    if _INFLECTED.match(words[first].text) or last >= len(words):
        return False
    following = words[last].text.lower()
    after = words[last + 1].text if last + 1 < len(words) else ""
    if following in PERSON_VERBS:
        return True
    if after in {"n't", "not"} and following in {"is", "was", "does", "did", "has", "had", "ca", "wo", "would"}:
        return True
    if following in {"is", "was", "'s"}:
        return bool({word.text for word in words[last + 1 : last + 3]} & {"my", "our"})
    if following in {"and", "&"}:
        return after in {"I", "her", "his", "their", "my"} or (after[:1].isupper() and not is_ordinary(after))
    return following == "," and after.lower() in _ADDRESS


def _is_of_somebody(words: Sequence[Word], last: int) -> bool:
    """True where what follows says of a name what people alone do: "Elena works at the harbour"."""
    following, after = ([word.text.lower() for word in words[last : last + 2]] + ["", ""])[:2]
    return following in _OF_PEOPLE or (following in {"works", "worked"} and after in _AT_WORK)


def _noun_label(noun: str) -> EntityLabel:
    if noun in EVENT_NOUNS:
        return "EVENT"
    return "ORG" if noun in ORG_NOUNS else "GPE"


def _guess(words: Sequence[Word], first: int, last: int) -> tuple[EntityLabel, bool]:
    """The label of words `first` to `last`, judged by the words before them, and whether that is beyond a guess."""
    if any(_CAMEL.fullmatch(word.text) for word in words[first:last]):
        return "PRODUCT", True
    before = [word.text.lower() for word in words[max(0, first - 3) : first]]
    previous = before[-1] if before else ""
    if previous == "the":
        return ("ORG" if last - first > 1 else "GPE"), False
    possessive = last < len(words) and words[last].text == "'s"
    if previous in _PLACE_BEFORE or (previous in {"to", "from"} and MOTION.intersection(before[:-1])):
        return "GPE", False
    if previous in _THING_BEFORE:
        return "PRODUCT", False
    if (previous == "at" and not possessive) or last - first > 3:
        return "ORG", False
    return "PERSON", False


def _surface(words: Sequence[Word]) -> str:
    pieces: list[str] = []
    for index, word in enumerate(words):
        if index and word.start > words[index - 1].end:
            pieces.append(" ")
        pieces.append(word.text)
    return "".join(pieces)


def _name(words: Sequence[Word], label: EntityLabel, *, firm: bool, certain: bool) -> Name:
    surface = _surface(words)
    first_name = words[0].text
    aliases: tuple[str, ...] = ()
    if label == "PERSON" and 1 < len(words) < 4 and first_name.lower().rstrip(".") not in TITLES:
        aliases = (first_name,)
    return Name(surface, label, words[0].start, words[-1].end, firm, certain, aliases)
