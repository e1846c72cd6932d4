"""A message that is remembered goes to each tier as that tier uses it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, cast

import httpx

from ragpp.api import MessageIn, StoreRequest
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.ledger.policies import Chosen
from ragpp.models import MemoryQuery, Scope
from ragpp.redacting import Redaction
from ragpp.redaction import SECRETS
from ragpp.testing.tiers import InMemoryTier
from ragpp.tierkit.remote import remote_tier, tier_app
from ragpp.tiers import MemoryTier
from ragpp_services.gateway.intake import Intake
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.personal.choices import UserChoices
from ragpp_services.gateway.remembering import keep
from tests.support.scopes import new_scope
from tests.support.tokens import COUNTER, TOKENIZERS

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
SAID: Final = "My sister Elena moved to Porto last spring. " * 200


async def unset(_scope: Scope) -> Chosen:
    return Chosen()


@dataclass(frozen=True)
class Gateway:
    """The parts by which messages are kept."""

    episodic: MemoryTier
    short_term: MemoryTier
    intake: Intake = field(
        default_factory=lambda: Intake(Redaction(SECRETS), COUNTER, TOKENIZERS.named(), HashingEmbedder(), lambda: NOW)
    )
    choices: UserChoices = field(default_factory=lambda: UserChoices(unset, lambda _: b"", lambda: 0.0))


@asynccontextmanager
async def over_http(local: InMemoryTier, bodies: list[bytes]) -> AsyncIterator[MemoryTier]:
    """`local` behind HTTP; what it is sent is added to `bodies`."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[InMemoryTier]:
        yield local

    async def noted(request: httpx.Request) -> None:
        bodies.append(request.content)

    app = tier_app(MemoryTier, opened, "credential")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app),
            base_url="http://tier",
            headers={"authorization": "Bearer credential"},
            event_hooks={"request": [noted]},
        ) as client,
    ):
        yield remote_tier(MemoryTier, local.name, client)


async def test_the_running_conversation_is_sent_no_vectors_which_it_never_reads() -> None:
    scope, episodic, short_term = new_scope(), InMemoryTier("episodic"), InMemoryTier("short_term")
    sent: list[bytes] = []
    said = StoreRequest(user_id=scope.user_id, messages=(MessageIn(id="m1", content=SAID),))
    async with over_http(short_term, sent) as remote:
        await keep(cast("Parts", Gateway(episodic, remote)), scope, said)
        (found,) = await remote.retrieve(MemoryQuery(scope=scope, text="Porto"))
    assert found.text == SAID
    kept, appended = (tier._rows[scope.user_key]["m1"] for tier in (episodic, short_term))
    assert kept.chunks
    assert appended == kept.without_chunks
    assert len(sent[0]) < 2 * len(SAID)
