"""Reads "my mother Salma", "Karim's dog", "Liv is my sister", "Mum": who is what to whom.

Each such phrase becomes one mention of one individual, so that later patterns see "my sister lives in Leeds" as
"somebody lives in some place" and never as something about the speaker.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ragpp.extraction.engine import PatternRule, apply_rules
from ragpp.extraction.gate import Claim
from ragpp.extraction.naming.masking import Reading, marks, number
from ragpp.extraction.naming.words import Name
from ragpp.extraction.relationships import kin_rules as rules
from ragpp.extraction.relationships.ties import Scene, Tie
from ragpp.text.kinship import CANONICAL, PLURAL, UNIQUE, is_family, is_pet, relationship_type

_Rules = tuple[PatternRule[Scene, Tie], ...]
_OTHERS: Final = frozenset(
    {"your", "ur", "his", "her", "their", "the", "a", "whose", "every", "new", "single", "my", "our"}
)
_ROUNDS: Final = 3
"""How deep possessives nest: "my mother's brother's dog"."""


def read_kin(scene: Scene) -> Iterator[Tie]:
    """Masks every kin phrase of the sentence in the scene's reading and gives the ties that they state."""
    yield from apply_rules(_STATED, scene)
    yield from _nested(_NESTED, scene)
    yield from _nested(_UNSTATED, scene)
    yield from apply_rules(_ADDRESSED, scene)


def _nested(phrases: _Rules, scene: Scene) -> Iterator[Tie]:
    for _ in range(_ROUNDS):
        ties = list(apply_rules(phrases, scene))
        if not ties:
            break
        yield from ties


def kin_name(owner: str, kin: str) -> str:
    """The name of a relative who was not named: "Noor's mother"."""
    return f"{owner}'s {kin}"


