"""Patterns over masked sentences for work, residence, origin, study, membership, travel, ownership and taste.

Types: WORKS_AT, LIVES_IN, FROM (lasting), STUDIES_AT, STUDIED_AT, MEMBER_OF, TAKES_PART_IN, VISITED, OWNS, LIKES,
DISLIKES, SPOUSE_OF, PARTNER_OF and FRIEND_OF beside the kinship of `kin_phrases`, and RELATED_TO for names that share
a sentence and nothing more telling.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from ragpp.extraction.company_rules import BREAK_UP, NEW_PET, PAIR, PET_NAME
from ragpp.extraction.kin_phrases import Antecedents, Tie
from ragpp.extraction.kinship import relationship_type
from ragpp.extraction.masking import ENTITY, Reading, is_mark, marks, number
from ragpp.extraction.names import Name
from ragpp.extraction.phrases import object_phrase
from ragpp.extraction.port import EntityLabel
from ragpp.extraction.relation_rules import RULES, TASTE
from ragpp.extraction.rule import Rule
from ragpp.extraction.sentences import asserts, spelled_out

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


def read_relations(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """What the sentence asserts; labels that a pattern knows better than the guess are set in `reading`."""
    if reading.sentence.asks:
        return
    if reading.referents:
        implied = spelled_out(reading.masked)
        for text in (reading.masked, *([implied] if implied else [])):
            yield from _ruled(text, reading, speaker, antecedents)
        yield from _pairs(reading, speaker)
    yield from _break_ups(reading, speaker, antecedents)
    yield from _named_pet(reading, speaker, antecedents)
    yield from _tastes(reading, speaker, antecedents)


def _ruled(text: str, reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """What the rules find in `text`, which has the marks of `reading`."""
    for needed, rules in RULES:
        if needed.search(text) is None:
            continue
        for rule in rules:
            for match in rule.pattern.finditer(text):
                yield from _apply(rule, match, reading, speaker, antecedents)


def _pairs(reading: Reading, speaker: str) -> Iterator[Tie]:
    """ "Marta and Leo are married", "Marta and I broke up"."""
    for match in PAIR.finditer(reading.masked):
        over = match["over"] is not None
        what = match["what"].lower()
        kind = "FLATMATE_OF" if what.startswith("share") else _PAIRED.get(what, "FRIEND_OF")
        if over:
            kind = "SPOUSE_OF" if "divorc" in match["what"] or "separated" in match["what"] else "PARTNER_OF"
        if not asserts(reading.sentence.text, match.start(), first_person=False):
            continue
        people = [number(match[group]) for group in ("s", "o", "with") if match[group]]
        if not all(_settle(reading, referent, "PERSON") for referent in people):
            continue
        first, *others = (reading.referents[person].name for person in people)
        second = others[0] if others else speaker
        if first != second:
            yield Tie(first, kind, second, lasting=kind not in _PASSING, ends=over)


def _break_ups(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """ "We broke up", after a sentence that named a partner."""
    partner = antecedents.person
    kind = next((ties[alias] for alias in (partner.aliases if partner else ()) if alias in (ties := _COUPLES)), None)
    match = BREAK_UP.search(reading.masked)
    if partner and kind and match and asserts(reading.sentence.text, match.start(), first_person=True):
        reading.add(replace(partner, start=reading.sentence.start, end=reading.sentence.start))
        yield Tie(partner.name, kind, speaker, lasting=True, ends=True)


def _named_pet(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    """ "Her name is Juniper", after a sentence about a new puppy without a name."""
    match = PET_NAME.match(reading.masked)
    if match and antecedents.pet and _settle(reading, number(match["o"]), "PERSON"):
        yield Tie(speaker, "OWNS", reading.referent(match["o"]).name, lasting=True)
    antecedents.pet = NEW_PET.search(reading.masked) is not None and not reading.sentence.asks


def co_mentions(reading: Reading, tied: set[frozenset[str]]) -> Iterator[Tie]:
    """RELATED_TO for each pair of certain names that share a clause, and that nothing in `tied` relates yet. Who is
    only addressed ("Thanks, Leo") is not spoken of."""
    text = reading.sentence.text
    if reading.sentence.asks or not asserts(text, len(text), first_person=False):
        return
    spoken_of = _ADDRESSED.sub(lambda match: " " * len(match.group()), reading.masked)
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
    found = list(re.finditer(ENTITY, clause))
    begin = next((mark.end() for mark in found if reading.referent(mark.group()).name == first.name), 0)
    end = next((mark.start() for mark in found if reading.referent(mark.group()).name == second.name), len(clause))
    return begin < end and _LISTED.fullmatch(re.sub(ENTITY, "", clause[begin:end])) is not None


def _apply(rule: Rule, match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    target = number(match["o"])
    if not rule.overrides and reading.referents[target].label != rule.wants:
        return
    last = reading.referents[target].name.rpartition(" ")[2].lower()
    if last in rule.besides or (rule.only is not None and last not in rule.only):
        return
    subjects = _subjects(match, reading, speaker, antecedents)
    if not subjects or not _settle(reading, target, rule.wants):
        return
    name = reading.referents[target].name
    for source in subjects:
        if source != name:
            yield Tie(source, rule.type, name, rule.lasting, rule.ends)


def _tastes(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Tie]:
    for match in TASTE.finditer(reading.masked):
        subjects = _subjects(match, reading, speaker, antecedents)
        target = _liked(reading, match.end()) if subjects else None
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


def _subjects(match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> list[str]:
    """Of whom the clause is asserted; empty where it asserts nothing or nobody can be told."""
    clause = match
    if match["e"]:  # "lives in Leeds and works at …": whoever the sentence began with
        lead = _LEAD.match(match.string)
        if lead is None or lead.end() > match.start():
            return []
        clause = lead
    if not asserts(reading.sentence.text, match.start(), first_person=clause["i"] is not None):
        return []
    together = _TOGETHER.search(match.string[: clause.start()])
    third_person = "s" if clause["s"] else "p"
    if clause[third_person] and not together and _BASE_FORM.match(match.string, clause.end(third_person)):
        return []  # "Sounds like …": no sentence about one person has that form
    first = _subject(clause, reading, speaker, antecedents)
    if first is None:
        return []
    listed = marks(together["list"]) if together and not clause["p"] else ()
    others = [reading.referents[number(mark)].name for mark in listed if _settle(reading, number(mark), "PERSON")]
    return list(dict.fromkeys((*others, first)))


def _subject(match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> str | None:
    """The subject that a match names, or None where a pronoun may mean several or the name is no person's."""
    if match["i"] is not None:
        return speaker
    if match["p"]:
        person = antecedents.resolve(match["p"], reading, match.start("p"))
        return person.name if person else None
    referent = number(match["s"])
    return reading.referents[referent].name if _settle(reading, referent, "PERSON") else None


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
