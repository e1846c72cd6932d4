"""Reads "my mother Salma", "Karim's dog", "Liv is my sister", "Mum": who is what to whom.

Each such phrase becomes one mention of one individual, so that later patterns see "my sister lives in Leeds" as
"somebody lives in some place" and never as something about the speaker.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ragpp.extraction.kinship import (
    ADDRESSED,
    CANONICAL,
    PLURAL,
    TITLES,
    UNIQUE,
    is_family,
    is_pet,
    pronoun,
    relationship_type,
)
from ragpp.extraction.masking import ENTITY, Reading, is_mark, number
from ragpp.extraction.names import Name
from ragpp.extraction.sentences import asserts

_KIN: Final = "|".join(re.escape(word) for word in sorted(CANONICAL, key=len, reverse=True))
_PLURAL: Final = "|".join(sorted(PLURAL, key=len, reverse=True))
_ADJECTIVES: Final = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|little|big|late|dear|lovely|new|old|best|close|good|twin|beloved|"
    r"other|amazing|wonderful|sweet|poor|first|second|only|dearest|middle|baby|former|current|ex)[ -]){0,2}"
)
_OWNER: Final = rf"(?:\b(?P<own>[Mm]y|[Oo]ur)|(?P<ent>{ENTITY})'s?|\b(?P<pron>[Hh]is|[Hh]er))"
_NOT_COMPOUND: Final = r"\b(?!-|\s(?:food|person|people|walker|sitter|jokes?|bed|photos?|appointment|lover)\b)"
_STANDS_ALONE: Final = re.compile(
    r"\s*(?:[,.!?;:)]|$)|'s\b|\s(?:is|was|has|had|and|or|but|who|just|got|loves?|likes?|seems|sleeps?|barks?|can|will)\b"
)
"""What follows a pet that is meant itself: not "my horse painting"."""
_NAMED: Final = (
    rf"(?:(?:'s name is|\s(?:is |was )?(?:called|named)|)\s(?P<name>{ENTITY})|"
    rf",\s(?P<apposed>{ENTITY})(?=\s*(?:[,.!;:)]|$))|"
    rf"\s\((?P<bracketed>{ENTITY})\)|\sis\s(?P<equated>{ENTITY})(?=\s*(?:[,.!;)]|$)))"
)
_PHRASE: Final = re.compile(rf"{_OWNER}\s{_ADJECTIVES}(?P<kin>(?i:{_KIN})){_NOT_COMPOUND}{_NAMED}?")
_SEVERAL: Final = re.compile(
    rf"{_OWNER}\s{_ADJECTIVES}(?:two |three |four )?(?P<kin>(?i:{_PLURAL}))\b,?\s(?:are (?:called )?|called |named )?"
    rf"(?P<list>{ENTITY}(?:(?:,|,? and|,? &)\s{ENTITY}){{1,5}})"
)
_STATED: Final = re.compile(
    rf"(?P<name>{ENTITY})(?:(?P<comma>,)|\sis|'s|\swas|\sbecame)\s{_OWNER}\s{_ADJECTIVES}(?P<kin>(?i:{_KIN}))"
    rf"{_NOT_COMPOUND}(?(comma)(?=\s*(?:[,.!;)]|$)))"
)
_INTRODUCED: Final = re.compile(
    rf"\b(?:[Aa]n?|[Aa]nother|[Oo]ne of (?:my|our))\s{_ADJECTIVES}(?:\w+\s)?(?P<kin>(?i:{_KIN}|{_PLURAL}))"
    rf"(?:\sof (?:mine|ours))?,?\s(?:called|named|whose name is)\s(?P<name>{ENTITY})"
)
_BARE: Final = re.compile(rf"\b(?P<kin>{'|'.join(sorted(word.capitalize() for word in ADDRESSED))})\b(?!-)")
_TITLED: Final = re.compile(rf"\b(?P<kin>{'|'.join(sorted(word.capitalize() for word in TITLES))})\s(?P<name>{ENTITY})")
_OTHERS: Final = frozenset({"your", "his", "her", "their", "the", "a", "whose", "every", "new", "single", "my", "our"})
_ROUNDS: Final = 3
"""How deep possessives nest: "my mother's brother's dog"."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A relationship between two names, as `RelationshipMention` has it."""

    source: str
    type: str
    target: str
    lasting: bool


@dataclass(slots=True)
class Antecedents:
    """Whom "she" and "he" may mean: the only person of the sentence before, where there was only one."""

    person: Name | None = None

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