def _phrase(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "My sister", "my sister Liv", and "my sister is called Liv"."""
    reading, equated = scene.reading, match.groupdict().get("equated")
    owner = _owner(match, scene)
    kin = CANONICAL[match["kin"].lower()]
    if rules.DENIED.search(reading.masked, max(0, match.start() - 24), match.start()):
        return
    predicate = rules.PREDICATE.search(reading.masked, max(0, match.start() - 12), match.start()) is not None
    mark = match["name"] or match["apposed"] or match["bracketed"] or equated
    if mark and not _may_be_somebody(reading.referent(mark)):
        mark = None
    if owner is None or (mark is None and (predicate or not (is_family(kin) or is_pet(kin)))):
        return
    if mark is None and is_pet(kin) and not rules.STANDS_ALONE.match(reading.masked, match.end("kin")):
        return
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


def _names(match: re.Match[str]) -> Claim:
    """ "My sister" is taken for granted; that she "is called Liv" is not."""
    return Claim.OTHERS if match["called"] or match["equated"] else Claim.GIVEN


def _is_gone(text: str, start: int, end: int) -> bool:
    """True where the pet at `text[start:end]` died or lives with somebody else now."""
    return rules.GONE.match(text, end) is not None or rules.GIVEN.search(text, max(0, start - 30), start) is not None


def _several(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    reading, owner = scene.reading, _owner(match, scene)
    if owner is None:
        return
    kin = PLURAL[match["kin"].lower()]
    for mark in marks(match["list"]):
        if _may_be_somebody(reading.referent(mark)):
            _identify(reading, number(mark), owner, kin, kin)
            yield _tie(reading.referent(mark).name, kin, owner)
    _blank(reading, match.start(), match.start("list"))


def _stated(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Liv is my sister", "Leo, my cousin, …"."""
    reading, owner = scene.reading, _owner(match, scene)
    named = reading.referent(match["name"])
    if owner is None or not _may_be_somebody(named) or owner == named.name:
        return
    kin = CANONICAL[match["kin"].lower()]
    _identify(reading, number(match["name"]), owner, kin, match["kin"])
    # the mark goes on to where the sentence does: "Leo, my cousin, lives in Turin" is said of Leo
    end = match.end("kin")
    closes = match["comma"] and reading.masked[end : end + 2] == ", "
    reading.hide(match.start(), end + (1 if closes else 0), number(match["name"]))
    over = bool(match["ex"]) or rules.UNTIL.search(reading.masked, end) is not None
    yield _tie(named.name, kin, owner, ends=over)


def _said_of(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "She's my aunt", of the one that "she" can mean."""
    reading, kin = scene.reading, CANONICAL[match["kin"].lower()]
    person = scene.antecedents.resolve(match["who"], reading, match.start())
    if person is None or person.name == scene.speaker:
        return
    known = next((at for at, name in enumerate(reading.referents) if name.name == person.name), None)
    at = reading.sentence.start + match.start()
    referent = reading.add(replace(person, start=at, end=at + len(match["who"]))) if known is None else known
    _identify(reading, referent, scene.speaker, kin, match["kin"])
    reading.hide(match.start(), match.end("kin"), referent)
    yield _tie(person.name, kin, scene.speaker, ends=bool(match["ex"]))


def _of(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Leo is a friend of mine"."""
    owner = scene.speaker if match["own"] else scene.reading.referent(match["ent"]).name
    named, kin = scene.reading.referent(match["name"]), CANONICAL[match["kin"].lower()]
    if owner != named.name and _may_be_somebody(named):
        _identify(scene.reading, number(match["name"]), owner, kin, match["kin"])
        yield _tie(named.name, kin, owner)


def _i_am(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "I'm Zoe's mother"."""
    reading, referent = scene.reading, number(match["ent"] or match["ent2"])
    if _may_be_somebody(reading.referents[referent]):
        _recognise(reading, referent)
        _blank(reading, match.start(), match.end())
        kin = CANONICAL[(match["kin"] or match["kin2"]).lower()]
        yield _tie(scene.speaker, kin, reading.referents[referent].name)


def _no_longer(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Karl is no longer my boss"."""
    if "no longer" in match.group() or match["more"] is not None:
        referent = number(match["name"])
        _recognise(scene.reading, referent)
        scene.reading.hide(match.start(), match.end(), referent)
        kin = CANONICAL[match["kin"].lower()]
        yield _tie(scene.reading.referents[referent].name, kin, scene.speaker, ends=True)


def _ex(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "My ex, Karl"."""
    _recognise(scene.reading, number(match["name"]))
    yield _tie(scene.reading.referent(match["name"]).name, "partner", scene.speaker, ends=True)


def _has(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "We have two kids, Theo and Maud"."""
    yield from _listed(match, "list", scene)


def _both(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """The second of "my uncle Leo and aunt Rosa"."""
    yield from _listed(match, "name", scene)


def _listed(match: re.Match[str], group: str, scene: Scene) -> Iterator[Tie]:
    reading, kin = scene.reading, _canonical(match["kin"])
    for mark in marks(match[group]):
        if _may_be_somebody(reading.referent(mark)):
            _identify(reading, number(mark), scene.speaker, kin, kin)
            yield _tie(reading.referent(mark).name, kin, scene.speaker)


def _introduced(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "A friend called Jun"."""
    reading, kin = scene.reading, _canonical(match["kin"])
    if is_pet(kin) or not _may_be_somebody(reading.referent(match["name"])):
        return  # whose pet it is, the verb before it says: `acts` reads that
    _identify(reading, number(match["name"]), scene.speaker, kin, match["kin"].lower())
    reading.hide(match.start(), match.end(), number(match["name"]))
    yield _tie(reading.referent(match["name"]).name, kin, scene.speaker)


def _introduces(match: re.Match[str]) -> Claim:
    """Whose friend "a friend called Jun" is, the clause around it says; "a friend of mine" says it by itself."""
    return Claim.OWN if match["own"] or match["mine"] else Claim.PHRASE


def _titled(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Aunt Rosa", with a capital and no possessive, is the speaker's own."""
    reading, referent = scene.reading, number(match["name"])
    if _word_before(reading.masked, match.start()) in _OTHERS or not _may_be_somebody(reading.referents[referent]):
        return
    kin = CANONICAL[match["kin"].lower()]
    _identify(reading, referent, scene.speaker, kin, match["kin"])
    reading.hide(match.start(), match.end(), referent)
    yield _tie(reading.referents[referent].name, kin, scene.speaker)


def _bare(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Mum", with a capital and no possessive, is the speaker's own."""
    reading, kin, start = scene.reading, CANONICAL[match["kin"].lower()], match.start()
    if _word_before(reading.masked, start) in _OTHERS:
        return
    begin = reading.sentence.start + start
    referent = reading.add(_unnamed(scene.speaker, kin, match["kin"], begin, match.end() - start))
    reading.hide(start, match.end(), referent)
    yield _tie(reading.referents[referent].name, kin, scene.speaker)


def _canonical(word: str) -> str:
    return CANONICAL.get(word.lower()) or PLURAL[word.lower()]


def _owner(match: re.Match[str], scene: Scene) -> str | None:
    if match["own"]:
        return scene.speaker
    if match["yours"]:
        return scene.listener
    if match["ent"]:
        owner = scene.reading.referent(match["ent"])
        return owner.name if _may_be_somebody(owner) else None
    person = scene.antecedents.resolve(match["pron"], scene.reading, match.start("pron"))
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


def _word_before(text: str, at: int) -> str:
    return text[max(0, at - 12) : at].rstrip().rpartition(" ")[2].lower()


_STATED: Final[_Rules] = (
    PatternRule(rules.STATED, Claim.OWN, _stated),
    PatternRule(rules.PRONOUN_STATED, Claim.OWN, _said_of),
    PatternRule(rules.OF, Claim.OWN, _of),
    PatternRule(rules.HAS, Claim.OWN, _has),
    PatternRule(rules.BOTH, Claim.OWN, _both),
    PatternRule(rules.I_AM, Claim.OWN, _i_am),
    PatternRule(rules.NO_LONGER, Claim.OWN, _no_longer),
    PatternRule(rules.EX, Claim.GIVEN, _ex),
    PatternRule(rules.INTRODUCED, _introduces, _introduced),
)
_NESTED: Final[_Rules] = (
    PatternRule(rules.SEVERAL, Claim.GIVEN, _several),
    PatternRule(rules.PHRASE, _names, _phrase, backwards=True),
)
_UNSTATED: Final[_Rules] = (PatternRule(rules.UNSTATED, Claim.GIVEN, _phrase, backwards=True),)
_ADDRESSED: Final[_Rules] = (
    PatternRule(rules.TITLED, Claim.GIVEN, _titled),
    PatternRule(rules.BARE, Claim.GIVEN, _bare),
)
