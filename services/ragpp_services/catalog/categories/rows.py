"""Rows of categories and their pages."""

from ragpp_services.catalog.statements import Statements


class CategoryRows:
    """One user's categories."""

    def __init__(self, run: Statements) -> None:
        self._run = run
