"""What was said again in the same words is one memory: the latest, which rests on all of them."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import Interaction
from ragpp.text.english import word_set
from ragpp.text.lexical import words

_MOST_CHARS: Final = 2_000
"""A longer text is alike only to the very same."""
_SAY_NOTHING: Final = word_set(
    "hi hey hello ok okay oh ah hmm well so btw please thanks thank you yes yeah yep lol haha the a an just really "
    "again"
)
"""Greetings, thanks, articles and words of emphasis: all else may make another fact of the same words."""

Said = tuple[str, str | None, bool, tuple[str, ...] | str]


def said(interaction: Interaction) -> Said | None:
    """Equal for messages of one speaker that say the same: all words but greetings and the like, in their order, and
    whether it is a question. None for one without such words: thanks are not a fact that is repeated."""
    asks = "?" in interaction.content
    if len(interaction.content) > _MOST_CHARS:
        return interaction.role, interaction.name, asks, interaction.content
    carried = tuple(word for word in words(interaction.content) if word not in _SAY_NOTHING)
    return (interaction.role, interaction.name, asks, carried) if carried else None


def collapsed(interactions: Sequence[Interaction]) -> list[list[int]]:
    """The indexes of `interactions` (best first) by what they say: a group stands where its best did, the latest of it
    first, and after it the others from the latest to the first."""
    groups: dict[Said | int, list[int]] = {}
    for index, interaction in enumerate(interactions):
        groups.setdefault(said(interaction) or index, []).append(index)
    for group in groups.values():
        group.sort(key=lambda index: interactions[index].occurred_at, reverse=True)
    return list(groups.values())
