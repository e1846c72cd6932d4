"""The workers' composition root: settings are read here, and a Celery worker is run around the runtime."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from celery.signals import setup_logging, worker_shutting_down

from ragpp.clock import system_clock
from ragpp.embedding import Embedder
from ragpp.embedding.factory import graph_folder
from ragpp.embedding.second import usable
from ragpp.entries.kinds import Kinds
from ragpp.entries.values import PATTERNS
from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.extraction.pipeline import blank_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.ledger import WorkLedger
from ragpp.ledger.erasing import ErasureLedger
from ragpp.ledger.pins import PinBoard
from ragpp.ledger.schedule import ScheduleLedger
from ragpp.ledger.views import ViewBoard
from ragpp.llm.budget import PostgresBudget
from ragpp.llm.factory import make_language_models
from ragpp.observability.metrics import count_if, language_model_called
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
    RedisSettings,
    TierSettings,
    TracingSettings,
)
from ragpp.settings.variables import Settings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import create_pool, ensure_open, measured_pool
from ragpp.stores.redis import AppendOnlyFile
from ragpp.tierkit.app import open_tools
from ragpp.tierkit.deployment import OpenTiers
from ragpp_services.workers.language.classifier import usable_classifier
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy, WorkerParts
from ragpp_services.workers.running.digest import STAGES
from ragpp_services.workers.running.heartbeat import Heartbeat
from ragpp_services.workers.running.measuring import serve_metrics
from ragpp_services.workers.running.runtime import Runtime
from ragpp_services.workers.settings import WorkerSettings
from ragpp_services.workers.tasks import RuntimeSlot, leave_hint, make_celery

THREADS: Final = sum(stage.at_once for stage in STAGES.values()) + 2
"""One for each batch that may be under way, and two for hints that find all threads of their stage taken."""
NICENESS: Final = 15
WARMING: Final = "My friend Ann moved to Oslo last May, and I decided to call her on Monday because I like long walks."
"""A sentence that most rules of extraction look at: what they load, they load once."""
SETTINGS: Final[tuple[type[Settings], ...]] = (
    *(
        LogSettings,
        MetricsSettings,
        TracingSettings,
        PostgresSettings,
        RedisSettings,
        WorkerSettings,
        EntrySettings,
        EmbeddingSettings,
    ),
    *(ForgettingSettings, LanguageModelSettings, LearningSettings, ReaderSettings, TierSettings),
)
"""The settings that a worker reads, so that a value that is wrong is told before it starts."""
AUTOGROUP: Final = Path("/proc/self/autogroup")
_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def open_parts(open_tiers: OpenTiers) -> AsyncIterator[WorkerParts]:
    """Everything that the stages need, from the environment's settings."""
    postgres = PostgresSettings()
    if postgres.relay_dsn is None:
        raise ConfigurationError("POSTGRES_RELAY_DSN is not set")
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing(TracingSettings(), "worker"))
        learning, worker, forgetting = LearningSettings(), WorkerSettings(), ForgettingSettings()
        entries = EntrySettings()
        tools = await stack.enter_async_context(open_tools())
        extractor, embedder = SpacyExtractor(), tools.embedder()
        kinds = Kinds(embedder, entries.extraction_patterns or PATTERNS)
        await _warm(extractor, embedder, kinds)
        tiers = await stack.enter_async_context(open_tiers(tools))
        pool = create_pool(postgres, dsn=postgres.relay_dsn.get_secret_value(), vectors=False)
        await ensure_open(pool)
        stack.push_async_callback(pool.close)
        await stack.enter_async_context(measured_pool(pool, "ledger"))
        language = LanguageModelSettings()
        budget = PostgresBudget(pool, system_clock, tokens_per_day=language.tokens_per_day)
        models = make_language_models(language, budget, called=language_model_called)
        if models is not None:
            stack.push_async_callback(models.close)
        redis = RedisSettings()
        append_only_file = None
        if redis.rewrite_url is not None:
            append_only_file = AppendOnlyFile(redis.rewrite_url.get_secret_value(), timeout_s=redis.timeout_s)
            stack.push_async_callback(append_only_file.aclose)
        yield WorkerParts(
            **vars(tiers),
            ledger=WorkLedger(pool, system_clock),
            erasures=ErasureLedger(pool, SourceMarks(forgetting.key)),
            pins=PinBoard(pool, system_clock),
            views=ViewBoard(pool),
            learning=LearningPolicy(
                archive_below=learning.archive_below,
                retention=learning.retention,
                entries=entries.limits,
                cleanup_days=entries.cleanup_interval_hours // 24,
            ),
            extractor=extractor,
            reader=SpacyExtractor(load=blank_pipeline),
            judge=Judge(
                await usable(tools.second()), classifier=await usable_classifier(graph_folder(EmbeddingSettings()))
            ),
            embedder=embedder,
            kinds=kinds,
            clock=system_clock,
            models=models,
            append_only_file=append_only_file,
            counter=tools.tokenizers.named(),
            schedule=ScheduleLedger(pool, system_clock) if worker.schedule else None,
            due=SchedulePolicy(
                quiet=timedelta(seconds=worker.extract_quiet_s),
                interactions=worker.extract_interactions,
                every=timedelta(seconds=worker.extract_every_s),
                maintain_at=worker.maintain_at,
                keep=timedelta(days=worker.keep_days) if worker.keep_days else None,
                keep_marks=timedelta(days=forgetting.keep_days),
                keep_audit=timedelta(days=worker.keep_audit_days) if worker.keep_audit_days else None,
                ticks={
                    "extract": worker.tick_s,
                    "reflect": worker.nightly_tick_s,
                    "maintain": worker.nightly_tick_s,
                    "prune": worker.nightly_tick_s,
                },
            ),
        )


