"""How sure evidence makes. Pure."""

from collections.abc import Iterable
from math import prod
from typing import Final

CAP: Final = 0.99
"""However often something is repeated, it is not certain: only a person's confirmation makes it so."""


def combined(confidences: Iterable[float]) -> float:
    """How sure independent pieces of evidence make together: 1 − Π(1 − cᵢ), at most CAP, yet never below the greatest
    of them; 0 for none. The order makes no difference."""
    weighed = sorted(confidence for confidence in confidences if confidence > 0)  # a product depends on its order
    if len(weighed) < 2:
        return sum(weighed)
    doubt = prod(1.0 - confidence for confidence in weighed)
    return max(weighed[-1], min(CAP, 1.0 - doubt))


def independent(evidence: Iterable[tuple[tuple[str, ...], float]]) -> list[float]:
    """The confidences of what is independent among (sources, confidence).

    What shares an interaction, directly or by way of others, was taken from the same words and counts once, with the
    greatest confidence. What has no sources counts once altogether: it was written by hand, and who writes a setting
    again does not make it surer.
    """
    group_of: dict[str, int] = {}
    greatest: list[float] = []
    members: list[set[str]] = []
    for sources, confidence in evidence:
        named = set(sources) or {""}
        joined = sorted({group_of[source] for source in named if source in group_of})
        number = joined[0] if joined else len(greatest)
        if not joined:
            greatest.append(0.0)
            members.append(set())
        for other in joined[1:]:
            greatest[number] = max(greatest[number], greatest[other])
            named |= members[other]
            greatest[other], members[other] = 0.0, set()
        greatest[number] = max(greatest[number], confidence)
        members[number] |= named
        group_of.update(dict.fromkeys(named, number))
    return greatest
