"""Patterns over masked sentences for work, residence, origin, study, membership, travel, ownership and taste.

Types: WORKS_AT, LIVES_IN, FROM (lasting), STUDIES_AT, STUDIED_AT, MEMBER_OF, TAKES_PART_IN, VISITED, OWNS, LIKES,
DISLIKES, SPOUSE_OF, PARTNER_OF and FRIEND_OF beside the kinship of `kin_phrases`, and RELATED_TO for names that share
a sentence and nothing more telling.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from ragpp.extraction.engine import Groups, Hears, hear, hear_groups
from ragpp.extraction.gate import Claim
from ragpp.extraction.naming.masking import ENTITY, Reading, is_mark, marks, mentions, number
from ragpp.extraction.naming.names import Name
from ragpp.extraction.phrases import object_phrase
from ragpp.extraction.port import EntityLabel
from ragpp.extraction.relationships.company_rules import BREAK_UP, NEW_PET, PAIR, PET_NAME
from ragpp.extraction.relationships.relation_rules import RULES, TASTE
from ragpp.extraction.relationships.rule import Rule
from ragpp.extraction.relationships.ties import Scene, Tie
from ragpp.text.kinship import relationship_type
from ragpp.text.sentences import spelled_out

RELATED_TO: Final = "RELATED_TO"
MAX_CO_MENTIONED: Final = 4
"""Names; a clause with more is a list, which relates nothing to anything."""

_CLAUSES: Final = re.compile(
    r"[;:()]|,?\s(?:but|because|so|although|while|whereas)\s|,\s(?:and\s)?(?=(?:she|he|they|we|i|it|who|which|"
    r"where)\b)|"
    r"\sand\s(?=(?:she|he|they|we|i|it|her|his|my|our|their)\b)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"(?:\s|,|&|/|\band\b|\bor\b|\bvs\b\.?)*|.{0,80}\b(?:like|such as|as well as|than|unlike)\b.{0,40}", re.IGNORECASE
)
"""What stands between names that are listed, exemplified or compared."""
_BASE_FORM: Final = re.compile(
    r",?\s(?:live|reside|work|teach|volunteer|like|love|enjoy|adore|hate|dislike|detest|study|own|drive|keep|have|"
    r"play|sing)\b"
)
_DENIED: Final = re.compile(
    rf"\b(?:not|no longer|instead of|rather than)(?: (?:at|in|on|with|to|from|for|by|the|an?))* {ENTITY}"
)
_ADDRESSED: Final = re.compile(
    rf"(?:^|\b(?:hi|hey|hello|thanks|thank you|wow|congrats|congratulations|yes|yeah|no|oh|bye|sorry|sure|well|ok|"
    rf"okay|dear|absolutely|awesome|great|cool|welcome|good luck),?\s){ENTITY}(?=\s*[,!?.-])|,\s{ENTITY}(?=[.!?]*$)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    rf"(?:(?:and|but|so|yes|well|now|then|yesterday|today|actually|also),?\s)?"
    rf"(?:(?P<i>I|i|[Ww]e)|(?P<s>{ENTITY})|(?P<p>[Ss]he|[Hh]e))(?='|\s|,)",
    re.IGNORECASE,
)
_TOGETHER: Final = re.compile(
    rf"(?:^|[,;:]\s|^(?:(?:on|in|at|last|this|next)\s\S+|\w+ly|yesterday|today|then|so|and|but|well|yes|now),?\s)"
    rf"(?P<list>(?:{ENTITY}(?:,\s|,? and\s|\s&\s))+)$",
    re.IGNORECASE,
)
_PAIRED: Final = {
    "married": "SPOUSE_OF",
    "engaged": "PARTNER_OF",
    "dating": "PARTNER_OF",
    "a couple": "PARTNER_OF",
    "siblings": "SIBLING_OF",
    "sisters": "SISTER_OF",
    "brothers": "BROTHER_OF",
    "twins": "SIBLING_OF",
    "cousins": "COUSIN_OF",
    "colleagues": "COLLEAGUE_OF",
    "coworkers": "COLLEAGUE_OF",
    "co-workers": "COLLEAGUE_OF",
    "teammates": "COLLEAGUE_OF",
    "work together": "COLLEAGUE_OF",
    "neighbours": "NEIGHBOUR_OF",
    "neighbors": "NEIGHBOUR_OF",
    "flatmates": "FLATMATE_OF",
    "roommates": "FLATMATE_OF",
    "housemates": "FLATMATE_OF",
    "classmates": "CLASSMATE_OF",
}
_PASSING: Final = frozenset({"COLLEAGUE_OF", "NEIGHBOUR_OF", "FLATMATE_OF", "CLASSMATE_OF", "FRIEND_OF"})
_COUPLES: Final = {
    kin: relationship_type(kin) for kin in ("wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé")
}


def read_relations(scene: Scene) -> Iterator[Tie]:
    """What the sentence asserts; labels that a pattern knows better than the guess are set in the scene's reading."""
    if scene.reading.referents:
        yield from hear_groups(_RULES, scene)
        implied = spelled_out(scene.reading.masked)
        if implied is not None:
            yield from hear_groups(_RULES, replace(scene, implied=implied))
        yield from hear(_PAIRS, scene)
    yield from hear(_REST, scene)


