"""Which memories tell a reader anything by themselves, which only lead to others, and which always hold. Pure."""

from collections.abc import Sequence
from typing import Final, cast

from ragpp.fading import RELATED_TO
from ragpp.models import DEFAULT_PRIORITY, STANDING, Memory
from ragpp.text.kinship import is_said_by_name

STANDING_SHARE: Final = 0.05
"""Of a context's room, for what always holds (`ragpp.models.STANDING`: form of answers, how to be addressed). It has
that whatever else there is, and nothing of it is shown beyond: two lines in a context of 500 tokens, ten in one of
2,000. A line costs some ten tokens; people ask for few such things, and each is for every answer."""
LEAST_STANDING: Final = 16
"""Tokens that it has in a small context: one line."""


def room_for_standing(room: int) -> int:
    """Of the tokens of a context, for what always holds."""
    return max(LEAST_STANDING, int(room * STANDING_SHARE))


def standing(ranking: Sequence[Memory]) -> list[Memory]:
    """What of `ranking` (best first) always holds, rules of a high priority first."""
    held = [memory for memory in ranking if STANDING in memory.metadata]
    return sorted(held, key=lambda memory: -cast("int", memory.metadata.get("priority", DEFAULT_PRIORITY)))


def says_nothing(memory: Memory) -> bool:
    """Whether a line of it would say no more than that somebody exists, that two things were mentioned together, or
    what the name of one of them says ("Noor's father FATHER_OF Noor"). An entity tells by what else it is called."""
    about = memory.metadata
    if memory.kind == "entity":
        return about.get("aliases") == []
    if memory.kind != "relationship":
        return False
    source, kind, target = (str(about.get(part, "")) for part in ("source", "type", "target"))
    return kind == RELATED_TO or is_said_by_name(source, kind, target)
