"""The statements of queries.cypher by name, as they are sent."""

import re
from typing import Final

from ragpp.stores.queries import load_queries

QUERIES: Final = load_queries("ragpp_services.semantic", "queries.cypher")
_COMMENT: Final = re.compile(r"^\s*//.*\n?", re.MULTILINE)

_OPTIONS: Final = "CYPHER 25 replan=skip expressionEngine=interpreted\n"
"""Plan once. Each statement has one sensible plan, fixed by the indexes that it names; planning `retrieve` takes as
long as a hundred runs, and by default every growth of a young graph, and a compilation of expressions, has it planned
anew."""


def statement(name: str) -> str:
    """A statement with the project's options, without the comments that the server need not read each time."""
    return _OPTIONS + _COMMENT.sub("", QUERIES[name])
