"""The limits of how long things are kept: the operator's opt-in policies, and the pure choice of what has to go.

Nothing but short-term memory, and what one agent alone sees of the catalog, expires without a policy. What is pinned
never goes. Of the catalog's resources the content is dropped, and what was taken from it stays; what an agent keeps for
itself goes as `EntryRetention` says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field, JsonValue

from ragpp.models import Value

RetainedTier = Literal["episodic", "semantic", "procedural", "catalog"]
Reason = Literal["age", "idle", "count", "bytes", "expired"]
RETAINED: tuple[RetainedTier, ...] = ("episodic", "semantic", "procedural", "catalog")
COMPRESSED_AFTER_DAYS = 90
"""The age in days from which resources are kept compressed where no policy says otherwise."""
MAX_DAYS = 36_500
MAX_KEPT = 10**15
"""The most items, or bytes, that can be asked to be kept."""


class TierRetention(Value):
    """How much of one tier is kept; None does not limit. Days are of 24 hours, in the conversations' own time.

    `max_age_days`: since it was first said. `max_idle_days`: since it was last said again; for an interaction since
    the last message of its session. `max_count`, `max_bytes`: of the latest items (UTF-8 bytes of their text).
    `compress_after_days`: raw text of that age is kept compressed, and read back byte for byte (episodic and catalog
    alone). `drop_vectors_after_days`: the vectors of what is that old are deleted for good, and it is found by its
    words alone (of the catalog's resources alone; items keep theirs).
    """

    max_age_days: float | None = Field(default=None, gt=0, le=MAX_DAYS, allow_inf_nan=False)
    max_idle_days: float | None = Field(default=None, gt=0, le=MAX_DAYS, allow_inf_nan=False)
    max_count: int | None = Field(default=None, ge=0, le=MAX_KEPT)
    max_bytes: int | None = Field(default=None, ge=0, le=MAX_KEPT)
    compress_after_days: float | None = Field(default=None, gt=0, le=MAX_DAYS, allow_inf_nan=False)
    drop_vectors_after_days: float | None = Field(default=None, gt=0, le=MAX_DAYS, allow_inf_nan=False)

    @property
    def forgets(self) -> bool:
        """True where anything may have to go."""
        limits = (self.max_age_days, self.max_idle_days, self.max_count, self.max_bytes)
        return any(limit is not None for limit in limits)


class EntryRetention(Value):
    """How long agents keep what they alone see of the catalog (document 001). `max_age_days`: since it was kept, where
    nobody said when it expires; `max_count`: of each agent, the least relevant going first; `permanent_priority`: what
    has that much, 0 to 10, stays whatever its age."""

    max_age_days: float = Field(default=7, gt=0)
    max_count: int = Field(default=1_000, ge=0)
    permanent_priority: int = Field(default=8, ge=0)


class KeptEntry(Value):
    """An entry that may have to go: of the agent that alone sees it, None where all see it and it is there for its
    `expires` alone. `worth`: what it has been worth, 0 to 1; `size`: in tokens."""

    id: str
    agent_id: str | None
    kept_at: datetime
    expires: datetime | None = None
    priority: int
    worth: float
    size: int


class RetentionPolicy(Value):
    """The limits for the users of one plan, tier by tier; without limits, everything is kept, that of the catalog
    compressed after COMPRESSED_AFTER_DAYS."""

    episodic: TierRetention = TierRetention()
    semantic: TierRetention = TierRetention()
    procedural: TierRetention = TierRetention()
    catalog: TierRetention = TierRetention(compress_after_days=COMPRESSED_AFTER_DAYS)

    def of(self, tier: RetainedTier) -> TierRetention:
        """The part that applies to `tier`."""
        parts: Mapping[RetainedTier, TierRetention] = {
            "episodic": self.episodic,
            "semantic": self.semantic,
            "procedural": self.procedural,
            "catalog": self.catalog,
        }
        return parts[tier]


@dataclass(frozen=True, slots=True)
class Kept:
    """An item that may have to go. `first_at`, `last_at`: when it was first said and last touched. `size`: in bytes.
    `needs`: ids of items without which it cannot be, such as the two ends of a relationship."""

    id: str
    kind: str
    first_at: datetime
    last_at: datetime
    size: int
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Due:
    """An item that has to go, and by which limit; the first of age, idle, count, bytes that it is over."""

    item: Kept
    reason: Reason

    def shown(self) -> dict[str, JsonValue]:
        """As a dry run lists it: never its text."""
        return {
            "id": self.item.id,
            "kind": self.item.kind,
            "reason": self.reason,
            "last_at": self.item.last_at.isoformat(),
            "bytes": self.item.size,
        }


def due(items: Iterable[Kept], limits: TierRetention, now: datetime, pinned: frozenset[str] = frozenset()) -> list[Due]:
    """Those of `items` that `limits` let go at `now`, the one touched longest ago first.

    Pinned items stay, and take their place within `max_count` and `max_bytes`: what is not pinned makes room. What an
    item that stays needs stays as well.
    Applying the choice and choosing again finds nothing more.
    """
    latest_first = sorted(items, key=lambda item: (item.last_at, item.id), reverse=True)
    staying = [item for item in latest_first if item.id in pinned]
    count, size = len(staying), sum(item.size for item in staying)
    going: list[Due] = []
    full = False
    for item in latest_first:
        if item.id in pinned:
            continue
        reason = _outlived(item, limits, now)
        if reason is None and limits.max_count is not None and count >= limits.max_count:
            reason = "count"
        if reason is None and limits.max_bytes is not None and (full or size + item.size > limits.max_bytes):
            reason, full = "bytes", True  # older and smaller ones do not slip in behind it
        if reason is None:
            count, size = count + 1, size + item.size
        else:
            going.append(Due(item, reason))
    leaving = {found.item.id for found in going}
    needed = {needed for item in latest_first if item.id not in leaving for needed in item.needs}
    return [found for found in reversed(going) if found.item.id not in needed]


def _outlived(item: Kept, limits: TierRetention, now: datetime) -> Reason | None:
    if limits.max_age_days is not None and now - item.first_at > timedelta(days=limits.max_age_days):
        return "age"
    if limits.max_idle_days is not None and now - item.last_at > timedelta(days=limits.max_idle_days):
        return "idle"
    return None


def entries_due(
    entries: Iterable[KeptEntry], limits: EntryRetention, now: datetime, pinned: frozenset[str] = frozenset()
) -> list[Due]:
    """Those of `entries` that have to go at `now`, the one kept longest ago first.

    Past its `expires` goes whatever has one; of the others those of one agent that are older than `max_age_days`, and
    of what an agent then has over `max_count` the least relevant: of the least worth, of equals of the least priority,
    of equals the oldest. What is pinned or of `permanent_priority` stays, and takes its place within `max_count`.
    """
    going: list[tuple[KeptEntry, Reason]] = []
    of_agents: dict[str, list[KeptEntry]] = {}
    for entry in entries:
        stays = entry.id in pinned or entry.priority >= limits.permanent_priority
        if not stays and entry.expires is not None and entry.expires <= now:
            going.append((entry, "expired"))
        elif entry.agent_id is None:
            continue
        elif not stays and entry.expires is None and now - entry.kept_at > timedelta(days=limits.max_age_days):
            going.append((entry, "age"))
        else:
            of_agents.setdefault(entry.agent_id, []).append(entry)
    for left in of_agents.values():
        over = max(0, len(left) - limits.max_count)
        loose = [one for one in left if one.id not in pinned and one.priority < limits.permanent_priority]
        loose.sort(key=lambda one: (one.worth, one.priority, one.kept_at, one.id))
        going += [(one, "count") for one in loose[:over]]
    going.sort(key=lambda found: (found[0].kept_at, found[0].id))
    return [Due(Kept(one.id, "entry", one.kept_at, one.kept_at, one.size), reason) for one, reason in going]
