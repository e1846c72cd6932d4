"""The categories that a catalog begins with, and which category a fact belongs to. Pure.

With all-MiniLM-L6-v2 a description of what a category is about is hardly nearer to its facts than to others': of 60
sentences 32 at most come to where they belong by the descriptions alone, at a floor of 0.1 and with 28 in a wrong
category, and 42 with the examples beside them, with 10. FLOOR and MARGIN are chosen on these. Of 60 others, which were
not looked at, 40 do: 11 come to a wrong category, 8 to none although they have one, 1 to one although it has none.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ragpp import catalog
from ragpp_services.catalog.pages.values import Vector

FLOOR: Final = 0.22
"""Cosine from which on a fact belongs to a category at all: "Mount Everest is 8,849 metres high" has 0.1."""
MARGIN: Final = 0.02
"""By how much a category has to be nearer than the second one; in between it cannot be told."""
DESCRIPTION: Final = 0.5
"""The weight of a description beside the mean of the examples."""


class DefaultCategory(NamedTuple):
    """A category that is seeded on request. `examples`: facts as it has them, for `prototype`."""

    name: str
    description: str
    examples: tuple[str, ...]


_EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "lead_preferences": (
        "Nina prefers to be billed once a year",
        "The customer wants to be contacted by phone",
        "He likes brief answers without jargon",
        "She needs an invoice in Spanish",
        "The client requires a signed agreement first",
        "They have a budget of 3,000 euros",
        "The lead dislikes video calls",
        "Her tone is formal and polite",
    ),
    "product_knowledge": (
        "The Team plan costs 49 dollars a month",
        "Exports are available as CSV",
        "The product integrates with Slack",
        "Storage is limited to 100 GB",
        "The enterprise version offers role-based access",
        "The competitor's tool lacks a mobile app",
        "Support is included in all plans",
        "The feature was released in version 3",
    ),
    "objection_patterns": (
        "Prospects say that it costs too much; comparing with the cost of doing nothing answers it",
        "Customers worry about switching, and a migration plan reassures them",
        "'We already have a tool' is a frequent objection",
        "Doubts about security are met with the certificate",
        "A typical pushback is that there is no time to set it up",
        "People who fear a long contract accept a monthly one",
    ),
    "conversation_insights": (
        "Customers ask about delivery before they ask about price",
        "Calls in the morning tend to be longer",
        "Users stop replying after a long message",
        "Across sessions, people come back to the same topic",
        "In many chats the real question comes last",
        "Most users mention their role early in the conversation",
    ),
    "successful_approaches": (
        "Sending a sample before the meeting led to an order",
        "A free workshop won the customer over",
        "Calling back on the same day closed the sale",
        "Naming a reference customer convinced the manager",
        "Splitting the rollout into phases made it succeed",
        "What worked best was to let them try it themselves",
    ),
}
DEFAULT_CATEGORIES: Final = tuple(
    DefaultCategory(name, description, _EXAMPLES[name]) for name, description in catalog.DEFAULT_CATEGORIES.items()
)
"""Those that are seeded, with facts as each has them."""


def prototype(description: Vector, examples: Sequence[Vector]) -> Vector:
    """The vector, of unit length, that stands for a category in `classify`: between its description's and the mean of
    its examples'; the description's own where it has no examples. All vectors of unit length and of one model."""
    if not examples:
        return description
    mean = _unit(np.stack(examples).mean(axis=0))
    return _unit(mean + DESCRIPTION * description)


def classify(vector: Vector, categories: Sequence[tuple[str, Vector]]) -> str | None:
    """The name of the category (name and `prototype`) that a fact is closest to, by cosine; None where none is as near
    as FLOOR, or the second one is nearer to the best than MARGIN. All vectors of unit length and of one model."""
    if not categories:
        return None
    near = np.stack([standing for _, standing in categories]) @ vector
    best, *others = (int(place) for place in np.argsort(-near, kind="stable"))
    if near[best] < FLOOR or (others and near[best] - near[others[0]] < MARGIN):
        return None
    return categories[best][0]


def _unit(vector: npt.NDArray[np.float32]) -> Vector:
    """At length 1; a vector that cancels itself out stays."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector
