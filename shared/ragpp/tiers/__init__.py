"""The contract of a memory tier, and the verbs that each tier has beside it: a file a protocol.

The gateway knows tiers by these protocols only, whether they live in its process or behind HTTP
(`ragpp.tierkit.remote` makes both sides of the wire from the signatures here).
"""

from ragpp.tiers.catalog import CatalogTier
from ragpp.tiers.deployment import PROTOCOLS, Tiers
from ragpp.tiers.episodic import EpisodicTier
from ragpp.tiers.memory import ERASED_AT_ONCE, MemoryTier
from ragpp.tiers.procedural import ProceduralTier
from ragpp.tiers.semantic import SemanticTier
from ragpp.tiers.short_term import ShortTermTier

__all__ = [
    "ERASED_AT_ONCE",
    "PROTOCOLS",
    "CatalogTier",
    "EpisodicTier",
    "MemoryTier",
    "ProceduralTier",
    "SemanticTier",
    "ShortTermTier",
    "Tiers",
]
