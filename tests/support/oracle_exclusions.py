"""The things that the oracle does not compare, and why: one table, which the reading uses and the proof prints.

Whatever a store holds for a user and is not in this table is compared, also what a later migration adds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Exclusion:
    """`place`: a table, a label or type of the graph, or an area of Valkey's keys; `*` for every one. `fields`: of it;
    none for all of it."""

    place: str
    fields: tuple[str, ...]
    reason: str


EXCLUSIONS: Final = (
    Exclusion("*", ("tenant_id", "user_id", "scope"), "whose it is: the witness is another tenant's user"),
    Exclusion("episodic.interactions", ("ordinal", "event_id"), "ordinals: of arrival among everybody's messages"),
    Exclusion("episodic.interactions", ("stored_at",), "processing time"),
    Exclusion("episodic.repetitions", (), "ordinals and offsets: what in a reply is not learned from"),
    Exclusion("episodic.sentenced", (), "ordinals: up to which chunk sentences are embedded"),
    Exclusion("episodic.sentences", ("turn",), "ordinals: read as the message it belongs to"),
    Exclusion("episodic.chunks", ("turn",), "ordinals: read as the message it belongs to"),
    Exclusion("procedural.preferences", ("id",), "ids: a hash of the tenant too; known by category and key"),
    Exclusion("procedural.preferences", ("version",), "version numbers"),
    Exclusion("procedural.preferences", ("updated_at",), "processing time"),
    Exclusion("procedural.preference_versions", ("preference_id", "entry_id"), "ids: known by category and key"),
    Exclusion("procedural.preference_versions", ("version",), "version numbers"),
    Exclusion("procedural.preference_versions", ("recorded_at",), "processing time"),
    Exclusion(
        "*",
        ("verdict on what was known from a forgotten message alone when it was given",),
        "a person's word stays while what it is about is known; the witness gives it at the end",
    ),
    Exclusion("procedural.preference_aliases", (), "ids: hashes of names, with the tenant"),
    Exclusion("procedural.preference_verdicts", (), "hashes of rejections; what they do shows in the preferences"),
    Exclusion("procedural.rules", ("version",), "version numbers"),
    Exclusion("procedural.rules", ("updated_at",), "processing time"),
    Exclusion(
        "procedural.rules",
        ("written by a person, taught by what is forgotten",),
        "what a person wrote stays; the witness had nothing to rewrite",
    ),
    Exclusion("procedural.rule_versions", (), "version numbers: one for each run that changed the rule"),
    Exclusion("procedural.finding_evidence", ("number",), "version numbers: of the evidence"),
    Exclusion("procedural.applied", (), "ids: of the entries that were applied"),
    Exclusion("procedural.forgotten_sources", (), "tombstones: keyed hashes"),
    Exclusion("procedural.forgotten_findings", (), "tombstones: of findings that a person deleted"),
    Exclusion("procedural.reflections", ("id",), "ids: a hash of what was reflected upon"),
    Exclusion("procedural.reflections", ("created_at",), "processing time"),
    Exclusion(
        "report",
        ("id", "created_at", "duration_ms"),
        "ids and processing times",
    ),
    Exclusion(
        "report",
        (
            *("relationships_updated", "relationships_archived", "entities_merged", "preferences_updated"),
            *("new_rules_learned", "new_rules", "conflicts"),
        ),
        "processing: which run of several came upon what is compared where it is kept",
    ),
    Exclusion("catalog.versions", (), "version numbers: that something changed, not what"),
    Exclusion("catalog.resources", ("ordinal", "event_id", "vacated"), "ordinals: of arrival"),
    Exclusion("catalog.resources", ("created_at", "extracted_at"), "processing time"),
    Exclusion("catalog.resource_chunks", ("resource",), "ordinals: read as the resource it belongs to"),
    Exclusion("catalog.items", ("id",), "ids: a hash of the tenant too; known by resource and content"),
    Exclusion("catalog.items", ("ordinal", "moved", "event_id"), "ordinals: of arrival"),
    Exclusion("catalog.items", ("one_with",), "ordinals: which came first of those that are one; read as these"),
    Exclusion("catalog.items", ("created_at",), "processing time"),
    Exclusion("catalog.categories", ("id",), "ids: random; known by name"),
    Exclusion("catalog.categories", ("event_id", "page_until"), "ordinals: of arrival"),
    Exclusion("catalog.categories", ("version",), "version numbers"),
    Exclusion(
        "catalog.categories",
        ("created_at", "updated_at", "consolidated_at", "when the page was consolidated"),
        "processing time",
    ),
    Exclusion("catalog.stats", ("last_extraction_at", "last_consolidation_at"), "processing time"),
    Exclusion("catalog.stats", ("storage_bytes",), "processing: how small the database packs what is compared"),
    Exclusion("ledger.events", (), "the ledger"),
    Exclusion("ledger.progress", (), "the ledger: when a stage last succeeded"),
    Exclusion("ledger.queues", (), "the ledger: whose turn it is"),
    Exclusion("ledger.debounce", (), "the ledger: what is due for extraction"),
    Exclusion("ledger.unreflected", (), "the ledger: what is due for reflection"),
    Exclusion("ledger.upkeep", (), "the ledger: what is due for upkeep"),
    Exclusion("ledger.work", (), "jobs"),
    Exclusion("ledger.windows", (), "jobs: which windows were looked at, and when"),
    Exclusion("ledger.again", (), "jobs: which windows are to be looked at again"),
    Exclusion("ledger.epochs", (), "tombstones: that something was forgotten"),
    Exclusion("ledger.forgotten", (), "tombstones: keyed hashes"),
    Exclusion("ledger.spend", (), "spend: what was asked of a model was asked"),
    Exclusion("ledger.pins", ("pinned_at",), "processing time"),
    Exclusion("identity.keys", (), "keys: each memory is reached with its own"),
    Exclusion("audit.accesses", (), "audit: that something was asked for, not what"),
    Exclusion("ledger.marked_ids", (), "audit: which of what is left was returned since something was forgotten"),
    Exclusion("Entity", ("id",), "ids: known by label and name"),
    Exclusion("Entity", ("kept_apart",), "ids: of entities that a user split off"),
    Exclusion("Merge", ("id",), "ids: known by label and name"),
    Exclusion("Merge", ("kept_apart",), "ids: of entities that a user split off"),
    Exclusion("MERGED_INTO", ("at",), "processing time"),
    Exclusion("MERGED_INTO", ("after",), "ordinals: of arrival"),
    Exclusion("RELATES_TO", ("id",), "ids: known by its ends and type"),
    Exclusion(
        "RELATES_TO",
        ("confidence", "confidence_at"),
        "processing: how far decay is persisted; what it is at the moment is compared",
    ),
    Exclusion(
        "RELATES_TO",
        ("rejected, and said by nobody",),
        "a person's rejection stays as long as both things are known; the witness had nothing to reject",
    ),
    Exclusion("Applied", ("event_id", "hash"), "ids: of ledger events"),
    Exclusion("Applied", ("sequence",), "ordinals: of arrival"),
    Exclusion("MENTIONS", ("path",), "ids: the entities that were absorbed on the way"),
    Exclusion("STATES", ("relationship", "target", "source_path", "target_path"), "ids: read as names"),
    Exclusion("User", (), "ordinals, and the epoch of forgetting"),
    Exclusion("Forgotten", (), "tombstones: keyed hashes"),
    Exclusion("st:ids", ("member",), "ordinals: of arrival"),
    Exclusion("st:log", ("sequence",), "ordinals: of arrival"),
    Exclusion("st:meta", ("sequence", "revision"), "ordinals and version numbers"),
    Exclusion("st:sessions", ("score",), "processing time: of the last use"),
    Exclusion("st:epoch", (), "tombstones: that something was forgotten"),
    Exclusion("st:marks", (), "tombstones: keyed hashes"),
    Exclusion("recall", ("id", "elapsed_ms", "retrieved_at"), "ids and processing times"),
    Exclusion("recall", ("order of equal scores",), "ids: by which those are ordered"),
)
_COMPACTED: Final = "processing time: what has left the window by then depends on when a worker compacted it"
OF_SMALL_WINDOWS: Final = (
    Exclusion("st:log", (), _COMPACTED),
    Exclusion("st:texts", (), _COMPACTED),
    Exclusion("st:meta", (), _COMPACTED),
    Exclusion("st:summary", (), _COMPACTED),
    Exclusion("recall", ("memories of the running conversation",), _COMPACTED),
)
"""Only where windows are so small that conversations have summaries; which messages a session has is compared (st:ids),
and no summary holds a word of what was forgotten (dump)."""
OF_PROCESSES: Final = (
    Exclusion("procedural.rules", ("occurred_at",), "processing time: of rules that a worker put aside or took back"),
)
"""Only where workers are processes, which have the machine's clock."""


def is_excluded(place: str, besides: Sequence[Exclusion] = ()) -> bool:
    """True where nothing of `place` is compared."""
    return any(one.place == place and not one.fields for one in (*EXCLUSIONS, *besides))


def excluded_of(place: str, besides: Sequence[Exclusion] = ()) -> frozenset[str]:
    """The fields of `place` that are not compared."""
    exclusions = (*EXCLUSIONS, *besides)
    return frozenset(name for one in exclusions if one.place in {place, "*"} for name in one.fields)


def table() -> Iterator[str]:
    """The exclusions as lines to print."""
    for one in EXCLUSIONS:
        yield _line(one)
    for one in OF_SMALL_WINDOWS:
        yield f"{_line(one)} (small windows alone)"
    for one in OF_PROCESSES:
        yield f"{_line(one)} (worker processes alone)"


def _line(one: Exclusion) -> str:
    return f"{one.place:30} {', '.join(one.fields) or 'all of it':62} {one.reason}"
