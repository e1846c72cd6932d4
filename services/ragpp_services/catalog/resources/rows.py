"""Rows of resources, of their chunks, and of the interactions that they hold."""

from ragpp_services.catalog.statements import Statements


class ResourceRows:
    """One user's resources."""

    def __init__(self, run: Statements) -> None:
        self._run = run
