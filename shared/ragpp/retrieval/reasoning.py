"""Which questions ask for more than a fact: they want a reason, a comparison, a summary, or several things. Pure.

English alone, and by its words: a question in another language is judged by how sure its answer is.
"""

import re
from collections.abc import Mapping
from typing import Final

_ASKING: Final = r"(?:what|who|whom|whose|when|where|which|how|why|does|do|did|is|are|was|were|can|could|should|will)"
_SIGNS: Final[Mapping[str, re.Pattern[str]]] = {
    "the question asks why": re.compile(
        r"\b(?:why|how come|reasons? (?:for|why|that|behind)|what (?:made|makes|caused?|causes|led to|explains))\b",
        re.IGNORECASE,
    ),
    "the question asks to compare": re.compile(
        r"\b(?:compare[ds]?|comparing|comparison|versus|vs|differ|differs|differences?|pros and cons|trade-?offs?"
        r"|rather than|(?:better|worse|cheaper|faster|slower|larger|smaller|more|less) than)\b",
        re.IGNORECASE,
    ),
    "the question asks to summarise": re.compile(
        r"\b(?:summari[sz]e[ds]?|summari[sz]ing|summary|overview|recap|sum up|patterns?|themes?|trends?"
        r"|(?:key|main|common|recurring|typical) [a-z]+s)\b",
        re.IGNORECASE,
    ),
    "the question has several clauses": re.compile(
        rf"\?\s*\S[^?]*\?|(?:[,;]\s*|\s)(?:and|but|or)\s+(?:if so,?\s+)?{_ASKING}\b|;\s*{_ASKING}\b", re.IGNORECASE
    ),
}


def asks_for_reasoning(query: str) -> str | None:
    """The part of a question that wants reasoning, as a clause such as "the question asks why"; None where nothing
    does. Of several the first of: why, compare, summarise, several clauses."""
    return next((said for said, sign in _SIGNS.items() if sign.search(query)), None)
