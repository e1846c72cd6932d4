"""Relationships between two people, "Marta and Leo are married", and the name of a new pet."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ragpp.extraction.engine import PatternRule, apply_rules
from ragpp.extraction.gate import Claim
from ragpp.extraction.naming.masking import ENTITY, Reading, number
from ragpp.extraction.relationships.ties import Scene, Tie
from ragpp.text.kinship import PETS, relationship_type

ADVERBS: Final = (
    r"(?:\s(?:still|now|just|also|both|all|actually|really|recently|finally|already|happily|currently|usually|often|"
    r"always|absolutely|totally|truly|once|even|originally|only|quite)){0,2}"
)
HAVE: Final = r"(?:'ve|'s|\shave|\shas)?"
PAIR: Final = re.compile(
    rf"(?:(?P<s>{ENTITY}) (?:and|&) (?:(?P<o>{ENTITY})|I|me)|\b(?:Me|I|me) and (?P<with>{ENTITY}))(?:"
    rf"(?: are|'re| got| were| have been| have| just got| are getting| both)?{ADVERBS}\s)"
    r"(?P<what>married|engaged|(?:(?:best|good|old|close)\s)?friends|siblings|sisters|brothers|twins|cousins|"
    r"colleagues|"
    r"co-?workers|teammates|neighbou?rs|flatmates|roommates|housemates|classmates|dating|a couple|work together|"
    r"share an? (?:\w+ )?(?:flat|house|apartment|place|room)|"
    r"(?P<over>(?:broke|broken|split) up|split|(?:got |are |are getting |were )?(?:divorced|separated)|"
    r"(?:are )?no longer together|(?:aren't|are not) together any\s?more|ended things|called off (?:our|"
    r"the) engagement|"
    r"parted ways|called it quits))\b"
)
"""Two people, and what they are to each other, in the group `what`, or are no more, in `over`."""
BREAK_UP: Final = re.compile(
    rf"\b[Ww]e(?:'ve|\shave)?{ADVERBS}\s(?:broke up|broken up|split up|split|separated|got divorced|divorced|"
    rf"ended things|"
    r"called it quits|are no longer together|aren't together any\s?more)\b"
)
"""The speaker and a partner whom the sentence before named."""
NEW_PET: Final = re.compile(
    rf"(?<![\w'])(?:I|[Ww]e){HAVE}{ADVERBS}\s(?:have|got|adopted|rescued|bought|took in|picked up)\s(?:an?|another|"
    rf"our|my)\s"
    rf"(?:[\w-]+\s){{0,3}}?(?:{'|'.join(PETS)})\b(?!\s(?:called|named))"
)
PET_NAME: Final = re.compile(
    r"^(?:(?:[Hh]er|[Hh]is|[Ii]ts|[Tt]he (?:dog|cat|puppy|kitten))(?:'s)? name(?:'s| is)|(?:[Ss]he|[Hh]e|[Ii]t)(?:'s|"
    r" is) (?:called|named)|"
    rf"(?:[Ww]e|I)(?:'ve)? (?:named|called) (?:her|him|it)) (?P<o>{ENTITY})"
)
"""The name of a pet of the sentence before."""
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


def read_pairs(scene: Scene) -> Iterator[Tie]:
    """The ties that the sentence asserts of two people together, and of a pet."""
    yield from apply_rules(_RULES, scene)


def _pair(match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "Marta and Leo are married", "Marta and I broke up"."""
    over = match["over"] is not None
    what = match["what"].lower()
    kind = "FLATMATE_OF" if what.startswith("share") else _PAIRED.get(what, "FRIEND_OF")
    if over:
        kind = "SPOUSE_OF" if "divorc" in match["what"] or "separated" in match["what"] else "PARTNER_OF"
    people = [number(match[group]) for group in ("s", "o", "with") if match[group]]
    if not all(_settle(scene.reading, referent) for referent in people):
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
    if scene.antecedents.pet and _settle(scene.reading, number(match["o"])):
        yield Tie(scene.speaker, "OWNS", scene.reading.referent(match["o"]).name, lasting=True)


def _new_pet(_match: re.Match[str], scene: Scene) -> Iterator[Tie]:
    """ "We got a puppy": its name may follow."""
    scene.antecedents.next_pet = True
    yield from ()


def _settle(reading: Reading, referent: int) -> bool:
    """Makes the referent a person, unless it is known to be something else."""
    name = reading.referents[referent]
    if name.firm and name.label == "PERSON":
        reading.referents[referent] = replace(name, certain=True)
        return True
    if name.firm:
        return False
    reading.referents[referent] = replace(name, label="PERSON", firm=True, certain=True)
    return True


_RULES: Final[tuple[PatternRule[Scene, Tie], ...]] = (
    PatternRule(PAIR, Claim.OTHERS, _pair),
    PatternRule(BREAK_UP, Claim.OWN, _break_up),
    PatternRule(PET_NAME, Claim.OTHERS, _named_pet),
    PatternRule(NEW_PET, Claim.OWN, _new_pet),
)
