"""A person's verdict on one thing that is known, whichever list it was taken from."""

import shlex
from collections.abc import Sequence
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput
from ragpp.models import Value
from ragpp_infra.cli.known_items import Item, Kind
from ragpp_infra.cli.waiting import Waiting

JUDGED: Final[frozenset[Kind]] = frozenset({"relationship", "preference", "rule", "finding"})


async def verdict(client: AsyncMemoryClient, user: str, one: Item | Waiting, *, right: bool) -> Value:
    """Tell the gateway of what was judged; of a preference about the value that was listed, whatever came meanwhile."""
    if one.kind == "relationship":
        return await (client.confirm_relationship if right else client.reject_relationship)(user, one.id)
    if one.kind == "preference":
        return await (client.confirm_preference if right else client.reject_preference)(user, one.id, one.value)
    if one.kind == "finding":
        return await (client.confirm_finding if right else client.reject_finding)(user, one.id)
    return await (client.confirm_rule if right else client.reject_rule)(user, one.id)


def see_judged(user: str, items: Sequence[Item]) -> None:
    """Raises InvalidInput for what takes no verdict, with what is done instead."""
    refused = [item for item in items if item.kind not in JUDGED]
    if refused:
        told = "; ".join(f"{item.with_article} is neither confirmed nor rejected: {item.text}" for item in refused)
        instead = tuple(_instead_of_verdict(user, item) for item in refused)
        raise InvalidInput(f"nothing was changed: {told}", suggestions=instead)


def _instead_of_verdict(user: str, item: Item) -> str:
    if item.kind == "entity":
        return f"Correct its name: {shlex.join(['ragpp', 'correct', item.id, '--name', 'NAME', '--user', user])}"
    return forgetting(user, item)


def forgetting(user: str, item: Item) -> str:
    """The advice to forget it, with the command."""
    return f"Forget it: {shlex.join(['ragpp', 'forget', '--id', item.id, '--user', user])}"
