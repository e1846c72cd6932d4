"""Settings of the semantic tier."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from ragpp.fading import FADES
from ragpp.settings.variables import Settings


class SemanticSettings(Settings):
    """Bounds and rates of the graph. A bound on edges keeps a recall's time flat, however much an entity has."""

    model_config = SettingsConfigDict(env_prefix="SEMANTIC_", frozen=True)

    seeds: int = Field(default=12, ge=1, le=100, description="Entities that a query starts from.")
    near: int = Field(default=6, ge=0, le=50, description="Of them at most so many found by meaning.")
    similarity_floor: float = Field(default=0.3, ge=-1, le=1, description="Least cosine of an entity found by meaning.")
    scanned: int = Field(
        default=1_000, ge=0, le=100_000, description="Entities compared with a query's meaning, at most."
    )
    shortlist: int = Field(default=32, ge=1, le=10_000, description="Of them at most so many compared exactly.")
    first_hop: int = Field(
        default=300, ge=1, le=100_000, description="Relationships looked at for one entity, latest first."
    )
    second_hop: int = Field(default=12, ge=0, le=10_000, description="The same for an entity that is one hop away.")
    bridges: int = Field(
        default=8, ge=0, le=10_000, description="Entities one hop away whose relationships are looked at."
    )
    candidates: int = Field(default=60, ge=1, le=1_000, description="Relationships that the graph hands over to rank.")
    decay_per_day: float = Field(
        default=FADES, gt=0, le=1, description="Of what passes; ragpp/fading.py has the rates of what lasts."
    )
    first_confidence: float = Field(default=0.6, ge=0, le=1, description="After the first mention.")
    confidence_step: float = Field(default=0.1, ge=0, le=1, description="Added by each further one.")
