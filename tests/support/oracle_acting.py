"""A person's acts in the oracle's scripts: what one is about, doing it, and whether it still stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import httpx

from tests.support.oracle_script import Act

_RULE_CHANGES: Final[Mapping[str, Mapping[str, object]]] = {
    "rule_text": {"text": "Be brief."},
    "rule_priority": {"priority": 9},
    "rule_off": {"active": False},
}


@dataclass(frozen=True)
class Target:
    """The thing that a person's act was about, by what it is called."""

    what: str
    called: tuple[str, ...]


async def pick(api: httpx.AsyncClient, act: Act) -> Target | None:
    """The thing that the act is about."""
    kind = _KIND_OF[act.deed]
    known = sorted(_called(kind, item) for item in await _items(api, kind, act.user))
    return Target(kind, known[act.pick % len(known)]) if known else None


async def act_on(api: httpx.AsyncClient, act: Act, target: Target) -> bool:
    """True where it was there to be acted upon. A preference is found by its name, and judged by its value."""
    items = await _items(api, target.what, act.user)
    known = {_key(Target(target.what, _called(target.what, item))): item for item in items}
    item = known.get(_key(target))
    if item is None:
        return False
    path = f"/v1/{target.what}/{item['id']}"
    if act.deed in _RULE_CHANGES:
        answer = await api.patch(path, json={"user_id": act.user, **_RULE_CHANGES[act.deed]})
    else:
        value = {"value": target.called[-1]} if target.what == "preferences" else {}
        answer = await api.post(f"{path}/{act.deed.partition('_')[0]}", json={"user_id": act.user, **value})
    return answer.is_success


async def stands(api: httpx.AsyncClient, act: Act, target: Target) -> bool:
    """True where it is a verdict that is kept, as always that of a preference's rejected value, which is not listed."""
    deed, _, of_preference = act.deed.partition("_")
    known = {_called(target.what, item): item for item in await _items(api, target.what, act.user)}
    verdict = known.get(target.called, {}).get("verdict")
    return verdict == f"{deed}ed" or (deed, of_preference) == ("reject", "preference")


_KIND_OF: Final = {
    "confirm": "relationships",
    "reject": "relationships",
    "confirm_preference": "preferences",
    "reject_preference": "preferences",
    "confirm_rule": "rules",
    "rule_text": "rules",
    "rule_priority": "rules",
    "rule_off": "rules",
}


async def _items(api: httpx.AsyncClient, kind: str, user: str) -> list[dict[str, Any]]:
    """All there are of a kind that the user sees now, or saw."""
    state = {"state": "all"} if kind == "relationships" else {}
    answer = await api.get(f"/v1/{kind}", params={"user_id": user, "limit": 200, **state})
    assert answer.is_success, answer.text
    return cast("list[dict[str, Any]]", answer.json()["items"])


def _called(kind: str, item: Mapping[str, Any]) -> tuple[str, ...]:
    if kind == "relationships":
        return item["source"], item["type"], item["target"]
    return (item["id"],) if kind == "rules" else (item["category"], item["key"], item["value"])


def _key(target: Target) -> tuple[str, ...]:
    """The names that it is found by: of a preference, category and key."""
    return target.called[:2] if target.what == "preferences" else target.called
