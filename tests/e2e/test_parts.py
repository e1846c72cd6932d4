"""Where there is no room for a whole message, the part of it that answers is in the context, and no chatter with it."""

import httpx
import pytest

from ragpp.models import Scope
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
LONG = (
    "sorry for the essay. the move is done, three trips with the trailer and nobody broke anything but a lamp. "
    "we had chips on the floor afterwards, the neighbours waved and the little one fell asleep in a box. "
    "the landlady says the bins go out on tuesday evening, the boiler man is called Anselm Voss. "
    "his number is on the fridge, he wants 85 euros a visit. "
    "my back is killing me and the sofa still does not go through the door, we will try the window on sunday. "
    "the cat has been under the bathtub since noon and will not come out for anything, not even for tuna. "
    "on the bright side the light in the kitchen is lovely in the morning, you would like it a lot here."
)
OTHERS = [
    "The boiler in the old flat was from 1987 and it howled at night like a wolf. We got used to it after some weeks.",
    "I called somebody about the heating last winter, he never came back. So we sat there in coats all evening.",
    "Remember that the plumber in my street is a great singer, he sings in the choir at church. I go there on Sundays.",
]


async def test_what_is_out_of_date_does_not_stand_alone(
    gateway: RealGateway, api: httpx.AsyncClient, scope: Scope
) -> None:
    """With the hashing embedder, likeness is in shared words; neither message has a word of correcting."""
    said = ["our car insurance is with Aster", "the car insurance is with Birch", *OTHERS]
    messages = [{"id": f"m{number}", "content": text} for number, text in enumerate(said)]
    stored = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": messages})
    assert stored.status_code == 201, stored.text
    await gateway.digest(scope.tenant_id)
    asked = {"user_id": scope.user_id, "query": "Who is our car insurance with?", "limit": 50}
    answer = (await api.post("/v1/recall", json=asked)).json()
    assert [one["id"] for one in answer["memories"] if one["may_correct"] == "m0"] == ["m1"]
    assert "Aster" in answer["context"]
    assert "Birch" in answer["context"]


async def test_a_slip_does_not_stand_without_what_puts_it_right(
    gateway: RealGateway, api: httpx.AsyncClient, scope: Scope
) -> None:
    said = ["the meter reading is 48213, can you note that", "Noted.", "no hang on 48231", *OTHERS]
    messages = [
        {"id": f"m{number}", "content": text, "role": "assistant" if text == "Noted." else "user"}
        for number, text in enumerate(said)
    ]
    stored = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": messages})
    assert stored.status_code == 201, stored.text
    await gateway.digest(scope.tenant_id)
    for query in ("What is the meter reading?", "meter reading"):
        answer = (await api.post("/v1/recall", json={"user_id": scope.user_id, "query": query})).json()
        assert [one["id"] for one in answer["memories"]][:2] == ["m0", "m2"]
        assert answer["memories"][1]["may_correct"] == "m0"
        assert "48231" in answer["context"]


async def test_a_small_context_has_the_clause_that_answers_and_a_large_one_the_message(
    gateway: RealGateway, api: httpx.AsyncClient, scope: Scope
) -> None:
    messages = [{"id": f"m{number}", "content": text} for number, text in enumerate([LONG, *OTHERS])]
    said = await api.post("/v1/interactions", json={"user_id": scope.user_id, "messages": messages})
    assert said.status_code == 201, said.text
    await gateway.digest(scope.tenant_id)

    async def recalled(budget: int, *, fill: bool = False) -> tuple[str, dict[str, object]]:
        asked = {
            "user_id": scope.user_id,
            "query": "What is the boiler man called?",
            "token_budget": budget,
            "fill": fill,
        }
        answer = (await api.post("/v1/recall", json=asked)).json()
        assert answer["tokens"] <= budget
        return answer["context"], next(one for one in answer["memories"] if one["id"] == "m0")

    small, memory = await recalled(200)
    assert "the boiler man is called Anselm Voss" in small
    assert "…" in small
    assert "tuna" not in small
    assert "sorry for the essay" not in small
    focus, end = memory["focus"], memory["focus_end"]
    assert isinstance(focus, int)
    assert isinstance(end, int)
    assert "Anselm Voss" in LONG[focus:end]
    large, memory = await recalled(2_000)
    assert LONG in large
    assert (memory["text"], memory["is_excerpt"], memory["in_context"]) == (LONG, False, True)
    assert LONG in (await recalled(2_000, fill=True))[0]
