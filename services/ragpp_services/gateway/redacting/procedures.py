"""Preferences, rules and findings get other words in each view; reports that have what is sought go."""

from typing import Final

from pydantic import JsonValue

from ragpp.api.redacting import RedactedThing, StoredThing
from ragpp.aside import aside
from ragpp.learned import ProceduralText
from ragpp.models import Page, Scope
from ragpp_services.gateway.anew import done_anew
from ragpp_services.gateway.redacting.seeking import Search
from ragpp_services.gateway.redacting.walking import Step, Walk, in_each_view

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
    return await in_each_view(walk, cursor, _looked_at)


async def _looked_at(walk: Walk, view: Scope, cursor: str | None) -> Step:
    tier = walk.parts.procedural

    async def looked_at() -> Step:
        epoch = await tier.epoch(view)
        page = await tier.texts(view, cursor, walk.limit)
        found = await aside(_looked_through, walk, page)
        if walk.applies and found:
            await tier.reword(view, [one for one, _ in found], epoch)
        return Step(_told(found), len(page.items), page.next_cursor)

    return await done_anew(looked_at)


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
