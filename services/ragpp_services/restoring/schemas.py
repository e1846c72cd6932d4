"""The schemas of all stores as a backup had them: brought to its migrations, from which the present ones go on."""

from collections.abc import Mapping, Sequence
from typing import Final

import neo4j

from ragpp.settings import PostgresSettings
from ragpp.stores.migrations import Migration, load_migrations, migrate_as_owner
from ragpp_services.semantic import schema as graph

COMPONENTS: Final = {
    "gateway": "ragpp_services.gateway",
    "ledger": "ragpp.ledger",
    "episodic": "ragpp_services.episodic",
    "procedural": "ragpp_services.procedural",
    "catalog": "ragpp_services.catalog",
}
"""Packages by component, in the order in which their migrations are applied."""
GRAPH: Final = "graph"
"""The name of the graph's migrations in a backup."""


def known() -> dict[str, dict[int, str]]:
    """Checksums of all migrations, by component and version."""
    found = {
        component: {one.version: one.checksum for one in load_migrations(component, package)}
        for component, package in COMPONENTS.items()
    }
    return {**found, GRAPH: {one.version: one.checksum for one in graph.load_migrations()}}


async def migrate_until(
    settings: PostgresSettings, driver: neo4j.AsyncDriver, versions: Mapping[str, Sequence[int]]
) -> None:
    """Apply to empty stores the migrations of these versions and no others. Raises MigrationError, TierUnavailable."""
    steps: list[list[Migration]] = [
        [one for one in load_migrations(component, package) if one.version in versions.get(component, ())]
        for component, package in COMPONENTS.items()
    ]
    await migrate_as_owner(settings, *steps)
    await graph.migrate_until(driver, versions.get(GRAPH, ()))