def read_kin(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """Masks every kin phrase of the sentence in `reading` and gives the ties that they state."""
    if not reading.sentence.asks:
        yield from _stated(reading, speaker, antecedents)
    yield from _introduced(reading, speaker)
    for _ in range(_ROUNDS):
        ties = [*_several(reading, speaker, antecedents), *_phrases(reading, speaker, antecedents)]
        if not ties:
            break
        yield from ties
    yield from _addressed(reading, speaker)


def kin_name(owner: str, kin: str) -> str:
    """The name of a relative who was not named: "Noor's mother"."""
    return f"{owner}'s {kin}"


def _phrases(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in reversed(list(_PHRASE.finditer(reading.masked))):
        owner = _owner(match, reading, speaker, antecedents)
        kin = CANONICAL[match["kin"].lower()]
        mark = match["name"] or match["apposed"] or match["bracketed"] or match["equated"]
        if mark and not _may_be_somebody(reading.referent(mark)):
            mark = None
        if owner is None or (mark is None and not (is_family(kin) or is_pet(kin))):
            continue
        if mark is None and is_pet(kin) and not _STANDS_ALONE.match(reading.masked, match.end("kin")):
            continue
        if match["equated"] and (reading.sentence.asks or not mark):
            mark = None
        end = match.end() if mark else match.end("kin")
        start = match.start()
        if mark is None:
            referent = reading.add(_unnamed(owner, kin, match["kin"], reading.sentence.start + start, end - start))
        else:
            referent = number(mark)
            _identify(reading, referent, owner, kin, match["kin"])
        reading.hide(start, end, referent)
        yield _tie(reading.referents[referent].name, kin, owner)


def _several(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in list(_SEVERAL.finditer(reading.masked)):
        owner = _owner(match, reading, speaker, antecedents)
        if owner is None:
            continue
        kin = PLURAL[match["kin"].lower()]
        for mark in filter(is_mark, match["list"]):
            if _may_be_somebody(reading.referent(mark)):
                _identify(reading, number(mark), owner, kin, kin)
                yield _tie(reading.referent(mark).name, kin, owner)
        blank = " " * (match.start("list") - match.start())
        reading.masked = reading.masked[: match.start()] + blank + reading.masked[match.start("list") :]


def _stated(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in list(_STATED.finditer(reading.masked)):
        owner = _owner(match, reading, speaker, antecedents)
        named = reading.referent(match["name"])
        if owner is None or not _may_be_somebody(named) or owner == named.name:
            continue
        if not asserts(reading.sentence.text, match.start(), first_person=True):
            continue
        kin = CANONICAL[match["kin"].lower()]
        _identify(reading, number(match["name"]), owner, kin, match["kin"])
        begin, end = match.end("name"), match.end("kin")
        reading.masked = reading.masked[:begin] + " " * (end - begin) + reading.masked[end:]
        yield _tie(named.name, kin, owner)


def _introduced(reading: Reading, speaker: str) -> Iterator[Tie]:
    for match in list(_INTRODUCED.finditer(reading.masked)):
        word = match["kin"].lower()
        kin = CANONICAL.get(word) or PLURAL[word]
        if is_pet(kin) or not _may_be_somebody(reading.referent(match["name"])):
            continue  # whose pet it is, the verb before it says: `relations` reads that
        _identify(reading, number(match["name"]), speaker, kin, word)
        reading.hide(match.start(), match.end(), number(match["name"]))
        yield _tie(reading.referent(match["name"]).name, kin, speaker)


def _addressed(reading: Reading, speaker: str) -> Iterator[Tie]:
    """ "Aunt Rosa" and "Mum", with a capital and no possessive, are the speaker's own."""
    for pattern in (_TITLED, _BARE):
        for match in list(pattern.finditer(reading.masked)):
            if _word_before(reading.masked, match.start()) in _OTHERS:
                continue
            kin, start = CANONICAL[match["kin"].lower()], match.start()
            if pattern is _TITLED:
                referent = number(match["name"])
                if not _may_be_somebody(reading.referents[referent]):
                    continue
                _identify(reading, referent, speaker, kin, match["kin"])
            else:
                begin = reading.sentence.start + start
                referent = reading.add(_unnamed(speaker, kin, match["kin"], begin, match.end() - start))
            reading.hide(start, match.end(), referent)
            yield _tie(reading.referents[referent].name, kin, speaker)


def _owner(match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> str | None:
    if match["own"]:
        return speaker
    if match["ent"]:
        owner = reading.referent(match["ent"])
        return owner.name if _may_be_somebody(owner) else None
    person = antecedents.resolve(match["pron"], reading, match.start("pron"))
    return person.name if person else None


def _tie(name: str, kin: str, owner: str) -> Tie:
    if is_pet(kin):
        return Tie(owner, "OWNS", name, lasting=True)
    return Tie(name, relationship_type(kin), owner, lasting=is_family(kin))


def _unnamed(owner: str, kin: str, word: str, start: int, length: int) -> Name:
    aliases = tuple(dict.fromkeys((word.lower(), kin)))
    return Name(kin_name(owner, kin), "PERSON", start, start + length, firm=True, certain=True, aliases=aliases)


def _identify(reading: Reading, referent: int, owner: str, kin: str, word: str) -> None:
    """Note on a named individual what it is to its owner."""
    name, known_as = reading.referents[referent], kin_name(owner, kin)
    aliases = tuple(dict.fromkeys((*name.aliases, word.lower(), kin, known_as)))
    same_as = (*name.same_as, known_as) if kin in UNIQUE else name.same_as
    reading.referents[referent] = replace(
        name, label="PERSON", firm=True, certain=True, aliases=aliases, same_as=tuple(dict.fromkeys(same_as))
    )


def _may_be_somebody(name: Name) -> bool:
    return name.label == "PERSON" or not name.firm


def _gender(name: Name) -> str | None:
    return next((found for alias in name.aliases if (found := pronoun(alias))), None)


def _people(reading: Reading, end: int) -> list[Name]:
    """The different people mentioned before offset `end`."""
    marks = [character for character in reading.masked[:end] if is_mark(character)]
    people = (reading.referent(mark) for mark in marks)
    return list({name.name: name for name in people if name.label == "PERSON" and name.certain}.values())


def _word_before(text: str, at: int) -> str:
    return text[max(0, at - 12) : at].rstrip().rpartition(" ")[2].lower()
