"""The graph's part of a snapshot: every node and edge of a user, known by names."""

import json
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

import neo4j

from ragpp.models import Scope
from ragpp.stores.neo4j import create_driver, scope_key
from tests.support.oracle_exclusions import is_excluded
from tests.support.oracle_snapshot import Snapshot, add
from tests.support.semantic import neo4j_settings
from tests.support.stacks import StoreStack

Properties: TypeAlias = Mapping[str, object]
_NODES: Final = """
    MATCH (n) WHERE n.scope = $scope
    RETURN elementId(n) AS node, labels(n)[0] AS label, properties(n) AS properties"""
_EDGES: Final = """
    MATCH (n)-[r]->(other) WHERE n.scope = $scope
    RETURN type(r) AS type, properties(r) AS properties, elementId(n) AS source, elementId(other) AS target"""
_OWN: Final = frozenset({"KNOWS"})
"""Edges that say no more than their nodes."""


async def read_graph(stack: StoreStack, scope: Scope) -> Snapshot:
    """All that the graph holds of the user and that is compared."""
    async with create_driver(neo4j_settings(stack.endpoints())) as driver:
        nodes = (await driver.execute_query(_NODES, scope=scope_key(scope))).records
        edges = (await driver.execute_query(_EDGES, scope=scope_key(scope))).records
    return _Graph(nodes, edges).snapshot()


class _Graph:
    """A user's nodes and edges. Names of entities and of what was merged are label and name; those of evidence the
    messages that it comes from."""

    def __init__(self, nodes: list[neo4j.Record], edges: list[neo4j.Record]) -> None:
        self._nodes, self._edges = nodes, edges
        self._names = {str(node["node"]): _name(node["label"], node["properties"]) for node in nodes}
        self._by_id = {str(node["properties"].get("id")): self._names[str(node["node"])] for node in nodes}

    def snapshot(self) -> Snapshot:
        """Its things, in the order of their names."""
        found: Snapshot = {}
        nodes, edges = self._without_bare_rejections()
        things = [*map(self._node, nodes), *map(self._edge, edges)]
        for place, name, fields in sorted(things, key=lambda thing: (*thing[:2], json.dumps(thing[2], default=str))):
            if not is_excluded(place) and place not in _OWN and not _is_spent(place, fields):
                add(found, place, name, fields)
        return found

    def _without_bare_rejections(self) -> tuple[list[neo4j.Record], list[neo4j.Record]]:
        """Nodes and edges but for a person's rejection of what nobody says."""
        bare = {edge["properties"]["id"] for edge in self._edges if is_bare_rejection(edge["properties"])}
        own = [edge for edge in self._edges if edge["properties"].get("relationship") in bare]
        words = {edge["source"] for edge in own}
        edges = [edge for edge in self._edges if edge not in own and edge["properties"].get("id") not in bare]
        return [node for node in self._nodes if node["node"] not in words], edges

    def _node(self, node: neo4j.Record) -> tuple[str, str, dict[str, object]]:
        return node["label"], self._names[str(node["node"])], dict(node["properties"])

    def _edge(self, edge: neo4j.Record) -> tuple[str, str, dict[str, object]]:
        source, target = self._names[str(edge["source"])], self._names[str(edge["target"])]
        kind, fields = str(edge["type"]), dict(cast("Properties", edge["properties"]))
        if kind == "RELATES_TO":
            return kind, f"{source} {fields['type']} {target}", fields
        if kind == "STATES":
            stated = self._by_id.get(str(fields.get("target")), "of none")
            return kind, f"{source}: {target} {fields.get('type')} {stated}", fields
        return kind, f"{source} {target}", fields


def is_bare_rejection(relationship: Properties) -> bool:
    """True where nothing is left of a relationship but that a person rejected it."""
    return relationship.get("verdict") == "rejected" and relationship.get("weight") == 0


def _name(label: str, properties: Properties) -> str:
    match label:
        case "Entity" | "Merge":
            return f"{properties.get('label')} {properties.get('name')}"
        case "Alias":
            return f"alias {properties.get('key')}"
        case "Applied":
            sources = cast("list[str]", properties.get("sources") or [])
            return " ".join(sorted(sources)) or "a person"
        case "Unrevised":
            return "unrevised"
    return label


def _is_spent(place: str, fields: Properties) -> bool:
    """True where it is the mark that an observation was applied whose source is gone: a tombstone."""
    return place == "Applied" and not fields.get("sources") and str(fields.get("event_id")).startswith("o:")
