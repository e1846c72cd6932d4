"""Others who are called almost as somebody: whoever forgets Tom may believe that "Toms" went as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.models import Entity
from ragpp.paging import PAGE, read_all
from ragpp_infra.cli import known_items

MOST: Final = 5
_CLOSENESS: Final = 0.8


@dataclass(frozen=True)
class Namesakes:
    """`known`: whether an entity has the id or name that was `asked` for. `similar`: others with a name like it, the
    most mentioned first, MOST at most."""

    asked: str
    known: bool
    similar: tuple[Entity, ...]


async def namesakes_of(client: AsyncMemoryClient, user: str, asked: str, names: Sequence[str]) -> Namesakes:
    """The user's entities that are called almost as `asked`, an id or a name, or as one of `names`, which it has."""
    everybody = await read_all(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE), most=known_items.MOST)
    wanted = {_folded(name) for name in (asked, *names)}
    called = {one.id: {_folded(name) for name in (one.name, *one.aliases)} for one in everybody}
    itself = {one.id for one in everybody if one.id == asked or called[one.id] & wanted}
    others = {name for identifier, its in called.items() if identifier not in itself for name in its}
    alike = {
        close for name in wanted for close in get_close_matches(name, others, n=len(others) or 1, cutoff=_CLOSENESS)
    }
    alike |= {other for other in others if any(_is_part(name, other) for name in wanted)}
    similar = [one for one in everybody if one.id not in itself and called[one.id] & alike]
    similar.sort(key=lambda one: (-one.mentions, one.name))
    return Namesakes(asked, bool(itself), tuple(similar[:MOST]))


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _is_part(one: str, other: str) -> bool:
    """True where the words of either are among the other's, as "Tom" is of "Tom Baker"."""
    words, others = set(one.split()), set(other.split())
    return words <= others or others <= words
