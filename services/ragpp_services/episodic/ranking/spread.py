"""A question for several things has its answers in several sessions: there, the tail of a ranking is spread over them.

Interactions of one session resemble each other, and the best session fills a ranking: right for one answer, and wrong
for "Which places have they been to?". So, of such a question and after the first KEPT, each interaction is set back by
APART for every one of its session that stands before it. The first KEPT stay: they are what was measured best. What
changes is what a context has room for after them: on the development conversations between people about 0.9 points
more of the evidence of questions over several sessions (0.6 to 1.3 with APART from 0.02 to 0.06), and nothing less
elsewhere.
"""

import heapq
import re
from collections.abc import Hashable, Sequence
from typing import Final

KEPT: Final = 10
APART: Final = 0.03
"""In units of the ranking."""

_SEVERAL: Final = re.compile(
    r"(?i:\b(?:what|which)(?:'s| is| are)?) (?:(?:kinds?|types?|sorts?) of\b"
    r"|(?:\w+ ){0,2}?(?!was\b|is\b|does\b|has\b|this\b|his\b)[a-z]+[a-rt-z]s\b)"
    r"|(?i:\bhow many\b|\b(?:all|both|different|various)\b)"
)
"""A plural after "what" or "which", and words for more than one; English."""


def asks_for_several(question: str) -> bool:
    """True where `question` is after more than one thing."""
    return _SEVERAL.search(question) is not None


def spread(raw: Sequence[float], sessions: Sequence[Hashable]) -> list[int]:
    """The order of interactions that are given best first, with their scores `raw` and `sessions`: a permutation that
    leaves the first KEPT in place, and equal ones in their order. Takes time in proportion to n log n."""
    order = list(range(min(KEPT, len(raw))))
    before: dict[Hashable, int] = {}
    for index in order:
        before[sessions[index]] = before.get(sessions[index], 0) + 1
    waiting: dict[Hashable, list[int]] = {}
    for index in range(len(order), len(raw)):
        waiting.setdefault(sessions[index], []).append(index)
    heads = [(APART * before.get(session, 0) - raw[tail[0]], tail[0]) for session, tail in waiting.items()]
    heapq.heapify(heads)
    taken = dict.fromkeys(waiting, 0)
    while heads:
        _, index = heapq.heappop(heads)
        order.append(index)
        session = sessions[index]
        before[session] = before.get(session, 0) + 1
        taken[session] += 1
        if taken[session] < len(waiting[session]):
            following = waiting[session][taken[session]]
            heapq.heappush(heads, (APART * before[session] - raw[following], following))
    return order
