"""Parts that the workers work with; the composition root fills them in, the stages take from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.entries.kinds import Kinds
from ragpp.extraction import Extractor
from ragpp.ledger import WorkLedger
from ragpp.ledger.erasing import ErasureLedger
from ragpp.ledger.pins import PinBoard
from ragpp.ledger.schedule import ScheduleLedger
from ragpp.ledger.views import ViewBoard
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import LanguageModel, Purpose
from ragpp.models import Scope
from ragpp.retention import EntryRetention, RetentionPolicy
from ragpp.stores.redis import AppendOnlyFile
from ragpp.text.port import TokenMeter
from ragpp.text.readers import Tokenizers
from ragpp.tiers import Tiers
from ragpp_services.workers.language.judging import Judge

Tick = Literal["extract", "reflect", "maintain", "prune"]


@dataclass(frozen=True)
class LearningPolicy:
    """The operator's decisions about learning and forgetting. `archive_below`: the confidence under which a
    relationship is archived. `retention`: a policy for each plan of users; `default` for a plan that is not named.
    `entries`: how long agents keep what they alone see; None for good; `cleanup_days`: how often that is looked at."""

    archive_below: float = 0.01
    retention: Mapping[str, RetentionPolicy] = field(default_factory=dict)
    entries: EntryRetention | None = None
    cleanup_days: int = 1


@dataclass(frozen=True)
class SchedulePolicy:
    """When something is due without anybody asking. Extraction: once a user was `quiet`, or said so many
    `interactions`, or the first of them was stored `every` so long ago. `maintain_at`: the hour in UTC from which the
    daily upkeep is due. `keep`: for how long finished work is kept, for good where it is None; `keep_audit`: the same
    of the audit; `keep_marks`: of the marks of what was forgotten. `ticks`: how many seconds apart each of them is
    looked at."""

    quiet: timedelta = timedelta(seconds=30)
    interactions: int = 20
    every: timedelta = timedelta(hours=1)
    maintain_at: int = 4
    keep: timedelta | None = None
    keep_marks: timedelta = timedelta(days=90)
    keep_audit: timedelta | None = None
    ticks: Mapping[Tick, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class WorkerParts(Tiers):
    """The tiers, and the workers' other collaborators. `models`: None without any language model.
    `append_only_file`: None where no account may have it rewritten. `reader`: reads the facts of resources, which were
    tuned on names by lists; the extractor where it is None. `judge`: tells what clauses of persons' messages are."""

    ledger: WorkLedger
    erasures: ErasureLedger
    pins: PinBoard
    views: ViewBoard
    extractor: Extractor
    embedder: Embedder
    kinds: Kinds
    clock: Clock
    learning: LearningPolicy = LearningPolicy()
    schedule: ScheduleLedger | None = None
    due: SchedulePolicy = SchedulePolicy()
    models: LanguageModels | None = None
    append_only_file: AppendOnlyFile | None = None
    reader: Extractor | None = None
    judge: Judge = field(default_factory=lambda: Judge(None))
    counter: TokenMeter = field(default_factory=lambda: Tokenizers().named())

    def model_for(self, purpose: Purpose, scope: Scope) -> LanguageModel | None:
        """The language model that the user's tenant has for that; None without one, and for a view of a memory: what a
        model makes is made of the whole, and shown in views that see all that it rests on."""
        if self.models is None or scope.view is not None:
            return None
        return self.models.of(purpose, scope.tenant_id)
