"""The gateway's composition root: settings are read here, and the tiers are put behind one API."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Final, cast
from uuid import uuid4

import structlog
from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.routing import Route

from ragpp.catalog import RESOURCE_TYPES
from ragpp.clock import system_clock
from ragpp.embedding.second import usable
from ragpp.entries.kinds import Kinds
from ragpp.entries.values import PATTERNS
from ragpp.errors import MemorySystemError
from ragpp.extraction.query import query_entities
from ragpp.ledger.catalog_events import CatalogEvents
from ragpp.ledger.jobs import JobLedger
from ragpp.ledger.pins import PinBoard
from ragpp.ledger.policies import PolicyBoard
from ragpp.ledger.scratch import ScratchLedger
from ragpp.ledger.views import ViewBoard
from ragpp.llm.budget import PostgresBudget
from ragpp.llm.factory import make_language_models
from ragpp.llm.port import Purpose
from ragpp.models import Scope
from ragpp.observability.metrics import language_model_called
from ragpp.observability.tracing import tracing
from ragpp.settings import (
    EmbeddingSettings,
    EntrySettings,
    ForgettingSettings,
    LanguageModelSettings,
    LearningSettings,
    LogSettings,
    MetricsSettings,
    PostgresSettings,
    ReaderSettings,
    TierSettings,
    TracingSettings,
)
from ragpp.settings.variables import Settings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import create_pool, ensure_open, measured_pool
from ragpp.tierkit.app import open_tools
from ragpp.tierkit.deployment import OpenTiers, open_tiers
from ragpp.tiers import ProceduralTier, SemanticTier, ShortTermTier
from ragpp.web import problems
from ragpp.web.metrics import install_metrics
from ragpp.web.requests import RequestMiddleware
from ragpp_services.gateway.assistants import Assistants
from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.catalog.caching import InProcessCandidates
from ragpp_services.gateway.counting import watched
from ragpp_services.gateway.describing import complete_description
from ragpp_services.gateway.front import front
from ragpp_services.gateway.health import HealthReporter, KeptReports
from ragpp_services.gateway.identity import Identity
from ragpp_services.gateway.intake import Intake, KnowledgeIntake, Redaction
from ragpp_services.gateway.limits import RequestLimits
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.paths import EscapedAddressMiddleware
from ragpp_services.gateway.personal.choices import UserChoices
from ragpp_services.gateway.personal.holding import HeldRedactor
from ragpp_services.gateway.recall import Recaller
from ragpp_services.gateway.recording import AuditMiddleware
from ragpp_services.gateway.refusals import Refusals
from ragpp_services.gateway.routes import (
    accesses,
    agents,
    categories,
    entries,
    events,
    files,
    findings,
    forgetting,
    graph,
    health,
    hooks,
    interactions,
    items,
    jobs,
    keys,
    learning,
    personal,
    procedural,
    recall,
    redacting,
    reflections,
    resources,
    retention,
    retrieve,
    review,
    sessions,
    users,
)
from ragpp_services.gateway.settings import GatewaySettings
from ragpp_services.gateway.store import GatewayStore
from ragpp_services.gateway.traffic import Traffic
from ragpp_services.gateway.trail import AuditTrail
from ragpp_services.gateway.views import ViewedProcedural, ViewedSemantic, ViewedShortTerm

_DESCRIPTION: Final = """Memory for AI agents: write what was said, recall what matters, within a budget of tokens and
a deadline. Every request carries `Authorization: Bearer <key>`; every error is a problem document (RFC 9457)."""
SETTINGS: Final[tuple[type[Settings], ...]] = (
    *(
        LogSettings,
        MetricsSettings,
        TracingSettings,
        PostgresSettings,
        GatewaySettings,
        EntrySettings,
        EmbeddingSettings,
    ),
    *(ForgettingSettings, LanguageModelSettings, LearningSettings, ReaderSettings, TierSettings),
)
"""The settings that the gateway reads, so that a value that is wrong is told before it starts."""
RETRIEVAL: Final[tuple[Purpose, ...]] = ("retrieval",)
_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_parts(open_tiers_: OpenTiers) -> AsyncIterator[Parts]:
    """Everything that the routes need, from the environment's settings."""
    postgres, gateway, entries = PostgresSettings(), GatewaySettings(), EntrySettings()
    learning = LearningSettings()
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing(TracingSettings(), "gateway"))
        tools = await stack.enter_async_context(open_tools())
        embedder = tools.embedder()
        tiers = await stack.enter_async_context(open_tiers_(tools))
        await stack.enter_async_context(watched(tiers.by_name()))
        pool = create_pool(postgres, vectors=False)
        await ensure_open(pool)
        stack.push_async_callback(pool.close)
        await stack.enter_async_context(measured_pool(pool, "gateway", "audit"))
        language = LanguageModelSettings()
        budget = PostgresBudget(pool, system_clock, tokens_per_day=language.tokens_per_day)
        models = make_language_models(language, budget, purposes=RETRIEVAL, called=language_model_called)
        if models is not None:
            stack.push_async_callback(models.close)
        marks = SourceMarks(ForgettingSettings().key)
        store = GatewayStore(pool, marks)
        audit = Audit(gateway.audit_spool, store.insert_accesses, Refusals(system_clock, time.monotonic))
        audit.start()
        stack.push_async_callback(audit.stop)
        redaction = Redaction(HeldRedactor())
        asked, views = JobLedger(pool, system_clock, marks), ViewBoard(pool)

        async def begin_view(scope: Scope) -> None:
            await views.begin(scope, 0)  # before whoever builds it looks
            subject, now = f"view:{uuid4().hex}", system_clock()
            job = await asked.request(scope, "maintain.requested", subject, {"task": "views"}, now)
            await views.begin(scope, int(job.id.partition(".")[0]))

        tiers = replace(
            tiers,
            short_term=cast("ShortTermTier", ViewedShortTerm(tiers.short_term, views)),
            semantic=cast("SemanticTier", ViewedSemantic(tiers.semantic, views, begin_view)),
            procedural=cast("ProceduralTier", ViewedProcedural(tiers.procedural, views, begin_view)),
        )
        policies = PolicyBoard(pool, system_clock)
        choices = UserChoices(policies.chosen, marks.mask_key, time.monotonic)
        recaller = Recaller(
            tiers.by_name(),
            tiers.episodic,
            embedder,
            query_entities,
            tools.tokenizers,
            system_clock,
            deadline_ms=gateway.deadline_ms,
            token_budget=gateway.token_budget,
            second=await usable(tools.second(), questions=True),
            zone_of=choices.zone_of,
        )
        health_ = HealthReporter(ScratchLedger(pool, marks), KeptReports(pool), learning.retention)
        stack.push_async_callback(health_.close)
        await tools.tokenizers.ready()
        try:
            await embedder.warm()
        except MemorySystemError as error:  # recalls search by words until it answers
            _log.warning("embedder.not_warm", error=error.message)
        yield Parts(
            **vars(tiers),
            intake=Intake(redaction, tools.counter, tools.tokenizers.named(), embedder, system_clock),
            knowledge=KnowledgeIntake(redaction, embedder, system_clock),
            recaller=recaller,
            identity=Identity(store, time.monotonic, timeout_s=gateway.identity_timeout_s),
            keys=store,
            audit=audit,
            trail=AuditTrail(pool, marks),
            jobs=asked,
            choices=choices,
            policies=policies,
            views=views,
            events=CatalogEvents(pool, system_clock, marks),
            pins=PinBoard(pool, system_clock),
            marks=marks,
            clock=system_clock,
            tokenizers=tools.tokenizers,
            candidates=InProcessCandidates(time.monotonic),
            kinds=Kinds(embedder, entries.extraction_patterns or PATTERNS),
            max_injection_tokens=entries.max_injection_tokens,
            entry_limits=entries.limits,
            health=health_,
            limits=RequestLimits(
                gateway.max_body_bytes,
                gateway.max_messages,
                gateway.max_characters,
                gateway.max_metadata,
                gateway.body_timeout_s,
            ),
            traffic=Traffic(
                time.monotonic,
                per_s=gateway.key_requests_per_s,
                burst=gateway.key_burst,
                at_once=gateway.key_requests_at_once,
                key_bytes=gateway.key_body_bytes_at_once,
                all_bytes=gateway.body_bytes_at_once,
            ),
            tenant_keys=gateway.tenant_keys,
            version=version("ragpp"),
            review_below=learning.review_below,
            record_retrievals=gateway.record_retrievals,
            resource_types=(*RESOURCE_TYPES, *gateway.resource_types),
            models=models,
            retrieval_timeout_s=gateway.retrieval_timeout_s,
        )


