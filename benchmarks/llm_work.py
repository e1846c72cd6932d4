"""All that a language model is asked for, of one user, through the public API: what came of each, and what is kept."""

import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from benchmarks.waiting import digested
from ragpp.api import (
    CategoryIn,
    ConsolidateIn,
    ExtractIn,
    ExtractResourceIn,
    MessageIn,
    ResourceIn,
    RetrieveRequest,
    StoreRequest,
)
from ragpp.catalog import RetrievalMode
from ragpp.client import AsyncMemoryClient
from ragpp.errors import RetrievalError
from ragpp.jobs import Job
from ragpp.models import Role
from ragpp.paging import PAGE, read_all
from ragpp_infra.cli.inspect_command import Known, known_of

SESSION: Final = "kitchen"
CATEGORY: Final = "plans"
SAID: Final[tuple[tuple[Role, str], ...]] = (
    ("user", "My sister Elena lives in Porto, and she works at Harbour Clinic."),
    ("assistant", "Noted: Elena lives in Porto."),
    ("user", "I prefer tea over coffee, and I like my answers short."),
    ("assistant", "Tea it is, and short answers."),
    ("user", "I decided to sell the boat in May, because the mooring got too dear."),
    ("user", "Please always answer in bullet points from now on."),
    ("assistant", "I will use bullet points."),
    ("user", "The kitchen is being rebuilt, and the plumber comes on Thursday."),
    ("user", "The tiles for the kitchen are green, from a shop in Braga."),
    ("assistant", "Green tiles, then."),
    ("user", "The plumber wants 900 euros for the kitchen, and half of it first."),
    ("user", "I go swimming each Friday with my brother Marco."),
)
DOCUMENT: Final = """\
The Basic plan costs 19 euros a month.
The Pro plan costs 79 euros a month.
Oakhurst cancelled the Pro plan in March, because the reports were too slow.
The trial lasts 30 days and needs no credit card.
"""
QUESTION: Final = "What does the Pro plan cost?"
WHY: Final = "Why did Oakhurst cancel the Pro plan?"
BEGIN: Final = datetime(2026, 3, 9, 9, tzinfo=UTC)
ANSWERED: Final = "answered"
PATIENCE_S: Final = 3_600.0
"""For one task; on a busy machine a model that finds no end takes long."""
TASKS: Final = ("extract", "facts", "page", "llm", "hybrid")
"""The tasks of which the API itself says who did them, each asked by the prompt of PROMPTS."""
PROMPTS: Final = ("extract.v2", "facts.v1", "consolidate.v1", "choose.v1", "choose.v1")


@dataclass
class Came:
    """The outcome of the work. `of`: by task, `answered` or why not, in the API's words; `seconds` of each; `undone`:
    jobs that did not end well; `missing`: ids of messages that are not there; `learned`: by kind, what is known then;
    `unborne`: of that, what rests on no message; `texts`: by task, what is shown."""

    of: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    undone: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    learned: dict[str, frozenset[str]] = field(default_factory=dict)
    unborne: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


class Work:
    """The work for one user."""

    def __init__(self, client: AsyncMemoryClient, user: str) -> None:
        self._client, self._user, self.came = client, user, Came()

    async def do(self) -> Came:
        """Tell, and ask for everything; each waits for the one before."""
        await self._tell()
        await self._job("extract", self._client.extract(self._user, ExtractIn(start=BEGIN - timedelta(days=1))))
        await self._curate()
        await self._retrieve(RetrievalMode.LLM, QUESTION)
        await self._retrieve(RetrievalMode.HYBRID, WHY)
        await self._job("reflect", self._client.reflect(self._user))
        await self._look()
        return self.came

    async def _tell(self) -> None:
        began = time.perf_counter()
        for number, (role, content) in enumerate(SAID):
            at = BEGIN + timedelta(minutes=number)
            message = MessageIn(id=f"m{number}", role=role, content=content, occurred_at=at)
            await self._client.remember(StoreRequest(user_id=self._user, session_id=SESSION, messages=(message,)))
        await digested(self._client, self._user, timeout_s=PATIENCE_S, pause_s=1)
        self.came.seconds["summary"] = time.perf_counter() - began
        self.came.texts["summary"] = (await self._client.session(self._user, SESSION)).summary

    async def _curate(self) -> None:
        await self._client.create_category(
            CategoryIn(user_id=self._user, name=CATEGORY, description="Plans and prices")
        )
        stored = await self._client.store_resource(
            ResourceIn(user_id=self._user, resource_type="document", content=DOCUMENT, extract=False)
        )
        asked = ExtractResourceIn(user_id=self._user, category_hint=CATEGORY)
        await self._job("facts", self._client.extract_resource(stored.resource.resource_id, asked))
        page = ConsolidateIn(user_id=self._user, force=True)
        await self._job("page", self._client.consolidate_category(CATEGORY, page))
        self.came.texts["page"] = (await self._client.category(CATEGORY, user_id=self._user)).markdown_content

    async def _retrieve(self, mode: RetrievalMode, question: str) -> None:
        began = time.perf_counter()
        asked = RetrieveRequest(user_id=self._user, query=question, mode=mode, k=3)
        try:
            found = await self._client.retrieve(asked)
        except RetrievalError as error:
            self.came.of[mode] = str(error.message)
        else:
            by_model = found.mode_used == RetrievalMode.LLM
            self.came.of[mode] = ANSWERED if by_model else str(found.escalation_reason)
            self.came.texts[mode] = "; ".join(item.content for item in found.items)
        self.came.seconds[mode] = time.perf_counter() - began

    async def _job(self, task: str, asked: Awaitable[Job]) -> None:
        began = time.perf_counter()
        job = await self._client.ended_job((await asked).id, timeout_s=PATIENCE_S)
        self.came.seconds[task] = time.perf_counter() - began
        result = job.result or {}
        if job.state != "done":
            self.came.undone.append(f"{task} is {job.state}: {job.error}")
        if "fallback" in result:
            self.came.of[task] = ANSWERED if result["fallback"] is None and result["model"] else str(result["fallback"])

    async def _look(self) -> None:
        client, user = self._client, self._user
        told = await read_all(lambda cursor: client.interactions(user, cursor=cursor, limit=PAGE), most=PAGE)
        ids = {f"m{number}" for number in range(len(SAID))}
        self.came.missing = sorted(ids - {one.id for one in told})
        known = await known_of(client, user)
        self.came.learned = learned_of(known) | {"summary": frozenset({self.came.texts["summary"]})}
        resting = {one.id: one.sources for one in known.relationships}
        resting |= {one.id: one.sources for one in known.preferences}
        resting |= {one.id: one.sources for one in known.findings}
        resting |= {one.id: one.sources for one in known.rules}
        self.came.unborne = [id_ for id_, sources in resting.items() if not (sources and ids.issuperset(sources))]
        self.came.texts["themes"] = "; ".join(theme.text for one in known.reflections for theme in one.themes)
        self.came.texts["rules"] = "; ".join(rule.text for rule in known.rules)


def learned_of(known: Known) -> dict[str, frozenset[str]]:
    """The known things by kind, in words that are the same for two users who said the same."""
    return {
        "relationships": frozenset(f"{one.source} {one.type} {one.target}" for one in known.relationships),
        "preferences": frozenset(f"{one.category} {one.key}: {one.value}" for one in known.preferences),
        "rules": frozenset(one.text for one in known.rules),
        "findings": frozenset(f"{one.finding}: {one.text}" for one in known.findings),
        "facts": frozenset(one.content for one in known.items),
        "themes": frozenset(theme.text for one in known.reflections for theme in one.themes),
    }
