"""Reads "my mother Salma", "Karim's dog", "Liv is my sister", "Mum": who is what to whom. Over 300 lines: one grammar.

Each such phrase becomes one mention of one individual, so that later patterns see "my sister lives in Leeds" as
"somebody lives in some place" and never as something about the speaker.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ragpp.extraction import kin_rules as rules
from ragpp.extraction.kinship import (
    CANONICAL,
    PLURAL,
    UNIQUE,
    is_family,
    is_pet,
    pronoun,
    relationship_type,
)
from ragpp.extraction.masking import Reading, marks, number
from ragpp.extraction.names import Name
from ragpp.extraction.sentences import asserts

_OTHERS: Final = frozenset({"your", "his", "her", "their", "the", "a", "whose", "every", "new", "single", "my", "our"})
_ROUNDS: Final = 3
"""How deep possessives nest: "my mother's brother's dog"."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A relationship between two names, as `RelationshipMention` has it; `ends` where it is said to hold no longer."""

    source: str
    type: str
    target: str
    lasting: bool
    ends: bool = False


@dataclass(slots=True)
class Antecedents:
    """Whom "she" and "he" may mean: the only person of the sentence before, where there was only one."""

    person: Name | None = None
    pet: bool = False
    """Whether the sentence before was about a new pet of the speaker, without its name."""

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
        yield from _said_of(reading, speaker, antecedents)
        yield from _listed(reading, speaker)
        yield from _of_speaker(reading, speaker)
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
    for match in reversed(list(rules.PHRASE.finditer(reading.masked))):
        owner = _owner(match, reading, speaker, antecedents)
        kin = CANONICAL[match["kin"].lower()]
        if rules.DENIED.search(reading.masked, max(0, match.start() - 24), match.start()):
            continue
        predicate = rules.PREDICATE.search(reading.masked, max(0, match.start() - 12), match.start()) is not None
        mark = match["name"] or match["apposed"] or match["bracketed"] or match["equated"]
        if mark and not _may_be_somebody(reading.referent(mark)):
            mark = None
        if owner is None or (mark is None and (predicate or not (is_family(kin) or is_pet(kin)))):
            continue
        if mark is None and is_pet(kin) and not rules.STANDS_ALONE.match(reading.masked, match.end("kin")):
            continue
        if match["equated"] and (reading.sentence.asks or not mark):
            mark = None
        end = match.end() if mark else match.end("kin")
        start = match.start()
        if mark is None:
            referent = reading.add(_unnamed(owner, kin, match["kin"], reading.sentence.start + start, end - start))
        else:
            referent = number(mark)
            if not match["ex"]:
                _identify(reading, referent, owner, kin, match["kin"])
            else:
                _recognise(reading, referent)
        reading.hide(start, end, referent)
        gone = bool(match["ex"]) or (is_pet(kin) and _is_gone(reading.masked, start, end))
        yield _tie(reading.referents[referent].name, kin, owner, ends=gone)


def _is_gone(text: str, start: int, end: int) -> bool:
    """Whether the pet at `text[start:end]` died or lives with somebody else now."""
    return rules.GONE.match(text, end) is not None or rules.GIVEN.search(text, max(0, start - 30), start) is not None


