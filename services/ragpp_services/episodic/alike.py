"""Messages said again in the same words, as one memory: the latest, which rests on all of them."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import Interaction
from ragpp.text.english import word_set

_MOST_CHARS: Final = 2_000
"""A longer text is alike only to the very same."""
_SAY_NOTHING: Final = word_set(
    "hi hey hello ok okay oh ah hmm well so btw please thanks yes yeah yep lol haha the a an just really"
)
"""Greetings, thanks, articles and words of emphasis: all else may make another fact of the same words."""
_OF_ITS_MOMENT: Final = word_set("today tonight yesterday tomorrow now again ago this next last")
"""Words with which the same sentence is another fact on another day."""
_AROUND: Final = ".,!;:\"'“”‘’()"

Said = tuple[str, str | None, str | tuple[str, ...]]


def said(interaction: Interaction) -> Said | None:
    """Equal for messages of one speaker that say the same: all words but greetings and the like, in their order. None
    for one that says nothing, or something of its own moment: running today is another fact each day."""
    if len(interaction.content) > _MOST_CHARS:
        return interaction.role, interaction.name, interaction.content
    spoken = interaction.content.casefold().split()
    carried = tuple([word for one in spoken if (word := one.strip(_AROUND)) and word not in _SAY_NOTHING])
    if not carried or not _OF_ITS_MOMENT.isdisjoint(carried):
        return None
    return interaction.role, interaction.name, carried


def collapsed(interactions: Sequence[Interaction]) -> list[list[int]]:
    """The indexes of `interactions` (best first) by what they say: a group stands where its best did, the latest of it
    first, and after it the others from the latest to the first."""
    groups: dict[Said | int, list[int]] = {}
    for index, interaction in enumerate(interactions):
        groups.setdefault(said(interaction) or index, []).append(index)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=lambda index: interactions[index].occurred_at, reverse=True)
    return list(groups.values())
