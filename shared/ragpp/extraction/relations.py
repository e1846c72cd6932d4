"""Patterns over masked sentences for work, residence, origin, study, membership, travel, ownership and taste.

Types: WORKS_AT, LIVES_IN, FROM (lasting), STUDIES_AT, STUDIED_AT, MEMBER_OF, TAKES_PART_IN, VISITED, OWNS, LIKES,
DISLIKES, SPOUSE_OF, PARTNER_OF and FRIEND_OF beside the kinship of `kin_phrases`, and RELATED_TO for names that share
a sentence and nothing more telling.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from ragpp.extraction.kin_phrases import Antecedents, Tie
from ragpp.extraction.masking import ENTITY, Reading, is_mark, number
from ragpp.extraction.names import Name
from ragpp.extraction.phrases import object_phrase
from ragpp.extraction.port import EntityLabel
from ragpp.extraction.relation_rules import PAIR, RULES, TASTE, Rule
from ragpp.extraction.sentences import asserts

RELATED_TO: Final = "RELATED_TO"
MAX_CO_MENTIONED: Final = 4
"""Names; a clause with more is a list, which relates nothing to anything."""

_CLAUSES: Final = re.compile(
    r"[;:()]|,?\s(?:but|because|so|although|while|whereas)\s|,\s(?:and\s)?(?=(?:she|he|they|we|i|it|who|which|where)\b)|"
    r"\sand\s(?=(?:she|he|they|we|i|it|her|his|my|our|their)\b)",
    re.IGNORECASE,
)
_BASE_FORM: Final = re.compile(
    r",?\s(?:live|reside|work|teach|volunteer|like|love|enjoy|adore|hate|dislike|detest|study|own|drive|keep|have|play|sing)\b"
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
    "siblings": "SIBLING_OF",
    "colleagues": "COLLEAGUE_OF",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A tie, and whether the sentence says that it holds no longer."""

    tie: Tie
    ends: bool = False


def read_relations(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Finding]:
    """What the sentence asserts; labels that a pattern knows better than the guess are set in `reading`."""
    if reading.sentence.asks:
        return
    for rule in RULES:
        for match in rule.pattern.finditer(reading.masked):
            yield from _apply(rule, match, reading, speaker, antecedents)
    for match in PAIR.finditer(reading.masked):
        kind = _PAIRED.get(match["what"], "FRIEND_OF")
        source, target = number(match["s"]), number(match["o"])
        if all(_settle(reading, referent, "PERSON") for referent in (source, target)):
            names = reading.referents
            yield Finding(Tie(names[source].name, kind, names[target].name, lasting=kind != "COLLEAGUE_OF"))
    yield from _tastes(reading, speaker, antecedents)


def co_mentions(reading: Reading, tied: set[frozenset[str]]) -> Iterator[Tie]:
    """RELATED_TO for each pair of certain names that share a clause, and that nothing in `tied` relates yet. Who is
    only addressed ("Thanks, Leo") is not spoken of."""
    text = reading.sentence.text
    if reading.sentence.asks or not asserts(text, len(text), first_person=False):
        return
    spoken_of = _ADDRESSED.sub(lambda match: " " * len(match.group()), reading.masked)
    for clause in _CLAUSES.split(spoken_of):
        marks = [number(character) for character in clause if is_mark(character)]
        names = list({reading.referents[mark].name: reading.referents[mark] for mark in marks}.values())
        names = [name for name in names if name.certain]
        if len(names) > MAX_CO_MENTIONED:
            continue
        for first, second in combinations(names, 2):
            if frozenset((first.name, second.name)) not in tied:
                yield Tie(first.name, RELATED_TO, second.name, lasting=False)


def _apply(
    rule: Rule, match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents
) -> Iterator[Finding]:
    target = number(match["o"])
    if not rule.overrides and reading.referents[target].label != rule.wants:
        return
    subjects = _subjects(match, reading, speaker, antecedents)
    if not subjects or not _settle(reading, target, rule.wants):
        return
    name = reading.referents[target].name
    for source in subjects:
        if source != name:
            yield Finding(Tie(source, rule.type, name, rule.lasting), rule.ends)


def _tastes(reading: Reading, speaker: str, antecedents: Antecedents) -> Iterator[Finding]:
    for match in TASTE.finditer(reading.masked):
        subjects = _subjects(match, reading, speaker, antecedents)
        target = _liked(reading, match.end()) if subjects else None
        kind = "LIKES" if match["like"] or match["fan"] else "DISLIKES"
        for source in subjects:
            if target and source != target:
                yield Finding(Tie(source, kind, target, lasting=False))


def _liked(reading: Reading, at: int) -> str | None:
    """The name or the general thing that stands at `at`, which becomes a referent."""
    if at < len(reading.masked) and is_mark(reading.masked[at]):
        referent = number(reading.masked[at])
        reading.referents[referent] = replace(reading.referents[referent], certain=True)
        return reading.referents[referent].name
    phrase = object_phrase(reading.masked[at:], max_words=4)
    if phrase is None or any(is_mark(character) for character in phrase):
        return None
    phrase = phrase.lower()
    start = reading.sentence.start + at
    reading.add(Name(phrase, "PRODUCT", start, start + len(phrase), firm=True, certain=True))
    return phrase


def _subjects(match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> list[str]:
    """Of whom the clause is asserted; empty where it asserts nothing or nobody can be told."""
    clause = match
    if match["e"]:  # "lives in Leeds and works at …": whoever the sentence began with
        lead = _LEAD.match(reading.masked)
        if lead is None or lead.end() > match.start():
            return []
        clause = lead
    if not asserts(reading.sentence.text, match.start(), first_person=clause["i"] is not None):
        return []
    together = _TOGETHER.search(reading.masked[: clause.start()])
    third_person = "s" if clause["s"] else "p"
    if clause[third_person] and not together and _BASE_FORM.match(reading.masked, clause.end(third_person)):
        return []  # "Sounds like …": no sentence about one person has that form
    first = _subject(clause, reading, speaker, antecedents)
    if first is None:
        return []
    marks = filter(is_mark, together["list"]) if together and not clause["p"] else ()
    others = [reading.referents[number(mark)].name for mark in marks if _settle(reading, number(mark), "PERSON")]
    return list(dict.fromkeys((*others, first)))


def _subject(match: re.Match[str], reading: Reading, speaker: str, antecedents: Antecedents) -> str | None:
    """The subject that a match names, or None where a pronoun may mean several or the name is no person's."""
    if match["i"]:
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
