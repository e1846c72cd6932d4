"""Between the driver's rows and what people said of the graph."""

from collections.abc import Sequence
from typing import cast

from ragpp.clock import from_moment
from ragpp.models import Relabelled, RelationshipEntry
from ragpp_services.semantic.records import END_SUFFIX, ENTRY_PREFIX, label_of
from ragpp_services.semantic.rows import Properties


def stated_from(properties: Properties) -> RelationshipEntry:
    """The stated entry, from the map that the statement `stated` calls so; what ends has the id of what it ends."""
    return RelationshipEntry(
        id=cast("str", properties["event_id"]).removeprefix(ENTRY_PREFIX).removesuffix(END_SUFFIX),
        source=cast("str", properties["source"]),
        source_label=label_of(properties["source_label"]),
        type=cast("str", properties["type"]),
        target=cast("str", properties["target"]),
        target_label=label_of(properties["target_label"]),
        lasting=bool(properties["lasting"]),
        ends=properties["act"] == "ends",
        context=cast("str", properties["context"]),
        verb=cast("str | None", properties["verb"]) or "",
        occurred_at=from_moment(cast("int", properties["occurred_at"])),
    )


def relabelled_from(properties: Properties) -> Relabelled:
    """The name and label that a person gave an entity, from the map that the statement `relabelled` calls so."""
    name = cast("str", properties["name"])
    return Relabelled(
        name=name,
        label=label_of(properties["label"]),
        former_names=tuple(
            one for one in dict.fromkeys(cast("Sequence[str]", properties["former_names"])) if one != name
        ),
        former_labels=tuple(map(label_of, cast("Sequence[str]", properties["former_labels"]))),
    )
