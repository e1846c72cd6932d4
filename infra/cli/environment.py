"""The settings that the services of an embedded stack are started with."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infra.cli.place import HOST, Place

if TYPE_CHECKING:
    from infra.embedded.stack import Endpoints

WORKERS_CONNECTIONS: Final = 200
"""To PostgreSQL, of all workers together; its configuration allows 256, and a gateway may take 40."""
POOLS: Final = 3
"""Of one worker: two tiers' and the ledger's."""
MOST_EACH: Final = 10


def environment_of(place: Place, endpoints: "Endpoints", port: int) -> dict[str, str]:
    """The settings that the services of this stack are started with; everything else is the caller's environment."""
    cache = os.environ.get("RAGPP_CACHE", "~/.cache/ragpp")
    return {
        "POSTGRES_DSN": endpoints.postgres_app_dsn.get_secret_value(),
        "POSTGRES_OWNER_DSN": endpoints.postgres_owner_dsn.get_secret_value(),
        "POSTGRES_RELAY_DSN": endpoints.postgres_relay_dsn.get_secret_value(),
        "REDIS_URL": endpoints.redis_url.get_secret_value(),
        "REDIS_REWRITE_URL": endpoints.redis_rewrite_url.get_secret_value(),
        "NEO4J_URI": endpoints.neo4j_uri,
        "NEO4J_USER": endpoints.neo4j_user,
        "NEO4J_PASSWORD": endpoints.neo4j_password.get_secret_value(),
        "FORGETTING_KEY": place.home.passwords().forgetting_key,
        "GATEWAY_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "GATEWAY_AUDIT_SPOOL": str(place.home.path / "audit-spool.jsonl"),
        "EMBEDDING_CACHE_DIR": str(Path(cache).expanduser()),
    }


def share_of_connections(workers: int) -> dict[str, str]:
    """How many connections each pool of one of so many workers may open."""
    return {"POSTGRES_POOL_MAX": str(max(1, min(MOST_EACH, WORKERS_CONNECTIONS // (POOLS * workers))))}


def print_of(settings: Mapping[str, str]) -> str:
    """What tells one set of settings from another, without telling them."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
