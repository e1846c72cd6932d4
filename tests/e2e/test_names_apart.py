"""Messages are not alike for being said by the same speaker: nothing unrelated is marked as corrected."""

import httpx
import pytest

from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

FACTS = {
    "What car do we have?": "Our car is a blue Volvo.",
    "What is the dog called?": "The dog is called Pepper.",
    "Where do I work?": "I work at the library in Graz.",
    "When is the piano lesson?": "Piano lesson is at four on Wednesday.",
    "What is my shoe size?": "My shoe size is 41.",
    "Where is the spare key?": "The spare key hangs behind the boiler.",
    "Who is our dentist?": "Our dentist is Dr. Alvarez.",
    "What can't I eat?": "I can't eat walnuts.",
    "Where does my brother live?": "My brother lives in Tartu.",
    "What do I drink in the morning?": "In the morning I drink green tea.",
    "How much is the rent?": "The rent is 940 a month.",
    "When is our anniversary?": "Our anniversary is the 9th of May.",
}
LATER = [
    "We moved to Linz on Friday, finally!!",
    "The meeting moved to Tuesday.",
    "I now have a standing desk.",
]


@pytest.mark.parametrize("name", [None, "Bo", "Wilhelmine van den Bosch-Kessler"])
async def test_unrelated_news_corrects_nothing(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, name: str | None
) -> None:
    texts = [*FACTS.values(), *LATER]
    messages = [
        {"id": f"m{n}", "content": text, "name": name, "occurred_at": f"2026-04-{n + 1:02}T09:00:00Z"}
        for n, text in enumerate(texts)
    ]
    body = {"user_id": "u", "session_id": "before", "messages": messages}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text
    await gateway.digest(tenant)
    wrong = []
    for number, query in enumerate(FACTS):
        asked = {"user_id": "u", "session_id": "now", "query": query, "tiers": ["episodic"], "deadline_ms": 5_000}
        answer = await api.post("/v1/recall", json=asked)
        assert answer.status_code == 200, answer.text
        memories = answer.json()["memories"]
        marked = [one["id"] for one in memories if one.get("corrected_by")]
        if memories[0]["id"] != f"m{number}" or marked:
            wrong.append((query, memories[0]["text"], marked))
    assert wrong == []