async def _warm(extractor: SpacyExtractor, embedder: Embedder, kinds: Kinds) -> None:
    """Load what the first work would load, before others wait for it. What cannot be loaded now fails the works that
    need it, each with its error, or mends itself."""
    for loading in (
        asyncio.to_thread(extractor.extract, WARMING, speaker=None),
        embedder.warm(),
        kinds.of([WARMING]),
    ):
        try:
            await loading
        except MemorySystemError as error:
            _log.warning("worker.not_warm", error=safe_summary(error))


def _be_nice() -> None:
    """Lower this process's priority, and its session's: where Linux groups processes by session, it weighs sessions
    against each other and niceness only counts within one."""
    os.nice(NICENESS)
    with suppress(OSError):
        AUTOGROUP.write_text(str(NICENESS), encoding="ascii")


def _leave_logging(**_: object) -> None:
    """Keep Celery from setting the level of everybody's logs; its own say what went wrong and no more."""
    logging.getLogger("celery").setLevel(logging.WARNING)


def run_worker(open_tiers: OpenTiers, *, concurrency: int) -> None:
    """Run a Celery worker with threads until it is told to stop; one event loop serves all its tasks.

    The process makes itself nicer than those that answer users: digesting may wait for them, never they for it.
    A store or broker that is down only delays. Raises MemorySystemError for what no waiting mends, such as a setting
    that is missing or vectors of another model.
    """
    _be_nice()
    redis = RedisSettings()
    slot = RuntimeSlot()
    app = make_celery(redis.url.get_secret_value(), redis.key_prefix, slot)

    heartbeat, served = Heartbeat(WorkerSettings().heartbeat), serve_metrics(MetricsSettings())
    count_if(served is not None)
    runtime = Runtime(lambda: open_parts(open_tiers), partial(leave_hint, app), heartbeat, measures=served is not None)

    def stop(**_: object) -> None:
        slot.runtime = None
        runtime.stop()
        if served is not None:
            served.stop()

    runtime.start()
    slot.runtime = runtime
    worker_shutting_down.connect(stop, weak=False)
    setup_logging.connect(_leave_logging, weak=False)
    app.worker_main(
        [
            "worker",
            "--pool=threads",
            f"--concurrency={concurrency}",
            f"--queues={','.join(STAGES)}",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--loglevel=WARNING",
        ]
    )
