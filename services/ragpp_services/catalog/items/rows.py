"""Rows of items."""

from ragpp_services.catalog.statements import Statements


class ItemRows:
    """One user's items."""

    def __init__(self, run: Statements) -> None:
        self._run = run