def _several(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in list(rules.SEVERAL.finditer(reading.masked)):
        owner = _owner(match, reading, speaker, antecedents)
        if owner is None:
            continue
        kin = PLURAL[match["kin"].lower()]
        for mark in marks(match["list"]):
            if _may_be_somebody(reading.referent(mark)):
                _identify(reading, number(mark), owner, kin, kin)
                yield _tie(reading.referent(mark).name, kin, owner)
        _blank(reading, match.start(), match.start("list"))


def _stated(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in list(rules.STATED.finditer(reading.masked)):
        owner = _owner(match, reading, speaker, antecedents)
        named = reading.referent(match["name"])
        if owner is None or not _may_be_somebody(named) or owner == named.name:
            continue
        if not asserts(reading.sentence.text, match.start(), first_person=True):
            continue
        kin = CANONICAL[match["kin"].lower()]
        _identify(reading, number(match["name"]), owner, kin, match["kin"])
        # the mark goes on to where the sentence does: "Leo, my cousin, lives in Turin" is said of Leo
        end = match.end("kin")
        closes = match["comma"] and reading.masked[end : end + 2] == ", "
        reading.hide(match.start(), end + (1 if closes else 0), number(match["name"]))
        over = bool(match["ex"]) or rules.UNTIL.search(reading.masked, end) is not None
        yield _tie(named.name, kin, owner, ends=over)


def _said_of(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """ "She's my aunt", of the one that "she" can mean, and "Leo is a friend of mine"."""
    for match in list(rules.PRONOUN_STATED.finditer(reading.masked)):
        kin = CANONICAL[match["kin"].lower()]
        person = antecedents.resolve(match["who"], reading, match.start())
        if (
            person is None
            or person.name == speaker
            or not asserts(reading.sentence.text, match.start(), first_person=True)
        ):
            continue
        known = next((at for at, name in enumerate(reading.referents) if name.name == person.name), None)
        at = reading.sentence.start + match.start()
        referent = reading.add(replace(person, start=at, end=at + len(match["who"]))) if known is None else known
        _identify(reading, referent, speaker, kin, match["kin"])
        reading.hide(match.start(), match.end("kin"), referent)
        yield _tie(person.name, kin, speaker, ends=bool(match["ex"]))
    for match in list(rules.OF.finditer(reading.masked)):
        owner = speaker if match["own"] else reading.referent(match["ent"]).name
        named, kin = reading.referent(match["name"]), CANONICAL[match["kin"].lower()]
        if (
            owner != named.name
            and _may_be_somebody(named)
            and asserts(reading.sentence.text, match.start(), first_person=True)
        ):
            _identify(reading, number(match["name"]), owner, kin, match["kin"])
            yield _tie(named.name, kin, owner)


def _of_speaker(reading: Reading, speaker: str) -> Iterator[Tie]:
    """ "I'm Zoe's mother", "Karl is no longer my boss", "my ex, Karl"."""
    text = reading.sentence.text
    for match in list(rules.I_AM.finditer(reading.masked)):
        referent = number(match["ent"] or match["ent2"])
        if _may_be_somebody(reading.referents[referent]) and asserts(text, match.start(), first_person=True):
            _recognise(reading, referent)
            _blank(reading, match.start(), match.end())
            yield _tie(speaker, CANONICAL[(match["kin"] or match["kin2"]).lower()], reading.referents[referent].name)
    for match in list(rules.NO_LONGER.finditer(reading.masked)):
        gone = "no longer" in match.group() or match["more"] is not None
        if gone and asserts(text, match.start(), first_person=True):
            _recognise(reading, number(match["name"]))
            reading.hide(match.start(), match.end(), number(match["name"]))
            kin = CANONICAL[match["kin"].lower()]
            yield _tie(reading.referent(match["name"]).name, kin, speaker, ends=True)
    for match in rules.EX.finditer(reading.masked):
        _recognise(reading, number(match["name"]))
        yield _tie(reading.referent(match["name"]).name, "partner", speaker, ends=True)


def _listed(reading: Reading, speaker: str) -> Iterator[Tie]:
    """ "We have two kids, Theo and Maud", and the second of "my uncle Leo and aunt Rosa"."""
    for pattern, group in ((rules.HAS, "list"), (rules.BOTH, "name")):
        for match in pattern.finditer(reading.masked):
            word = match["kin"].lower()
            kin = CANONICAL.get(word) or PLURAL[word]
            if not asserts(reading.sentence.text, match.start(), first_person=True):
                continue
            for mark in marks(match[group]):
                if _may_be_somebody(reading.referent(mark)):
                    _identify(reading, number(mark), speaker, kin, kin)
                    yield _tie(reading.referent(mark).name, kin, speaker)


def _introduced(reading: Reading, speaker: str) -> Iterator[Tie]:
    for match in list(rules.INTRODUCED.finditer(reading.masked)):
        word = match["kin"].lower()
        kin = CANONICAL.get(word) or PLURAL[word]
        if is_pet(kin) or not _may_be_somebody(reading.referent(match["name"])):
            continue  # whose pet it is, the verb before it says: `relations` reads that
        _identify(reading, number(match["name"]), speaker, kin, word)
        reading.hide(match.start(), match.end(), number(match["name"]))
        yield _tie(reading.referent(match["name"]).name, kin, speaker)


def _addressed(reading: Reading, speaker: str) -> Iterator[Tie]:
    """ "Aunt Rosa" and "Mum", with a capital and no possessive, are the speaker's own."""
    for pattern in (rules.TITLED, rules.BARE):
        for match in list(pattern.finditer(reading.masked)):
            if _word_before(reading.masked, match.start()) in _OTHERS:
                continue
            kin, start = CANONICAL[match["kin"].lower()], match.start()
            if pattern is rules.TITLED:
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


def _tie(name: str, kin: str, owner: str, *, ends: bool = False) -> Tie:
    if is_pet(kin):
        return Tie(owner, "OWNS", name, lasting=True, ends=ends)
    return Tie(name, relationship_type(kin), owner, lasting=is_family(kin), ends=ends)


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


def _blank(reading: Reading, start: int, end: int) -> None:
    reading.masked = reading.masked[:start] + " " * (end - start) + reading.masked[end:]


def _recognise(reading: Reading, referent: int) -> None:
    reading.referents[referent] = replace(reading.referents[referent], label="PERSON", firm=True, certain=True)


def _may_be_somebody(name: Name) -> bool:
    return name.label == "PERSON" or not name.firm


def _gender(name: Name) -> str | None:
    return next((found for alias in name.aliases if (found := pronoun(alias))), None)


def _people(reading: Reading, end: int) -> list[Name]:
    """The different people mentioned before offset `end`."""
    people = (reading.referent(mark) for mark in marks(reading.masked[:end]))
    return list({name.name: name for name in people if name.label == "PERSON" and name.certain}.values())


def _word_before(text: str, at: int) -> str:
    return text[max(0, at - 12) : at].rstrip().rpartition(" ")[2].lower()
