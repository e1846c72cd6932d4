"""The parts of the gateway; the composition root puts them together, the routes take from them."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragpp.catalog import RESOURCE_TYPES
from ragpp.clock import Clock
from ragpp.entries.kinds import Kinds
from ragpp.ledger.catalog_events import CatalogEvents
from ragpp.ledger.jobs import JobLedger
from ragpp.ledger.pins import PinBoard
from ragpp.ledger.policies import PolicyBoard
from ragpp.ledger.views import ViewBoard
from ragpp.llm.metered import LanguageModels
from ragpp.retention import EntryRetention
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.port import ReaderMeter
from ragpp.text.readers import Tokenizers
from ragpp.tiers import Tiers
from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.catalog.caching import CandidateCache
from ragpp_services.gateway.identity import Identity
from ragpp_services.gateway.intake import Intake, KnowledgeIntake
from ragpp_services.gateway.limits import RequestLimits
from ragpp_services.gateway.personal.choices import UserChoices
from ragpp_services.gateway.recall import Recaller
from ragpp_services.gateway.store import GatewayStore
from ragpp_services.gateway.traffic import Traffic
from ragpp_services.gateway.trail import AuditTrail

if TYPE_CHECKING:
    from ragpp_services.gateway.health import HealthReporter  # which tries out what is made of parts


@dataclass(frozen=True, kw_only=True)
class Parts(Tiers):
    """The tiers, and the gateway's other collaborators.

    `tenant_keys`: valid ones that a tenant may have; 0: no limit. `max_injection_tokens`: of memory in a turn of an
    agent of which nobody said; `entry_limits`: of what one agent alone sees. `review_below`: what is learned with less
    confidence waits to be judged. `resource_types`: those that a resource may have. `record_retrievals`: questions to
    the catalog become events. `models`: those for retrieval, None where none is configured; `retrieval_timeout_s`:
    longest wait for one of them.
    """

    intake: Intake
    knowledge: KnowledgeIntake
    recaller: Recaller
    identity: Identity
    keys: GatewayStore
    audit: Audit
    trail: AuditTrail
    jobs: JobLedger
    events: CatalogEvents
    pins: PinBoard
    marks: SourceMarks
    clock: Clock
    tokenizers: Tokenizers
    choices: UserChoices
    policies: PolicyBoard
    views: ViewBoard
    kinds: Kinds
    candidates: CandidateCache
    limits: RequestLimits
    health: "HealthReporter"
    traffic: Traffic
    version: str
    tenant_keys: int = 10_000
    max_injection_tokens: int = 2_000
    entry_limits: EntryRetention = field(default_factory=EntryRetention)
    review_below: float = 0.5
    record_retrievals: bool = False
    resource_types: tuple[str, ...] = RESOURCE_TYPES
    models: LanguageModels | None = None
    retrieval_timeout_s: float = 20.0

    @property
    def counter(self) -> ReaderMeter:
        """The meter that budgets are counted with where nobody names a tokenizer."""
        return self.tokenizers.named()