def _pair(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Marta and Leo are married", "Marta and I broke up"."""
    over = match["over"] is not None
    what = match["what"].lower()
    kind = "FLATMATE_OF" if what.startswith("share") else _PAIRED.get(what, "FRIEND_OF")
    if over:
        kind = "SPOUSE_OF" if "divorc" in match["what"] or "separated" in match["what"] else "PARTNER_OF"
    people = [number(match[group]) for group in ("s", "o", "with") if match[group]]
    if not all(_settle(scene.reading, referent, "PERSON") for referent in people):
        return
    first, *others = (scene.reading.referents[person].name for person in people)
    second = others[0] if others else scene.speaker
    if first != second:
        yield Tie(first, kind, second, lasting=kind not in _PASSING, ends=over)


def _break_up(_match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "We broke up", after a sentence that named a partner."""
    partner, sentence = scene.antecedents.person, scene.reading.sentence
    kind = next((_COUPLES[alias] for alias in (partner.aliases if partner else ()) if alias in _COUPLES), None)
    if partner and kind:
        scene.reading.add(replace(partner, start=sentence.start, end=sentence.start))
        yield Tie(partner.name, kind, scene.speaker, lasting=True, ends=True)


def _named_pet(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Her name is Juniper", after a sentence about a new puppy without a name."""
    if scene.antecedents.pet and _settle(scene.reading, number(match["o"]), "PERSON"):
        yield Tie(scene.speaker, "OWNS", scene.reading.referent(match["o"]).name, lasting=True)


def _new_pet(_match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "We got a puppy": its name may follow."""
    scene.antecedents.next_pet = True
    yield from ()


def co_mentions(reading: Reading, tied: set[frozenset[str]]) -> Iterator[Tie]:
    """RELATED_TO for each pair of certain names that share a clause of an asserted sentence, and that nothing in `tied`
    relates yet. Who is only addressed ("Thanks, Leo") is not spoken of, and what is denied ("not at Brightline") is
    related to nothing."""
    spoken_of = _ADDRESSED.sub(lambda match: " " * len(match.group()), reading.masked)
    spoken_of = _DENIED.sub(lambda match: " " * len(match.group()), spoken_of)
    for clause in _CLAUSES.split(spoken_of):
        mentioned = (reading.referent(mark) for mark in marks(clause))
        names = list({name.name: name for name in mentioned}.values())
        names = [name for name in names if name.certain]
        if len(names) > MAX_CO_MENTIONED:
            continue
        for first, second in combinations(names, 2):
            beside = first.label == second.label == "GPE" or _beside(clause, first, second, reading)
            if not beside and frozenset((first.name, second.name)) not in tied:
                yield Tie(first.name, RELATED_TO, second.name, lasting=False)


def _beside(clause: str, first: Name, second: Name, reading: Reading) -> bool:
    """Whether two names only stand in one list, or are likened to each other: that relates them to something else."""
    found = mentions(clause)
    begin = next((mark.end() for mark in found if reading.referent(mark.group()).name == first.name), 0)
    end = next((mark.start() for mark in found if reading.referent(mark.group()).name == second.name), len(clause))
    return begin < end and _LISTED.fullmatch(re.sub(ENTITY, "", clause[begin:end])) is not None


def _apply(rule: Rule, match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    reading, target = scene.reading, number(match["o"])
    if not rule.overrides and reading.referents[target].label != rule.wants:
        return
    last = reading.referents[target].name.rpartition(" ")[2].lower()
    if last in rule.besides or (rule.only is not None and last not in rule.only):
        return
    subjects = _subjects(match, scene)
    if not subjects or not _settle(reading, target, rule.wants):
        return
    name = reading.referents[target].name
    for source in subjects:
        if source != name:
            yield Tie(source, rule.type, name, rule.lasting, rule.ends)


def _taste(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "I love olives", "Marta hates crowds"."""
    subjects = _subjects(match, scene)
    target = _liked(scene.reading, match.end()) if subjects else None
    kind = "LIKES" if match["like"] or match["fan"] else "DISLIKES"
    for source in subjects:
        if target and source != target:
            yield Tie(source, kind, target, lasting=False)


def _liked(reading: Reading, at: int) -> str | None:
    """The name or the general thing that stands at `at`, which becomes a referent."""
    if at < len(reading.masked) and is_mark(reading.masked[at]):
        referent = number(reading.masked[at])
        reading.referents[referent] = replace(reading.referents[referent], certain=True)
        return reading.referents[referent].name
    phrase = object_phrase(reading.masked[at:], max_words=4)
    if phrase is None or marks(phrase):
        return None
    phrase = phrase.lower()
    start = reading.sentence.start + at
    reading.add(Name(phrase, "PRODUCT", start, start + len(phrase), firm=True, certain=True))
    return phrase


def _clause_of(match: re.Match[str]) -> re.Match[str] | None:
    """The match that has the subject: "lives in Leeds and works at …" is about whoever the sentence began with."""
    if not match["e"]:
        return match
    lead = _LEAD.match(match.string)
    return lead if lead is not None and lead.end() <= match.start() else None


def _claim(match: re.Match[str]) -> Claim:
    clause = _clause_of(match)
    return Claim.OWN if clause is not None and clause["i"] is not None else Claim.OTHERS


def _subjects(match: re.Match[str], scene: Scene) -> list[str]:
    """Of whom the clause is asserted; empty where nobody can be told."""
    clause = _clause_of(match)
    if clause is None:
        return []
    together = _TOGETHER.search(match.string[: clause.start()])
    third_person = "s" if clause["s"] else "p"
    if clause[third_person] and not together and _BASE_FORM.match(match.string, clause.end(third_person)):
        return []  # "Sounds like …": no sentence about one person has that form
    first = _subject(clause, scene)
    if first is None:
        return []
    listed = marks(together["list"]) if together and not clause["p"] else ()
    others = [
        scene.reading.referents[number(mark)].name for mark in listed if _settle(scene.reading, number(mark), "PERSON")
    ]
    return list(dict.fromkeys((*others, first)))


def _subject(match: re.Match[str], scene: Scene) -> str | None:
    """The subject that a match names, or None where a pronoun may mean several or the name is no person's."""
    if match["i"] is not None:
        return scene.speaker
    if match["p"]:
        person = scene.antecedents.resolve(match["p"], scene.reading, match.start("p"))
        return person.name if person else None
    referent = number(match["s"])
    return scene.reading.referents[referent].name if _settle(scene.reading, referent, "PERSON") else None


def _settle(reading: Reading, referent: int, wants: EntityLabel) -> bool:
    """Gives the referent the label that a pattern wants, unless it is known to be something else."""
    name = reading.referents[referent]
    if name.firm and name.label == wants:
        reading.referents[referent] = replace(name, certain=True)
        return True
    if name.firm:
        return False
    reading.referents[referent] = replace(name, label=wants, firm=True, certain=True)
    return True


_RULES: Final[Groups[Scene, Tie]] = tuple(
    (needed, tuple(Hears(rule.pattern, _claim, partial(_apply, rule)) for rule in group)) for needed, group in RULES
)
_PAIRS: Final[tuple[Hears[Scene, Tie], ...]] = (Hears(PAIR, Claim.OTHERS, _pair),)
_REST: Final[tuple[Hears[Scene, Tie], ...]] = (
    Hears(BREAK_UP, Claim.OWN, _break_up),
    Hears(PET_NAME, Claim.OTHERS, _named_pet),
    Hears(NEW_PET, Claim.OWN, _new_pet),
    Hears(TASTE, _claim, _taste),
)
