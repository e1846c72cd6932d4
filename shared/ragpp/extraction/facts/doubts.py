"""Statements supposed, wished, advised or merely thought, and where in a sentence they begin. English."""

import re
from typing import Final

from ragpp.extraction.facts.verbs import Clause

SUPPOSED: Final = re.compile(
    r"\b(?:would|could|might|maybe|perhaps|possibly|probably|hopefully|wish|suppose|imagine|what if|wonder(?:ing)?|"
    r"ideally|i'd|we'd|should (?:be|have)|(?:i|we) wouldn't|wouldn't (?:be|it|that|you|mind|hurt))\b|^wouldn't\b",
    re.IGNORECASE,
)
HEDGED: Final = re.compile(
    r"\b(?:i|we)(?:'m| am|'re| are)?\s(?:\w+ly\s|do\s|don't\s|just\s|still\s|also\s)?(?:think|thought|believe|guess|"
    r"feel|felt|hope|hoping|hoped|wonder|assume|suspect|doubt|reckon|imagine|suppose|not (?:sure|certain)|sure|"
    r"afraid|curious|wish|bet|trust|expect(?! to)|understand|agree|disagree|looking forward|happy to|glad|excited|"
    r"thrilled|sorry)\b|\bno idea\b|\bin my (?:opinion|view|experience)\b|\bimo\b|\bimho\b|"
    r"\b(?:seems?|seemed|sounds?|feels?|felt) (?:to|like|as|very|so|too|a bit|really|\w+(?:[.!,]|$))|"
    r"\blooks? (?:like|good|great|nice|\w+(?:[.!]|$))|\bshould\b|"
    r"\b(?:thinks?|believes?|believed|guess(?:es|ed)|suspects?|hopes?|hoped|feels|fears?|wonders?|wondered) that\b|"
    r"\b(?:asks?|asked|wonders?|wondered)(?: \w+)? (?:if|whether)\b",
    re.IGNORECASE,
)
_TURN: Final = re.compile(
    r",?\s(?:so|but|and|though|although|because|which is why|which)\s(?=\w)|\s[-–—]\s", re.IGNORECASE
)


_PROPOSES: Final = re.compile(
    r",\s(?:and |so |but )?(?:let's|shall we|why don't|can you|could you|please|don't you)\b", re.IGNORECASE
)


def where_it_turns(text: str) -> int:
    """Where a statement ends that something proposed, supposed, wished or merely thought follows: "It ends in May, so
    we should renew it". The length of `text` where it holds nothing of the kind, or no statement before it."""
    proposal = _PROPOSES.search(text)
    if proposal is not None and Clause(text[: proposal.start()]).verb is not None:
        return proposal.start()
    doubt = min((found.start() for cue in (SUPPOSED, HEDGED) if (found := cue.search(text))), default=None)
    if doubt is None:
        return len(text)
    turns = [match.start() for match in _TURN.finditer(text, 0, doubt)]
    if not turns or Clause(text[: turns[-1]]).verb is None:
        return len(text)
    return turns[-1]
