"""What the gateway is made of; the composition root fills it, the routes take from it."""

from dataclasses import dataclass

from ragpp.clock import Clock
from ragpp.ledger.jobs import JobLedger
from ragpp.ledger.pins import PinBoard
from ragpp.stores.forgetting import SourceMarks
from ragpp.tiers import EpisodicTier, ProceduralTier, SemanticTier, ShortTermTier
from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.identity import Identity
from ragpp_services.gateway.intake import Intake
from ragpp_services.gateway.recall import Recaller


@dataclass(frozen=True)
class Parts:
    """The gateway's collaborators. Each tier is in this process or behind HTTP; nothing here can tell.

    `review_below`: what is learned with less confidence waits to be judged.
    """

    short_term: ShortTermTier
    episodic: EpisodicTier
    semantic: SemanticTier
    procedural: ProceduralTier
    intake: Intake
    recaller: Recaller
    identity: Identity
    audit: Audit
    jobs: JobLedger
    pins: PinBoard
    marks: SourceMarks
    clock: Clock
    max_body_bytes: int
    version: str
    review_below: float = 0.5
