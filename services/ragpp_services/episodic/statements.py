"""The statements of the episodic tier, by their names."""

from collections.abc import Mapping
from typing import Final

from ragpp.stores.queries import load_queries

SQL: Final[Mapping[str, str]] = {
    name: statement
    for file in ("queries.sql", "sentences.sql")
    for name, statement in load_queries("ragpp_services.episodic", file).items()
}
