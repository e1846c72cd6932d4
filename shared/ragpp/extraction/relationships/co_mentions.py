"""Names that share a sentence and nothing more telling: RELATED_TO."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from ragpp.extraction.naming.masking import ENTITY, Reading, marks, mentions
from ragpp.extraction.naming.words import Name
from ragpp.extraction.relationships.ties import Tie
from ragpp.fading import RELATED_TO

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
_DENIED: Final = re.compile(
    rf"\b(?:not|no longer|instead of|rather than)(?: (?:at|in|on|with|to|from|for|by|the|an?))* {ENTITY}"
)
_ADDRESSED: Final = re.compile(
    rf"(?:^|\b(?:hi|hey|hello|thanks|thank you|wow|congrats|congratulations|yes|yeah|no|oh|bye|sorry|sure|well|ok|"
    rf"okay|dear|absolutely|awesome|great|cool|welcome|good luck),?\s){ENTITY}(?=\s*[,!?.-])|,\s{ENTITY}(?=[.!?]*$)",
    re.IGNORECASE,
)


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
