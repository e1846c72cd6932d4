"""What was said again in the same words is one memory: the latest, which rests on all of them."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import Interaction
from ragpp.text.english import CHAT_WORDS, STOP_WORDS, word_set
from ragpp.text.lexical import words

_MOST_CHARS: Final = 2_000
"""A longer text is alike only to the very same."""
_DENIALS: Final = word_set("no not never nor don't didn't doesn't can't won't isn't wasn't haven't couldn't")
_SAY_LITTLE: Final = (STOP_WORDS | CHAT_WORDS) - _DENIALS

Said = tuple[str, str | None, tuple[str, ...] | str]


def said(interaction: Interaction) -> Said | None:
    """Equal for messages of one speaker that say the same: the words that carry meaning, in their order, are the same
    ones. None for one that has no such words: thanks are not a fact that is repeated."""
    if len(interaction.content) > _MOST_CHARS:
        return interaction.role, interaction.name, interaction.content
    carried = tuple(word for word in words(interaction.content) if word not in _SAY_LITTLE)
    return (interaction.role, interaction.name, carried) if carried else None


def collapsed(interactions: Sequence[Interaction]) -> list[list[int]]:
    """The indexes of `interactions` (best first) by what they say: a group stands where its best did, the latest of it
    first, and after it the others from the latest to the first."""
    groups: dict[Said | int, list[int]] = {}
    for index, interaction in enumerate(interactions):
        groups.setdefault(said(interaction) or index, []).append(index)
    for group in groups.values():
        group.sort(key=lambda index: interactions[index].occurred_at, reverse=True)
    return list(groups.values())