def create_app(open_parts_: Callable[[], AbstractAsyncContextManager[Parts]]) -> FastAPI:
    """The public API; `open_parts_` is entered at start and left at shutdown."""

    assistants = Assistants("/mcp")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_parts_() as parts:
            app.state.parts = parts
            try:
                yield
            finally:
                await assistants.close()

    app = FastAPIOffline(  # its pages come with the installation, not from a CDN
        docs_url="/docs",
        redoc_url=None,
        static_url="/docs/assets",
        title="RAG++",
        version=version("ragpp"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    problems.install(app)
    app.add_middleware(AuditMiddleware)
    app.add_middleware(EscapedAddressMiddleware)
    app.add_middleware(RequestMiddleware)  # around all others: what they refuse is logged, too
    learned = (graph, procedural, review, findings, reflections)
    catalog = (resources, items, entries, files, categories, retrieve, events, learning, hooks, agents)
    upkeep = (retention, users, personal, jobs, keys, accesses, health)
    for module in (interactions, recall, forgetting, redacting, sessions, *learned, *catalog, *upkeep):
        app.include_router(module.router)
    app.include_router(health.keyed)
    app.router.routes.append(Route("/", front, include_in_schema=False))
    app.router.routes.append(Route(assistants.path, assistants, methods=["POST"], include_in_schema=False))
    install_metrics(app, MetricsSettings())
    complete_description(app, GatewaySettings())
    return app


def create_gateway() -> FastAPI:
    """The gateway alone, its tiers behind HTTP."""
    return create_app(lambda: open_parts(lambda tools: open_tiers(TierSettings(), tools)))
