"""The memories that an agent's file would have given it beside those that the catalog gave. Pure."""

from typing import Annotated

from pydantic import Field

from ragpp.models import Value


class Difference(Value):
    """The memories of one turn, by id with their tokens: what the `file` would have given, and what the `catalog`
    gave."""

    file: dict[str, Annotated[int, Field(ge=0)]]
    catalog: dict[str, Annotated[int, Field(ge=0)]]

    @property
    def both(self) -> set[str]:
        """The memories given by both."""
        return self.file.keys() & self.catalog.keys()

    @property
    def by_file(self) -> set[str]:
        """The memories given by the file alone."""
        return self.file.keys() - self.catalog.keys()

    @property
    def by_catalog(self) -> set[str]:
        """The memories given by the catalog alone."""
        return self.catalog.keys() - self.file.keys()

    @property
    def equal(self) -> bool:
        """True where both gave the same memories, in whatever form."""
        return self.file.keys() == self.catalog.keys()

    @property
    def file_tokens(self) -> int:
        """Tokens of all that the file gave."""
        return sum(self.file.values())

    @property
    def catalog_tokens(self) -> int:
        """Tokens of all that the catalog gave."""
        return sum(self.catalog.values())
