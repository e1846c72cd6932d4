"""What the workers work with; the composition root fills it, the stages take from it."""

from dataclasses import dataclass

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.extraction import Extractor
from ragpp.ledger import WorkLedger
from ragpp.tiers import EpisodicTier, ProceduralTier, SemanticTier, ShortTermTier


@dataclass(frozen=True)
class WorkerParts:
    """The workers' collaborators. Each tier is in this process or behind HTTP."""

    short_term: ShortTermTier
    episodic: EpisodicTier
    semantic: SemanticTier
    procedural: ProceduralTier
    ledger: WorkLedger
    extractor: Extractor
    embedder: Embedder
    clock: Clock
