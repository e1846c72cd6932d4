"""A fact told inside a request is found as if it were told by itself, and what only asks is no evidence."""

import httpx
import pytest

from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

TOLD = [
    ("Could you remind me that the ladder is at Piet's?", "where is the ladder?"),
    ("did you know I'm allergic to sesame?", "what am I allergic to?"),
    ("What's a nice gift for my niece Ida, she turns 6 on Sunday and loves owls?", "what does Ida love?"),
    ("can you order a cake for Saturday at Roos, lemon, 12 people?", "what cake did we order for Saturday?"),
    ("Could you always write my mails in a formal tone?", "which tone should my mails have?"),
    ("Do you remember that we moved the standup to 9:30?", "when is the standup?"),
    ("where can i get hiking boots, im a size 46", "what is my shoe size?"),
    ("What can I bake for my mother-in-law, who can't stand cinnamon?", "who can't stand cinnamon?"),
    ("can u book the vet for tues 4pm, its about minkas teeth", "when is minka at the vet?"),
    ("can you draft a mail to the landlord, the heating is broken since monday", "since when is the heating broken?"),
    ("pls remind me to call the plumber tmrw", "whom do I have to call tomorrow?"),
    ("help me write a toast for Hana, she's getting married on the 14th", "when does Hana get married?"),
    ("Should I take the job at the harbour, they pay 4,000 a month?", "what does the job at the harbour pay?"),
]
CHATTER = [
    "It rained all afternoon here.",
    "The new café by the station has good buns.",
    "I watched two episodes and fell asleep.",
    "Traffic was awful on the ring road again.",
    "We should tidy the cellar some day.",
    "My back hurts from all that sitting.",
    "The neighbours are having a party.",
    "Lunch was soup, nothing special.",
]


async def store(api: httpx.AsyncClient, user: str, *messages: tuple[str, str]) -> None:
    said = [{"id": identifier, "content": text, "name": "Mara"} for identifier, text in messages]
    body = {"user_id": user, "session_id": "before", "messages": said}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def recall(api: httpx.AsyncClient, user: str, query: str) -> dict[str, object]:
    body = {"user_id": user, "session_id": "now", "query": query, "deadline_ms": 5_000}
    answer = await api.post("/v1/recall", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


async def test_what_a_request_tells_stands_first(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    for number, (request, _) in enumerate(TOLD):
        chatter = [(f"c{number}-{place}", text) for place, text in enumerate(CHATTER)]
        await store(api, f"u{number}", *chatter[:4], (f"m{number}", request), *chatter[4:])
    await gateway.digest(tenant)
    hidden = []
    for number, (request, query) in enumerate(TOLD):
        found = await recall(api, f"u{number}", query)
        memories = found["memories"]
        assert isinstance(memories, list)
        said = [one for one in memories if one["tier"] == "episodic"]
        if not said or said[0]["id"] != f"m{number}" or found["relevance"] in {None, "none"}:
            hidden.append((request, query, found["relevance"], [one["text"] for one in said[:2]]))
        if request not in str(found["context"]):
            hidden.append((request, query, found["context"], []))
    assert hidden == []


async def test_a_question_asked_again_is_no_evidence(api: httpx.AsyncClient, gateway: RealGateway, tenant: str) -> None:
    asked = [query for _, query in TOLD]
    for number, query in enumerate(asked):
        await store(api, f"u{number}", (f"q{number}", f"Can you tell me {query}"), (f"r{number}", query))
    await gateway.digest(tenant)
    found = [(await recall(api, f"u{number}", query))["relevance"] for number, query in enumerate(asked)]
    assert {*found} <= {None, "none"}  # None: nobody measured the tests' embedder
