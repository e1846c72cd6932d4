"""The catalog's stage of the workers, over a catalog, messages and a ledger in memory."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from ragpp.catalog import MemoryCategory, Resource
from ragpp.extraction import Extractor
from ragpp.ledger import Result, Work, WorkKey
from ragpp.ledger.events import RequestKind
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import PURPOSES, LanguageModel
from ragpp.models import Interaction, Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.working import work_on_catalog
from tests.support.episodic import NOON
from tests.support.kept_catalog import KeptCatalog
from tests.support.workers import parts_with

SCOPE: Final = Scope(tenant_id="t", user_id="u")
PRICES: Final = "The Basic plan costs $99 per month. What a lovely day!\n\nThe Pro plan costs $299 per month."


@dataclass
class Episodic:
    """The interactions that there are."""

    said: dict[str, Interaction] = field(default_factory=dict)

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        del scope
        return [self.said[one] for one in ids if one in self.said]


@dataclass
class Ledger:
    """The category that somebody asked for, and what the stage asks for itself."""

    hint: str | None = None
    asked: list[Result] = field(default_factory=list)

    async def category_hint(self, scope: Scope, resource_id: str) -> str | None:
        del scope, resource_id
        return self.hint

    async def request(
        self, scope: Scope, kind: RequestKind, subject_id: str, payload: Result, occurred_at: datetime, *, anew: bool
    ) -> int:
        del scope, kind, subject_id, occurred_at, anew
        self.asked.append(payload)
        return len(self.asked)


@dataclass
class Erasures:
    """How far works were told to be."""

    told: list[int] = field(default_factory=list)

    async def progress(self, work: Work, done: int) -> None:
        del work
        self.told.append(done)


class Forgets:
    """A tier of which everything was forgotten before."""

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        del scope
        return len(ids)

    async def forget_sources(self, scope: Scope, ids: Collection[str]) -> int:
        del scope
        return len(ids)

    async def unpin(self, scope: Scope, tier: str, ids: Collection[str]) -> int:
        del scope, tier
        return len(ids)


def parts_of(extractor: Extractor, catalog: KeptCatalog, *said: Interaction, **more: object) -> WorkerParts:
    episodic = Episodic({one.id: one for one in said})
    given = {"ledger": Ledger(), "erasures": Erasures(), "clock": lambda: NOON, **more}
    return parts_with(catalog=catalog, episodic=episodic, extractor=extractor, **given)


def models(model: LanguageModel) -> LanguageModels:
    return LanguageModels(dict.fromkeys(PURPOSES, model), InMemoryBudget(lambda: NOON), concurrency=1)


def work(**payload: JsonValue) -> Work:
    return Work(WorkKey(1, "catalog"), SCOPE, "catalog.requested", "s", NOON, 1, payload)


async def done(parts: WorkerParts, asked: Work) -> Mapping[str, JsonValue]:
    return (await work_on_catalog(parts, [asked]))[asked.key]


def document(content: str = PRICES, **more: object) -> Resource:
    given = {"resource_id": "res_1", "resource_type": "document", "occurred_at": NOON, "created_at": NOON, **more}
    return Resource.model_validate({"content": content, **given})


def category(**more: object) -> MemoryCategory:
    given = {"category_id": "cat_1", "name": "prices", "description": "What the plans cost.", "updated_at": NOON}
    return MemoryCategory.model_validate(
        {"markdown_content": "# Prices", "item_count": 2, "new_items": 2, **given, **more}
    )
