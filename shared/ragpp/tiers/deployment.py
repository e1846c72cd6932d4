"""The tiers of a deployment, by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_type_hints

from ragpp.models import TierName
from ragpp.tiers.catalog import CatalogTier
from ragpp.tiers.episodic import EpisodicTier
from ragpp.tiers.memory import MemoryTier
from ragpp.tiers.procedural import ProceduralTier
from ragpp.tiers.semantic import SemanticTier
from ragpp.tiers.short_term import ShortTermTier


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """The tiers of a deployment, each in this process or behind HTTP; nothing that uses them can tell."""

    short_term: ShortTermTier
    episodic: EpisodicTier
    semantic: SemanticTier
    procedural: ProceduralTier
    catalog: CatalogTier

    def by_name(self) -> dict[TierName, MemoryTier]:
        """All of them by name, in the order above."""
        return {name: getattr(self, name) for name in PROTOCOLS}


PROTOCOLS = cast("Mapping[TierName, type[MemoryTier]]", get_type_hints(Tiers))
"""The protocol of each tier of a deployment."""
