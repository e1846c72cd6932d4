"""Preferences, rules and findings get other words in each view; reports that have what is sought go."""

from typing import Final

from pydantic import JsonValue

from ragpp.api.redacting import RedactedThing, StoredThing
from ragpp.aside import aside
from ragpp.errors import Outdated
from ragpp.learned import ProceduralText
from ragpp.ledger.views import each_view
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp_services.gateway.redacting.knowledge import ATTEMPTS
from ragpp_services.gateway.redacting.seeking import Search
from ragpp_services.gateway.redacting.walking import Step, Walk

WHAT: Final[dict[str, StoredThing]] = {
    "preference": "preference",
    "preference_version": "preference",
    "rule": "rule",
    "rule_version": "rule",
    "finding": "finding",
    "finding_evidence": "finding",
    "report": "report",
}


async def procedures(walk: Walk, cursor: str | None) -> Step:
    """Some rows of the whole memory or of one of its views, which are looked at one after the other. What rests on a
    message is told of where it is applied alone, when the messages that had what is sought are gone."""
    views = each_view(walk.scope, sorted(await walk.parts.views.of(walk.scope)))
    number, inner = (0, "") if cursor is None else decode_cursor(cursor, int, str)
    if not 0 <= number < len(views):
        return Step()
    page, told = await _looked_at(walk, views[number], inner or None)
    following: str | None = None
    if page.next_cursor is not None:
        following = encode_cursor(number, page.next_cursor)
    elif number + 1 < len(views):
        following = encode_cursor(number + 1, "")
    return Step(told, len(page.items), following)


async def _looked_at(walk: Walk, view: Scope, cursor: str | None) -> tuple[Page[ProceduralText], list[RedactedThing]]:
    tier = walk.parts.procedural
    for _ in range(ATTEMPTS):
        epoch = await tier.epoch(view)
        page = await tier.texts(view, cursor, walk.limit)
        found = await aside(_looked_through, walk, page)
        if walk.applies and found:
            try:
                await tier.reword(view, [one for one, _ in found], epoch)
            except Outdated:
                continue
        return page, _told(found)
    raise Outdated("something of this user was forgotten again and again; repeat the request")


def _looked_through(walk: Walk, page: Page[ProceduralText]) -> list[tuple[ProceduralText, Search]]:
    found = []
    for one in page.items:
        search = walk.search()
        new = one.model_copy(update={"words": _words(search, one)})
        if search.kinds:
            found.append((new, search))
    return found


def _words(search: Search, one: ProceduralText) -> dict[str, JsonValue]:
    if one.kind in {"preference", "preference_version"}:
        category, key, value = (one.words[name] for name in ("category", "key", "value"))
        new: dict[str, JsonValue] = {
            "category": search.label(str(category)),
            "key": search.label(str(key)),
            "value": search.value(str(key), value),
        }
        if "waiting" in one.words:
            new["waiting"] = search.value(str(key), one.words["waiting"])
        return new
    return {name: search.strings(value) for name, value in one.words.items()}


def _told(found: list[tuple[ProceduralText, Search]]) -> list[RedactedThing]:
    """Each thing once, with what was found in all of its rows; its preview is that of the first."""
    told: dict[tuple[StoredThing, str], RedactedThing] = {}
    for one, search in found:
        what, new = WHAT[one.kind], search.found(WHAT[one.kind], one.id)
        known = told.get((what, one.id))
        if known is not None:
            kinds = {kind: max(known.kinds.get(kind, 0), count) for kind, count in new.kinds.items()}
            new = known.model_copy(update={"kinds": {**known.kinds, **kinds}})
        told[what, one.id] = new
    return list(told.values())
