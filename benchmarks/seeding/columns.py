"""The tables that a written and digested conversation fills, and which of their columns name or number something.

Whatever else a table holds is cast as it is. A table that has rows of the user and is not here is refused, so that a
migration which brings one has to say here what its columns are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Columns:
    """The columns of one table. `ordinals`: numbers of interactions by arrival, 0 for none; `events`: ids of events;
    `ids`: texts, lists or JSON with ids of entities, relationships or preferences; `led`: the same, and texts that
    begin with the id of an event, or end in it after a colon."""

    ordinals: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    led: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


TABLES: Final[Mapping[str, Columns]] = {
    "episodic.interactions": Columns(ordinals=("ordinal",), events=("event_id",)),
    "episodic.chunks": Columns(ordinals=("turn",)),
    "episodic.sentences": Columns(ordinals=("turn",)),
    "episodic.sentenced": Columns(ordinals=("turn", "second_turn")),
    "episodic.repetitions": Columns(ordinals=("turn", "repeats")),
    "procedural.applied": Columns(events=("event_id",), led=("entry_id",), ids=("subject_id",)),
    "procedural.preferences": Columns(ids=("id",)),
    "procedural.preference_versions": Columns(led=("entry_id",), ids=("preference_id",)),
    "procedural.rules": Columns(),
    "procedural.rule_versions": Columns(),
    "procedural.findings": Columns(),
    "procedural.finding_evidence": Columns(),
    "procedural.finding_endings": Columns(),
    "procedural.reflections": Columns(ids=("report",)),
    "ledger.events": Columns(events=("event_id",), led=("subject_id",), ids=("payload",)),
    "ledger.work": Columns(events=("event_id",), ids=("result",)),
    "ledger.windows": Columns(events=("event_id",)),
    "ledger.progress": Columns(events=("last_event_id",)),
    "ledger.queues": Columns(),
    "ledger.upkeep": Columns(),
    "ledger.debounce": Columns(),
    "ledger.unreflected": Columns(),
}
LEFT_OUT: Final[Mapping[str, str]] = {
    "audit.accesses": "who asked for what: nobody has asked for those who are cast",
    "ledger.marked_ids": "the ids of what was returned to whoever asked",
}
"""Tables of users that are not cast, and why."""
SEQUENCES: Final = {"ordinals": "episodic.ordinals", "events": "ledger.events_event_id_seq"}
"""By which sequences ordinals and events are numbered."""
