"""Named statements, kept in files beside the store that runs them."""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

_ALL: Final = re.compile(r"FROM /\* all \*/ (\S+)")
_NAME: Final = re.compile(r"^(?:--|//) name: ([a-z][a-z0-9_]*)\s*$", re.MULTILINE)


class Queries(Mapping[str, str]):
    """The statements of one file by name, read at first use so that importing a module does no I/O.

    A statement begins after a line `-- name: x` (SQL) or `// name: x` (Cypher) and ends before the next one.
    Raises KeyError for an unknown name, ValueError for a name that is taken twice.
    """

    def __init__(self, package: str, filename: str) -> None:
        self._package, self._filename = package, filename
        self._statements: dict[str, str] | None = None

    def _load(self) -> dict[str, str]:
        if self._statements is None:
            text = files(self._package).joinpath(self._filename).read_text("utf-8")
            parts = _NAME.split(text)[1:]
            names, bodies = parts[::2], parts[1::2]
            if len(set(names)) != len(names):
                raise ValueError(f"{self._package}/{self._filename} has a name twice")
            self._statements = {
                name: body.strip().rstrip(";").rstrip() for name, body in zip(names, bodies, strict=True)
            }
        return self._statements

    def __getitem__(self, name: str) -> str:
        return self._load()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())


def load_queries(package: str, filename: str) -> Queries:
    """The statements in `filename` of `package`, by name."""
    return Queries(package, filename)


def instead_of_all(statement: str, chosen: Mapping[str, str]) -> str:
    """`statement`, which reads `FROM /* all */ table AS name`, over the rows that another selects for each such table.

    `chosen`: those statements by table. Raises KeyError for a table that has none.
    """
    return _ALL.sub(lambda found: f"FROM (\n{chosen[found[1]]}\n)", statement)
