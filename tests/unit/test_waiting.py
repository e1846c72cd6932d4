"""`ragpp review`: ids that can be typed, and what was said of what waits."""

from datetime import UTC, datetime

import pytest

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.learned import ProposedRule, Quote, ReviewList
from ragpp.models import Interaction
from ragpp_infra.cli.waiting import Waiting, chosen, quoted, short_ids, waiting_of
from tests.support import values

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)
LONG = "0123456789abcdef0123456789abcdef"
TEA = values.preference(NOON, id=f"pref-{LONG}", confidence=0.4, stated=False, sources=("m-2", "m-1"))


def thing(identifier: str) -> Waiting:
    return Waiting(id=identifier, kind="relationship", text="Noor LIVES_IN Leeds")


def test_an_id_is_shown_as_short_as_tells_it_from_the_others() -> None:
    twin = LONG[:9] + "f" * 23
    shown = short_ids([LONG, twin, f"pref-{LONG}", "the-one-i-chose"])
    assert shown == {
        LONG: LONG[:10],
        twin: twin[:10],
        f"pref-{LONG}": "pref-012345",
        "the-one-i-chose": "the-one-i-chose",
    }


def test_a_beginning_names_the_one_that_it_is_of() -> None:
    waiting = [thing(LONG), thing("m"), thing("m-1")]
    assert chosen(waiting, "0123").id == LONG
    assert chosen(waiting, "m").id == "m"
    with pytest.raises(InvalidInput, match="several"):
        chosen([thing("m-1"), thing("m-2")], "m-")
    with pytest.raises(NotFound, match="'x'"):
        chosen(waiting, "x")


async def test_what_was_said_stands_with_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def said(_client: AsyncMemoryClient, _user: str, identifier: str) -> Interaction:
        if identifier == "gone":
            raise NotFound("it is forgotten")
        return Interaction(id=identifier, role="user", content=f"I like\ntea, {identifier}.", occurred_at=NOON)

    monkeypatch.setattr(AsyncMemoryClient, "interaction", said)
    rule = values.rule(NOON, "Answer in German.", active=False)
    quote = Quote(interaction_id="m-7", session_id="s", occurred_at=NOON, text="always answer in German")
    gone = TEA.model_copy(update={"id": "p", "sources": ("gone",)})
    review = ReviewList(preferences=(TEA, gone), rules=(ProposedRule(rule=rule, quotes=(quote,)),))
    async with AsyncMemoryClient("http://127.0.0.1:1", "rp_x") as client:
        waiting = await quoted(client, "u", waiting_of(review))
    assert [(one.text, one.quotes) for one in waiting] == [
        ("drink: tea (food)", ("I like tea, m-2.",)),
        ("drink: tea (food)", ()),
        ("Answer in German.", ("always answer in German",)),
    ]
