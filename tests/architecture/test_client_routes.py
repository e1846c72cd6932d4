"""The client has every route of the gateway, with everything that it takes."""

import inspect
import re
from typing import Final

from ragpp.client.route import RouteVerb
from ragpp.client.verbs import Verbs
from tests.support.operations import OPERATIONS, Operation

VERBS: Final = [verb for _, verb in inspect.getmembers_static(Verbs) if isinstance(verb, RouteVerb)]


def route(method: str, path: str) -> str:
    """Whatever the ids in its path are called."""
    return f"{method} {re.sub(r'{[^}]*}', '{}', path)}"


OFFERED: Final = {route(operation.method, operation.path): operation for operation in OPERATIONS.values()}
TAKEN: Final = {
    name: frozenset().union(*(verb.parameters for verb in VERBS if route(verb.method, verb.path) == name))
    for name in (route(verb.method, verb.path) for verb in VERBS)
}


def test_the_client_has_every_route() -> None:
    assert sorted(set(OFFERED) - set(TAKEN)) == []


def test_the_client_asks_for_no_route_that_there_is_not() -> None:
    assert sorted(set(TAKEN) - set(OFFERED)) == []


def test_the_client_takes_whatever_narrows_a_route() -> None:
    missing = {name: sorted(_queried(operation) - TAKEN[name]) for name, operation in OFFERED.items() if name in TAKEN}
    assert {name: parameters for name, parameters in missing.items() if parameters} == {}


def _queried(operation: Operation) -> set[str]:
    return {parameter.name for parameter in operation.parameters if parameter.place == "query"}
