"""The statements of the episodic tier, by their names."""

from collections.abc import Mapping
from typing import Final

from ragpp.stores.queries import instead_of_all, load_queries

_WRITTEN: Final = {
    name: statement
    for file in ("queries.sql", "sentences.sql", "segments.sql")
    for name, statement in load_queries("ragpp_services.episodic", file).items()
}
_CHOSEN: Final = load_queries("ragpp_services.episodic", "chosen.sql")
SQL: Final[Mapping[str, str]] = {
    **_WRITTEN,
    "scan_chosen": instead_of_all(
        _WRITTEN["scan"],
        {f"episodic.{table}": _CHOSEN[f"chosen_{table}"] for table in ("chunks", "sentences", "interactions")},
    ),
}
