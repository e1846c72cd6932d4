"""Lines of a terminal: texts that it cannot obey, and what an agent's turn with its catalog is told as."""

import sys
import unicodedata
from collections.abc import Iterator
from typing import Final

import typer

from ragpp_services.governor.catalog_nodes import catalog_turn
from ragpp_services.governor.catalog_values import CatalogTurn
from ragpp_services.governor.prompting import cut
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import NodeName, TurnResult

SHOWN_CHARS: Final = 100
SHOWN_OFFERS: Final = 5
"""How many lines of a catalog a turn shows."""
_KEPT: Final = "\n\t"


def plain(text: str) -> str:
    """`text` without the characters that a terminal would obey."""
    return "".join(
        character if character in _KEPT or unicodedata.category(character) != "Cc" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def flat(text: str) -> str:
    """The beginning of `text` on one line, plain."""
    return cut(" ".join(plain(text).split()), SHOWN_CHARS)


def dim(text: str) -> str:
    """`text` as what is beside the conversation, on a terminal."""
    return typer.style(text, dim=True) if sys.stdout.isatty() else text


def told_before(turn: Turn) -> Iterator[str]:
    """Lines on what was offered, chosen and given; in a turn that goes on with an exchange, what was given before."""
    answers, told = turn.answers, catalog_turn(turn)
    if told is None:
        kept = turn.given.memories if turn.given else ()
        yield f"  given before: {len(kept)} {_memories(len(kept))}"
        return
    offer = answers["offer"]
    if offer.offered is None:
        yield f"  nothing offered: {_why(turn, 'offer')}"
        return
    yield f"  offered {len(told.offered)} {_memories(len(told.offered))} in {offer.ms:.0f} ms"
    for one in told.offered[:SHOWN_OFFERS]:
        yield f"    {plain(one.handle):<4} {one.score:.2f} {plain(one.kind):<10} {flat(one.summary)}"
    if len(told.offered) > SHOWN_OFFERS:
        yield f"    and {len(told.offered) - SHOWN_OFFERS} more"
    if told.offered:
        yield from _told_of_the_choice(turn, told)


def told_behind(result: TurnResult) -> Iterator[str]:
    """How useful what was given was for the answer."""
    told = result.catalog
    if told is None or told.useful is None:
        return
    handles = {one.memory_id: one.handle for one in told.given}
    handles |= {one.memory_id: one.handle for one in told.offered}
    each = ", ".join(f"{plain(handles.get(one, one))} {value:.2f}" for one, value in told.useful.items())
    yield f"  useful: {each or 'nothing'}"


def _told_of_the_choice(turn: Turn, told: CatalogTurn) -> Iterator[str]:
    handles = {one.memory_id: plain(one.handle) for one in told.offered}
    chosen = ", ".join(handles[one] for one in told.chosen) or "nothing"
    choice = turn.answers["choose"]
    if choice.outcome == "fallback":
        yield f"  chose {chosen}, which is recommended: {_why(turn, 'choose')}"
    else:
        yield f"  chose {chosen}"
    if "request" not in turn.answers:
        return
    if turn.answers["request"].requested is None:
        yield f"  nothing given: {_why(turn, 'request')}"
        return
    forms = ", ".join(f"{handles.get(one.memory_id, plain(one.handle))} ({one.form})" for one in told.given)
    spent = f"{told.budget.used} of {told.budget.limit} tokens used" if told.budget else ""
    yield f"  given {forms or 'nothing'} in {told.tokens} tokens; {spent}"
    for one, why in told.left_out.items():
        yield f"    left out {handles.get(one, plain(one))}: {flat(why)}"


def _why(turn: Turn, name: NodeName) -> str:
    answer = turn.answers[name]
    return flat(f"{answer.outcome}, {answer.detail}" if answer.detail else answer.outcome)


def _memories(count: int) -> str:
    return "memory" if count == 1 else "memories"
