"""Memories that tell a reader anything by themselves, that only lead to others, and that always hold. Pure."""

from collections.abc import Sequence
from typing import Final, cast

from ragpp.fading import RELATED_TO
from ragpp.models import DEFAULT_PRIORITY, MAX_STANDING, Memory
from ragpp.text.kinship import is_said_by_name

STANDING_SHARE: Final = 0.05
"""The share of a context's room for what always holds (`ragpp.models.STANDING`: form of answers, how to be addressed).
It has that whatever else there is, and nothing of it is shown beyond: two lines in a context of 500 tokens, and in none
more than `MAX_STANDING`. A line costs some ten tokens; people ask for few such things, and each is
for every answer."""
LEAST_STANDING: Final = 16
"""Tokens that it has in a small context: one line."""
LARGEST_SHARE: Final = 1 / 3
"""The most that it takes of a small context, its heading with it: the answer comes first there."""


def room_for_standing(room: int, heading: int) -> int:
    """The tokens of a context that are for what always holds, and the `heading` above it."""
    return min(max(LEAST_STANDING, int(room * STANDING_SHARE)) + heading, int(room * LARGEST_SHARE))


def standing(ranking: Sequence[Memory]) -> list[Memory]:
    """The memories of `ranking` (best first) that always hold, the most urgent first: a point of a rule's priority is
    as much as a tenth of a score, so that a name that is asked for comes before a rule on something else."""

    def urgency(memory: Memory) -> float:
        return cast("int", memory.metadata.get("priority", DEFAULT_PRIORITY)) / 10 + memory.score

    return sorted((memory for memory in ranking if memory.always_holds), key=urgency, reverse=True)[:MAX_STANDING]


def why_not_offered(memory: Memory) -> str | None:
    """The reason for which a section has no line of `memory`, whatever room it has; None where there is none."""
    if memory.always_holds:
        return "it always holds, and what does so has no more room"
    return "a line of it would tell nothing by itself" if says_nothing(memory) else None


def says_nothing(memory: Memory) -> bool:
    """True where a line of it would say no more than that somebody exists, that two things were mentioned together, or
    what the name of one of them says ("Noor's father FATHER_OF Noor"). An entity tells by what else it is called."""
    about = memory.metadata
    if memory.kind == "entity":
        return about.get("aliases") == []
    if memory.kind != "relationship":
        return False
    source, kind, target = [str(about.get(part, "")) for part in ("source", "type", "target")]
    return kind == RELATED_TO or is_said_by_name(source, kind, target)
